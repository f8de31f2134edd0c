//! Folders where there are no descriptors of them: paths. Between two calls the folder may be another; what the system
//! itself refuses while a file is open (Windows) stands in for that.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Facts, FileTime, For, Identity, Kind, Refusal};

/// How long another program's open file is waited for (case P2): virus scanners, and readers that do not share.
const OTHERS: Duration = Duration::from_secs(2);

/// Windows: "access is denied", which is also what it says of a file that is open elsewhere, and "used by another process".
const BUSY: [i32; 2] = [5, 32];

/// A folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

#[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the interface is that of the other systems")]
impl Folder {
    /// Opens a folder, links followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Opens a folder in this one; a link is refused.
    ///
    /// # Errors
    /// What the system says.
    pub fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.path.join(name);
        match self.look(name)?.kind {
            Kind::Folder => Ok(Self { path }),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Which folder it is: not told.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity { device: 0, number: 0 }
    }

    /// Whether this folder is still the one at `path`: whichever is there now is used.
    ///
    /// # Errors
    /// What the system says, also where nothing is there any more.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::metadata(path)?.is_dir() && self.path == path)
    }

    /// When an entry was last made, renamed or removed.
    ///
    /// # Errors
    /// What the system says.
    pub fn touched(&self) -> io::Result<FileTime> {
        Ok(told(&fs::metadata(&self.path)?).modified)
    }

    /// What stands at a name, a link not followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn look(&self, name: &OsStr) -> io::Result<Facts> {
        Ok(told(&fs::symlink_metadata(self.path.join(name))?))
    }

    /// Opens a file. A link is refused. What is open may still be no regular file: ask [`facts`].
    ///
    /// # Errors
    /// What the system says; [`Refusal`].
    pub fn file(&self, name: &OsStr, purpose: For) -> io::Result<File> {
        match self.look(name) {
            Ok(Facts { kind: Kind::Link, .. }) => return Err(Refusal::Link.into()),
            Ok(Facts { kind: Kind::Other | Kind::Folder, .. }) => return Err(Refusal::NoFile.into()),
            _ => {}
        }
        let mut how = OpenOptions::new();
        match purpose {
            For::Reading => how.read(true),
            For::Writing => how.read(true).write(true),
            For::Appending => how.read(true).append(true).create(true),
            For::AppendingToOld => how.read(true).append(true),
            For::Locking => how.read(true).write(true).create(true).truncate(false),
        };
        // Nobody may remove or rename a lock that is held.
        #[cfg(windows)]
        if purpose == For::Locking {
            std::os::windows::fs::OpenOptionsExt::share_mode(&mut how, 3);
        }
        patiently(|| how.open(self.path.join(name)))
    }

    /// Makes a file that must not be there yet.
    ///
    /// # Errors
    /// What the system says.
    pub fn make_file(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.path.join(name))
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// What the system says.
    pub fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.path.join(name))
    }

    /// Where a link leads, as it says itself.
    ///
    /// # Errors
    /// What the system says.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.path.join(name))
    }

    /// Renames a file over whatever has the other name. A file that may only be read can be replaced all the same, as on
    /// Unix (case P3), and stays so.
    ///
    /// # Errors
    /// What the system says.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (self.path.join(from), self.path.join(to));
        let read_only = fs::metadata(&to).ok().map(|metadata| metadata.permissions()).filter(fs::Permissions::readonly);
        if let Some(permissions) = &read_only {
            fs::set_permissions(&to, writable(permissions.clone()))?;
        }
        let renamed = patiently(|| fs::rename(&from, &to));
        if let Some(permissions) = read_only {
            let _ = fs::set_permissions(&to, permissions);
        }
        renamed
    }

    /// Lets two files change their names: not here.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn exchange(&self, _one: &OsStr, _other: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives a file a second name, which must be free.
    ///
    /// # Errors
    /// What the system says.
    pub fn link(&self, name: &OsStr, second: &OsStr) -> io::Result<()> {
        fs::hard_link(self.path.join(name), self.path.join(second))
    }

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        let path = self.path.join(name);
        if let Some(permissions) = fs::metadata(&path).ok().map(|found| found.permissions()).filter(fs::Permissions::readonly) {
            fs::set_permissions(&path, writable(permissions))?;
        }
        patiently(|| fs::remove_file(&path))
    }

    /// The names in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.path)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Brings its entries to the disk: the system does.
    ///
    /// # Errors
    /// None.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What is known of an open file.
///
/// # Errors
/// What the system says.
pub fn facts(file: &File) -> io::Result<Facts> {
    Ok(told(&file.metadata()?))
}

/// What stands at a path, links followed.
///
/// # Errors
/// What the system says.
pub fn facts_at(path: &Path) -> io::Result<Facts> {
    Ok(told(&fs::metadata(path)?))
}

/// Owner, group and mode: the folder's rules give them. A file that may only be read stays so by [`Folder::rename`].
#[must_use]
pub fn give(_file: &File, _new: &Facts, _old: &Facts) -> bool {
    true
}

/// Extended attributes: there are none to be given.
pub fn give_attributes(_old: &File, _new: &File) {}

#[allow(clippy::permissions_set_readonly_false, reason = "on Unix, where it would mean everybody, this is for tests alone")]
fn writable(mut permissions: fs::Permissions) -> fs::Permissions {
    permissions.set_readonly(false);
    permissions
}

/// Tries again for as long as another program has the file open.
fn patiently<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match attempt() {
            Err(error) if cfg!(windows) && is_busy(&error) && start.elapsed() < OTHERS => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            answer => return answer,
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| BUSY.contains(&code))
}

fn told(metadata: &Metadata) -> Facts {
    let file_type = metadata.file_type();
    let kind = if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Other
    };
    Facts {
        kind,
        identity: Identity { device: 0, number: 0 },
        length: metadata.len(),
        modified: metadata.modified().map_or(FileTime { seconds: 0, nanoseconds: 0 }, FileTime::from),
        names: 1,
        owner: (0, 0),
        mode: if metadata.permissions().readonly() { 0 } else { 0o200 },
    }
}
