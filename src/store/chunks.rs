//! Reading files of lines piece by piece, whatever their size.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::thread;

use super::folder::facts;
use super::project::Project;
use super::read::read_at;
use crate::error::{Error, Result};

/// How much of a file is read at once.
const CHUNK: usize = 1 << 18;

/// A file of less than twice this size is read by one thread.
const PART: u64 = 4 << 20;

/// No more threads read one file.
const MOST_THREADS: usize = 4;

/// Reads one of Ralph's logs piece by piece; `false` where there is none.
///
/// # Errors
/// `OUTSIDE_PROJECT`, `IO_ERROR`.
pub fn read_chunks(project: &Project, path: &Path, each: impl FnMut(&[u8])) -> Result<bool> {
    let Some((file, _)) = project.open_to_read(path)? else { return Ok(false) };
    read_range(&file, 0..u64::MAX, each).map_err(|error| Error::io("read", path, &error))?;
    Ok(true)
}

/// The end of one of Ralph's logs, `most` bytes of it, and whether that is the whole; `None` where there is none.
///
/// # Errors
/// `IO_ERROR`.
pub fn read_tail(project: &Project, path: &Path, most: u64) -> Result<Option<(Vec<u8>, bool)>> {
    let Some((file, facts)) = project.open_to_read(path)? else { return Ok(None) };
    let start = facts.length.saturating_sub(most);
    let mut bytes = Vec::new();
    let end = start.saturating_add(most);
    read_range(&file, start..end, |chunk| bytes.extend_from_slice(chunk)).map_err(|error| Error::io("read", path, &error))?;
    Ok(Some((bytes, start == 0)))
}

/// Reads a file of lines piece by piece, a long one by several threads: each begins at the start of a line and feeds a
/// state of its own. The states come in the file's order; `None` where there is no file.
///
/// # Errors
/// As [`read_chunks`].
pub fn read_lines_in_parts<T: Default + Send>(project: &Project, path: &Path, feed: fn(&mut T, &[u8])) -> Result<Option<Vec<T>>> {
    let Some((file, facts)) = project.open_to_read(path)? else { return Ok(None) };
    let failed = |error: io::Error| Error::io("read", path, &error);
    let ranges = line_ranges(&file, facts.length, thread::available_parallelism().map_or(1, usize::from)).map_err(failed)?;
    let read = |range: &Range<u64>| {
        let mut state = T::default();
        read_range(&file, range.clone(), |chunk| feed(&mut state, chunk)).map(|()| state)
    };
    let (first, others) = ranges.split_first().map_or((0..u64::MAX, &[][..]), |(first, others)| (first.clone(), others));
    let states: io::Result<Vec<T>> = thread::scope(|scope| {
        let started: Vec<_> = others.iter().map(|range| thread::Builder::new().spawn_scoped(scope, || read(range))).collect();
        let mut states = vec![read(&first)?];
        for (started, range) in started.into_iter().zip(others) {
            // Where no thread could be started, this one does its work.
            states.push(started.map_or_else(|_| read(range), |thread| thread.join().unwrap_or_else(|_| read(range)))?);
        }
        Ok(states)
    });
    states.map(Some).map_err(failed)
}

/// Up to `most` ranges of whole lines, each of [`PART`] bytes at least; the last is open, for the file may grow.
fn line_ranges(file: &File, length: u64, most: usize) -> io::Result<Vec<Range<u64>>> {
    let parts = (length / PART).clamp(1, u64::try_from(most.clamp(1, MOST_THREADS)).unwrap_or(1));
    let mut ranges = Vec::new();
    let mut start = 0;
    for part in 1..parts {
        let end = line_start_from(file, length / parts * part)?;
        if end > start {
            ranges.push(start..end);
            start = end;
        }
    }
    ranges.push(start..u64::MAX);
    Ok(ranges)
}

/// Where the next line starts after an offset; the file's end where none does.
fn line_start_from(file: &File, offset: u64) -> io::Result<u64> {
    let mut at = offset;
    let mut piece = [0; 4096];
    loop {
        let length = read_at(file, &mut piece, at)?;
        let read = piece.get(..length).unwrap_or_default();
        match memchr::memchr(b'\n', read) {
            Some(end) => return Ok(at + end as u64 + 1),
            None if read.is_empty() => return Ok(at),
            None => at += read.len() as u64,
        }
    }
}

pub(super) fn read_range(file: &File, range: Range<u64>, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let length = facts(file)?.length.min(range.end).saturating_sub(range.start);
    // One byte more than there is shows the end in the same read.
    let mut chunk = vec![0; usize::try_from(length).map_or(CHUNK, |length| length.saturating_add(1)).clamp(1, CHUNK)];
    let mut at = range.start;
    while at < range.end {
        let most = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(chunk.len());
        let read = read_at(file, chunk.get_mut(..most).unwrap_or_default(), at)?;
        if read == 0 {
            break;
        }
        each(chunk.get(..read).unwrap_or_default());
        at += read as u64;
        if read < most && at >= range.start + length {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::testing::project;
    use std::fs;

    #[test]
    fn a_long_file_is_read_in_parts_that_begin_with_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long");
        let project = project(folder.path());
        let line = |number: usize| format!("{number} {}\n", "x".repeat(number % 5000));
        let text: String = (0..8000).map(line).collect();
        fs::write(&path, &text).expect("written");
        let file = || File::open(&path).expect("there");
        for most in [1, 2, 3, 4, 99] {
            let ranges = line_ranges(&file(), text.len() as u64, most).expect("read");
            assert_eq!(ranges.len(), most.min(4));
            let mut parts = Vec::new();
            for range in &ranges {
                let mut part = Vec::new();
                read_range(&file(), range.clone(), |chunk| part.extend_from_slice(chunk)).expect("read");
                assert!(part.ends_with(b"\n") && !part.starts_with(b"x"));
                parts.extend(part);
            }
            assert_eq!(parts, text.as_bytes());
        }
        let whole = read_lines_in_parts::<Vec<u8>>(&project, &path, Vec::extend_from_slice).expect("read");
        assert_eq!(whole.expect("there").concat(), text.as_bytes());
        fs::write(&path, "x".repeat(20 << 20)).expect("written");
        assert_eq!(line_ranges(&file(), 20 << 20, 2).expect("read").len(), 2, "one line: all of it in the first");
        let lengths =
            read_lines_in_parts::<usize>(&project, &path, |sum, chunk| *sum += chunk.len()).expect("read").expect("there");
        assert_eq!(lengths.iter().sum::<usize>(), 20 << 20);
        assert!(read_lines_in_parts::<usize>(&project, &folder.path().join("missing"), |_, _| ()).expect("looked").is_none());
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), "x").expect("written");
        let project = project(folder.path());
        let code = |path: &Path| read_chunks(&project, path, |_| ()).map_err(|error| error.code());
        assert_eq!(code(folder.path()), Err(ErrorCode::IoError));
        assert_eq!(code(&folder.path().join("missing")), Ok(false));
        assert_eq!(code(&folder.path().join("file")), Ok(true));
    }
}
