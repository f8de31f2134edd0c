//! Paths that callers give: inside the project, and a regular file.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::folder::{Facts, For, Refusal, refusal};
use super::inside::{Base, Lost};
use crate::error::{Error, ErrorCode, Result};

/// A regular file inside a project, open for reading.
#[derive(Debug)]
pub struct Inside {
    /// The file.
    pub file: File,
    /// What is known of it.
    pub facts: Facts,
    /// Its path, all links resolved.
    pub path: PathBuf,
}

/// Opens the file that `path` (relative to `root`, or absolute) leads to once all links are resolved.
///
/// # Errors
/// `OUTSIDE_PROJECT` where that is not below `root`; `IO_ERROR` where it is no regular file or cannot be opened; a
/// missing file is `Ok(None)`.
pub fn open_inside(root: &Path, path: &Path) -> Result<Option<Inside>> {
    let base = Base::open(root).map_err(|error| Error::io("resolve", root, &error))?;
    match base.file(path, For::Reading) {
        Ok((file, facts, place)) => Ok(Some(Inside { file, facts, path: base.path().join(place.path) })),
        Err(Lost::Missing) => Ok(None),
        Err(Lost::Outside) => Err(outside(path, root)),
        Err(Lost::System(error)) if refusal(&error) == Some(Refusal::NoFile) => {
            Err(Error::new(ErrorCode::IoError, format!("{} is no regular file; name a file", root.join(path).display())))
        }
        Err(Lost::System(error)) => Err(Error::io("open", &root.join(path), &error)),
    }
}

/// `OUTSIDE_PROJECT`.
pub(super) fn outside(path: &Path, root: &Path) -> Error {
    Error::new(
        ErrorCode::OutsideProject,
        format!("{} leads out of the project {}; use a path inside it", path.display(), root.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_regular_files_inside_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("logs")).expect("made");
        fs::write(root.join("logs/a.log"), "x").expect("written");
        fs::write(folder.path().join("secret"), "x").expect("written");
        let code = |path: &str| open_inside(&root, Path::new(path)).map(|found| found.is_some()).map_err(|error| error.code());
        assert!(code("logs/a.log") == Ok(true));
        assert!(code("./logs/../logs/a.log") == Ok(true));
        assert_eq!(code("missing"), Ok(false));
        assert_eq!(code("missing/too"), Ok(false));
        assert_eq!(code("missing/../also"), Ok(false));
        assert_eq!(code("missing/../../secret"), Err(ErrorCode::OutsideProject));
        assert_eq!(code("../secret"), Err(ErrorCode::OutsideProject));
        assert_eq!(code("../missing"), Err(ErrorCode::OutsideProject));
        assert_eq!(code("/etc/passwd"), Err(ErrorCode::OutsideProject));
        assert_eq!(code("logs"), Err(ErrorCode::IoError));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_resolved_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(&root).expect("made");
        fs::write(folder.path().join("secret"), "x").expect("written");
        fs::write(root.join("real"), "x").expect("written");
        std::os::unix::fs::symlink("../secret", root.join("out")).expect("linked");
        std::os::unix::fs::symlink("real", root.join("in")).expect("linked");
        assert_eq!(
            open_inside(&root, Path::new("out")).map(|_| ()).map_err(|error| error.code()),
            Err(ErrorCode::OutsideProject)
        );
        assert!(open_inside(&root, Path::new("in")).expect("inside").is_some_and(|found| found.path.ends_with("real")));
    }
}
