//! A file of lines that only grows, read on from where the last look ended.
//!
//! It is the same file if it has the same inode, is no shorter, and has the same last bytes before that place: a file that
//! was rotated, replaced or cut is read anew. Nothing here is trusted for its time alone.

use std::fs::File;
use std::io;
use std::path::Path;

use super::chunks::read_range;
use super::folder::Identity;
use super::project::Project;
use super::read::read_at;
use crate::error::{Error, Result};

/// So many bytes before the place are compared.
const TAIL: u64 = 256;

/// Which file a path leads to, and how long it is; `None` where there is none.
///
/// # Errors
/// `IO_ERROR`.
pub fn at(project: &Project, path: &Path) -> Result<Option<(Identity, u64)>> {
    Ok(project.open_to_read(path)?.map(|(_, facts)| (facts.identity, facts.length)))
}

/// Where a look ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    identity: Identity,
    offset: u64,
    tail: Vec<u8>,
}

impl Place {
    /// After so many bytes of a file; `None` where it is not this one any more.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn after(project: &Project, path: &Path, identity: Identity, offset: u64) -> Result<Option<Self>> {
        let failed = |error: io::Error| Error::io("read", path, &error);
        let Some((file, facts)) = project.open_to_read(path)? else { return Ok(None) };
        if facts.identity != identity || facts.length < offset {
            return Ok(None);
        }
        let tail = tail_before(&file, offset).map_err(failed)?;
        Ok(Some(Self { identity, offset, tail }))
    }

    /// Feeds what has come since, and moves on; `false`, and nothing fed, where it is not the file that it was.
    ///
    /// # Errors
    /// `IO_ERROR`: then the place is lost.
    pub fn read_on(&mut self, project: &Project, path: &Path, mut each: impl FnMut(&[u8])) -> Result<bool> {
        let failed = |error: io::Error| Error::io("read", path, &error);
        let Some((file, facts)) = project.open_to_read(path)? else { return Ok(false) };
        if facts.identity != self.identity || facts.length < self.offset {
            return Ok(false);
        }
        if tail_before(&file, self.offset).map_err(failed)? != self.tail {
            return Ok(false);
        }
        if facts.length == self.offset {
            return Ok(true);
        }
        let mut tail = std::mem::take(&mut self.tail);
        read_range(&file, self.offset..u64::MAX, |chunk| {
            self.offset += chunk.len() as u64;
            tail.extend_from_slice(chunk);
            let surplus = tail.len().saturating_sub(usize::try_from(TAIL).unwrap_or(usize::MAX));
            tail.drain(..surplus);
            each(chunk);
        })
        .map_err(failed)?;
        self.tail = tail;
        Ok(true)
    }
}

fn tail_before(file: &File, offset: u64) -> io::Result<Vec<u8>> {
    let length = offset.min(TAIL);
    let mut tail = vec![0; usize::try_from(length).unwrap_or_default()];
    let mut filled = 0;
    while filled < tail.len() {
        match read_at(file, tail.get_mut(filled..).unwrap_or_default(), offset - length + filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    tail.truncate(filled);
    Ok(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    #[test]
    fn what_has_come_since_is_read_and_nothing_else() {
        let bench = Bench::new();
        bench.write("logs/log", "");
        let (project, path) = (bench.project(), bench.state("logs/log"));
        let append = |text: &str| {
            let opened = OpenOptions::new().append(true).create(true).open(&path);
            opened.and_then(|mut file| file.write_all(text.as_bytes())).expect("appended");
        };
        let place = |offset| {
            let (identity, _) = at(project, &path).expect("looked").expect("there");
            Place::after(project, &path, identity, offset).expect("read")
        };
        append("one\n");
        let mut there = place(4).expect("a place");
        let read = |from: &mut Place| {
            let mut text = Vec::new();
            from.read_on(project, &path, |chunk| text.extend_from_slice(chunk))
                .expect("read")
                .then(|| String::from_utf8(text).expect("UTF-8"))
        };
        assert_eq!(read(&mut there).as_deref(), Some(""));
        append("two\nthr");
        assert_eq!(read(&mut there).as_deref(), Some("two\nthr"));
        append(&"x".repeat(1000));
        assert_eq!(read(&mut there).map(|text| text.len()), Some(1000));
        append("end");
        assert_eq!(read(&mut there).as_deref(), Some("end"));
        // Cut, and grown again with other words.
        let before = there.clone();
        fs::write(&path, "one\n").expect("written");
        assert_eq!(read(&mut there), None);
        fs::write(&path, "y".repeat(5000)).expect("written");
        assert_eq!(read(&mut before.clone()), None);
        // Rotated: another file of this name, whatever is in it.
        let mut there = place(5000).expect("a place");
        fs::copy(&path, bench.state("logs/copy")).expect("copied");
        fs::rename(&path, bench.state("logs/log.1")).expect("renamed");
        assert_eq!(read(&mut there), None);
        fs::rename(bench.state("logs/copy"), &path).expect("renamed");
        assert_eq!(read(&mut there), None);
        assert_eq!(place(5001), None, "longer than it is");
    }
}
