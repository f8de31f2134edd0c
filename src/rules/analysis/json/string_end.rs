//! Runs through the content of JSON strings.

use memchr::memchr3;

/// Whether a backslash and this byte are an escape, or begin one.
pub(super) fn may_follow_backslash(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u')
}

/// Why a run through a string's content stops.
pub(super) enum StringEnd {
    /// At the closing quote.
    Quote,
    /// At a backslash.
    Backslash,
    /// At a byte that cannot be there.
    Invalid,
    /// The chunk is used up.
    Chunk,
}

/// The next byte of a string that is no plain content.
pub(super) fn next_stop(chunk: &[u8], at: usize) -> (usize, StringEnd) {
    let rest = chunk.get(at..).unwrap_or_default();
    // A newline cannot be in a string: there a stream's next line begins, whatever became of this one.
    let Some(run) = memchr3(b'"', b'\\', b'\n', rest) else { return (chunk.len(), StringEnd::Chunk) };
    let end = match rest.get(run) {
        Some(b'"') => StringEnd::Quote,
        Some(b'\\') => StringEnd::Backslash,
        _ => StringEnd::Invalid,
    };
    (at + run, end)
}

/// Runs through the content of a string that nobody reads. Most bytes of most streams are in such strings.
pub(super) fn string_end(chunk: &[u8], mut at: usize) -> (usize, StringEnd) {
    loop {
        let (stop, end) = next_stop(chunk, at);
        match (&end, chunk.get(stop + 1)) {
            (StringEnd::Backslash, Some(&next)) if may_follow_backslash(next) => at = stop + 2,
            // At the chunk's end the escape is the next chunk's; another byte is found wrong as if it were read.
            _ => return (stop, end),
        }
    }
}
