//! Reading what is open: in one call where the length is known, and never more than is sensible.

use std::fs::File;
use std::io::{self, Read};

/// A file's bytes; `None` where there are more than `most`. `length` is what the system said a moment ago.
///
/// # Errors
/// What the system says.
pub fn read_whole(mut file: &File, length: u64, most: u64) -> io::Result<Option<Vec<u8>>> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let Some(length) = usize::try_from(length).ok().filter(|length| *length <= most) else { return Ok(None) };
    // One byte more shows the end: a read that is not filled has reached it.
    let mut bytes = vec![0; length + 1];
    let mut filled = 0;
    loop {
        match file.read(bytes.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if filled == length {
            break;
        }
        if filled > most {
            return Ok(None);
        }
        if filled == bytes.len() {
            // It grew.
            bytes.resize(filled.saturating_mul(2).min(most + 1), 0);
        }
    }
    bytes.truncate(filled);
    Ok(Some(bytes))
}

/// Reads at an offset, wherever the file's own position is.
///
/// # Errors
/// What the system says.
pub fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, into, offset);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, into, offset);
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Windows says so at the end.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_whatever_its_length_was_said_to_be() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        let text: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        std::fs::write(&path, &text).expect("written");
        let read = |length, most| read_whole(&File::open(&path).expect("opened"), length, most).expect("read");
        for said in [100_000, 100_001, 300_000, 3, 0] {
            assert_eq!(read(said, 1 << 20).as_ref(), Some(&text), "{said}");
        }
        assert_eq!(read(100_000, 100_000).as_ref(), Some(&text));
        assert_eq!(read(100_000, 99_999), None);
        assert_eq!(read(5, 99_999), None, "it grew past the bound");
        std::fs::write(&path, "").expect("written");
        assert_eq!(read(0, 10), Some(Vec::new()));
        assert_eq!(read(7, 10), Some(Vec::new()), "it was cut");
    }
}
