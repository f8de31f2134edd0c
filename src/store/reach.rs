//! Reaching the files of Ralph's that are not directly in the state directory: its logs, and the log that an option names.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

use super::folder::{Facts, Folder, For, Kind, Refusal, refusal};
use super::home::Home;
use super::inside::{Base, Lost, open_regular};
use super::paths::outside;
use super::project::Project;
use crate::error::{Error, ErrorCode, Result};

impl Project {
    /// What links of Ralph's own files may not lead out of: the project; or the state directory, where that is itself a
    /// link to a place of its own.
    pub(super) fn base_of(&self, home: Option<&Home>) -> io::Result<Base> {
        Base::open(if home.is_some_and(Home::linked) { self.state_dir() } else { self.root() })
    }

    /// Opens one of Ralph's logs for reading; `None` where it is not there. Below the state directory links must stay
    /// inside the project; the log that the option `logFile` names may be anywhere.
    ///
    /// # Errors
    /// `OUTSIDE_PROJECT`; `IO_ERROR`, also where it is no regular file.
    pub fn open_to_read(&self, path: &Path) -> Result<Option<(File, Facts)>> {
        let home = self.home()?;
        let opened = self.folder_below(home.as_ref(), path, false);
        match opened.and_then(|(folder, name)| self.file_below(home.as_deref(), &folder, name, path, For::Reading)) {
            Ok(opened) => Ok(Some(opened)),
            Err(Lost::Missing) => Ok(None),
            Err(lost) => Err(self.lost("read", path, lost)),
        }
    }

    /// Opens one of Ralph's logs for appending, and makes it and its folder; and the folder that it is in.
    ///
    /// # Errors
    /// As [`Project::open_to_read`].
    pub(super) fn open_to_append(&self, home: &Arc<Home>, path: &Path) -> Result<(File, Facts, Arc<Folder>)> {
        let opened = self.folder_below(Some(home), path, true).and_then(|(folder, name)| {
            let (file, facts) = self.file_below(Some(home), &folder, name, path, For::Appending)?;
            Ok((file, facts, folder))
        });
        opened.map_err(|lost| self.lost("append to", path, lost))
    }

    fn lost(&self, tried: &str, path: &Path, lost: Lost) -> Error {
        match lost {
            Lost::Outside => outside(path, self.root()),
            Lost::Missing => {
                Error::new(ErrorCode::IoError, format!("{} is a link that leads nowhere; remove it", path.display()))
            }
            Lost::System(error) if refusal(&error) == Some(Refusal::NoFile) => {
                Error::new(ErrorCode::IoError, format!("{} is no regular file; move it away", path.display()))
            }
            Lost::System(error) => Error::io(tried, path, &error),
        }
    }

    /// The folder of a path, and the name in it.
    fn folder_below<'p>(&self, home: Option<&Arc<Home>>, path: &'p Path, make: bool) -> Result<(Arc<Folder>, &'p OsStr), Lost> {
        let name = path.file_name().ok_or_else(|| Lost::System(io::ErrorKind::InvalidInput.into()))?;
        let parent = path.parent().unwrap_or(Path::new("."));
        let Ok(below) = parent.strip_prefix(self.state_dir()) else {
            if make {
                fs::create_dir_all(parent)?;
            }
            return Ok((Arc::new(Folder::open(parent)?), name));
        };
        let home = home.ok_or(Lost::Missing)?;
        let mut folder = Arc::clone(home.folder());
        for part in below.components() {
            let Component::Normal(part) = part else { return Ok((self.base_of(Some(home))?.folder(parent)?, name)) };
            folder = match folder.folder(part) {
                Ok(next) => Arc::new(next),
                Err(error) if error.kind() == io::ErrorKind::NotFound && make => match folder.make_folder(part) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(Lost::System(error)),
                    _ => Arc::new(folder.folder(part)?),
                },
                Err(_) if folder.look(part).is_ok_and(|facts| facts.kind == Kind::Link) => {
                    return Ok((self.base_of(Some(home))?.folder(parent)?, name));
                }
                Err(error) => return Err(error.into()),
            };
        }
        Ok((folder, name))
    }

    /// The file of a name in a folder. Where the name is a link, it is followed: inside, or wherever the option led.
    fn file_below(
        &self,
        home: Option<&Home>,
        folder: &Folder,
        name: &OsStr,
        path: &Path,
        purpose: For,
    ) -> Result<(File, Facts), Lost> {
        match open_regular(folder, name, purpose) {
            Err(error) if refusal(&error) == Some(Refusal::Link) => {
                if path.starts_with(self.state_dir()) {
                    // What a link leads to is not made.
                    let purpose = if purpose == For::Appending { For::AppendingToOld } else { purpose };
                    return self.base_of(home)?.file(path, purpose).map(|(file, facts, _)| (file, facts));
                }
                let resolved = path.canonicalize()?;
                let parent = Folder::open(resolved.parent().unwrap_or(Path::new("/")))?;
                Ok(open_regular(&parent, resolved.file_name().unwrap_or_default(), purpose)?)
            }
            opened => Ok(opened?),
        }
    }
}
