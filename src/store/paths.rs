//! Paths that callers and links give: inside the project, and a regular file.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorCode, Result};

/// The file that `path` (relative to `root`, or absolute) leads to once all links are resolved.
///
/// # Errors
/// `OUTSIDE_PROJECT` where that is not below `root`; `IO_ERROR` where it is no regular file or cannot be looked at; a
/// missing file is `Ok(None)`.
pub fn regular_file_inside(root: &Path, path: &Path) -> Result<Option<PathBuf>> {
    let joined = root.join(path);
    let resolved = match joined.canonicalize() {
        Ok(resolved) => resolved,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if leads_outside(&joined, root) { Err(outside(path, root)) } else { Ok(None) };
        }
        Err(error) => return Err(Error::io("resolve", &joined, &error)),
    };
    let home = root.canonicalize().map_err(|error| Error::io("resolve", root, &error))?;
    if !resolved.starts_with(&home) {
        return Err(outside(path, root));
    }
    let metadata = fs::metadata(&resolved).map_err(|error| Error::io("look at", &resolved, &error))?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorCode::IoError, format!("{} is no regular file; name a file", resolved.display())));
    }
    Ok(Some(resolved))
}

/// Whether a path that does not exist would lie outside: by its names, or by its deepest folder that does exist.
fn leads_outside(path: &Path, root: &Path) -> bool {
    let Ok(home) = root.canonicalize() else { return true };
    let mut named = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(named.pop()),
            Component::CurDir => {}
            part => named.push(part),
        }
    }
    !named.starts_with(root)
        || named.ancestors().find_map(|folder| folder.canonicalize().ok()).is_none_or(|folder| !folder.starts_with(&home))
}

fn outside(path: &Path, root: &Path) -> Error {
    Error::new(
        ErrorCode::OutsideProject,
        format!("{} leads out of the project {}; use a path inside it", path.display(), root.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_inside_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("logs")).expect("made");
        fs::write(root.join("logs/a.log"), "x").expect("written");
        fs::write(folder.path().join("secret"), "x").expect("written");
        let code = |path: &str| regular_file_inside(&root, Path::new(path)).map_err(|error| error.code());
        assert!(matches!(code("logs/a.log"), Ok(Some(_))));
        assert!(matches!(code("./logs/../logs/a.log"), Ok(Some(_))));
        assert_eq!(code("missing"), Ok(None));
        assert_eq!(code("missing/too"), Ok(None));
        assert_eq!(code("missing/../also"), Ok(None));
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
        assert_eq!(regular_file_inside(&root, Path::new("out")).map_err(|error| error.code()), Err(ErrorCode::OutsideProject));
        assert!(regular_file_inside(&root, Path::new("in")).expect("inside").is_some_and(|path| path.ends_with("real")));
    }
}
