//! Folders on Unix: a descriptor, and the `*at` calls.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid};

use super::{Facts, FileTime, For, Identity, Kind, Refusal};

/// Where a folder can be held without the right to list it.
#[cfg(target_os = "linux")]
const HOLD: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const HOLD: OFlags = OFlags::RDONLY;

/// A folder held open.
#[derive(Debug)]
pub struct Folder {
    held: OwnedFd,
    identity: Identity,
}

impl Folder {
    /// Opens a folder, links followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::hold(fs::openat(CWD, path, HOLD | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Opens a folder in this one; a link is refused.
    ///
    /// # Errors
    /// What the system says.
    pub fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let flags = HOLD | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::hold(fs::openat(&self.held, name, flags, Mode::empty())?)
    }

    fn hold(held: OwnedFd) -> io::Result<Self> {
        let identity = told(&fs::fstat(&held)?).identity;
        Ok(Self { held, identity })
    }

    /// Which folder it is.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Whether this folder is still the one at `path`, links followed.
    ///
    /// # Errors
    /// What the system says, also where nothing is there any more.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        Ok(facts_at(path)?.identity == self.identity)
    }

    /// When an entry was last made, renamed or removed.
    ///
    /// # Errors
    /// What the system says.
    pub fn touched(&self) -> io::Result<FileTime> {
        Ok(told(&fs::fstat(&self.held)?).modified)
    }

    /// What stands at a name, a link not followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn look(&self, name: &OsStr) -> io::Result<Facts> {
        Ok(told(&fs::statat(&self.held, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Opens a file. A link is refused, a pipe not waited for. What is open may still be no regular file: ask [`facts`].
    ///
    /// # Errors
    /// What the system says; [`Refusal::Link`].
    pub fn file(&self, name: &OsStr, purpose: For) -> io::Result<File> {
        let always = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let open = |flags: OFlags| fs::openat(&self.held, name, flags | always, Mode::from_raw_mode(0o666));
        let opened = match purpose {
            For::Reading => open(OFlags::RDONLY),
            For::Writing => open(OFlags::RDWR),
            For::Appending => open(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE),
            For::AppendingToOld => open(OFlags::RDWR | OFlags::APPEND),
            For::Locking => match open(OFlags::RDWR | OFlags::CREATE) {
                Err(rustix::io::Errno::ACCESS | rustix::io::Errno::ROFS) => open(OFlags::RDONLY),
                opened => opened,
            },
        };
        match opened {
            Ok(file) => Ok(file.into()),
            // BSDs say EMLINK, NetBSD EFTYPE.
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::MLINK) => Err(Refusal::Link.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a file that must not be there yet.
    ///
    /// # Errors
    /// What the system says.
    pub fn make_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.held, name, flags, raw_mode(mode))?.into())
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// What the system says.
    pub fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.held, name, Mode::from_raw_mode(0o777))?)
    }

    /// Where a link leads, as it says itself.
    ///
    /// # Errors
    /// What the system says.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = fs::readlinkat(&self.held, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Renames a file over whatever has the other name.
    ///
    /// # Errors
    /// What the system says.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.held, from, &self.held, to)?)
    }

    /// Lets two files change their names, in one step.
    ///
    /// # Errors
    /// `Unsupported` where the system or the file system cannot; what else it says.
    pub fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::io::Errno;
            match fs::renameat_with(&self.held, one, &self.held, other, fs::RenameFlags::EXCHANGE) {
                Ok(()) => Ok(()),
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(io::ErrorKind::Unsupported.into()),
                Err(error) => Err(error.into()),
            }
        }
        #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
        {
            let _ = (one, other);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Gives a file a second name, which must be free.
    ///
    /// # Errors
    /// What the system says.
    pub fn link(&self, name: &OsStr, second: &OsStr) -> io::Result<()> {
        Ok(fs::linkat(&self.held, name, &self.held, second, AtFlags::empty())?)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.held, name, AtFlags::empty())?)
    }

    /// The names in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::new(self.listable()?)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// Brings its entries to the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(self.listable()?)?)
    }

    fn listable(&self) -> io::Result<OwnedFd> {
        Ok(fs::openat(&self.held, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }
}

/// What is known of an open file.
///
/// # Errors
/// What the system says.
pub fn facts(file: &File) -> io::Result<Facts> {
    Ok(told(&fs::fstat(file)?))
}

/// What stands at a path, links followed.
///
/// # Errors
/// What the system says.
pub fn facts_at(path: &Path) -> io::Result<Facts> {
    Ok(told(&fs::stat(path)?))
}

/// Gives a new file the owner, group and permission bits of the one that it replaces, as far as the system lets us
/// (case B8). Whether it now has that owner and group.
#[must_use]
pub fn give(file: &File, new: &Facts, old: &Facts) -> bool {
    let mut kept = new.owner == old.owner;
    let mut mode = new.mode;
    if !kept {
        // The group alone, where the owner is not ours to give.
        let (owner, group) = (Uid::from_raw(old.owner.0), Gid::from_raw(old.owner.1));
        kept = fs::fchown(file, Some(owner), Some(group)).is_ok();
        if !kept && new.owner.1 != old.owner.1 {
            let _ = fs::fchown(file, None, Some(group));
        }
        // The system takes set-user-ID bits away from a file that is given away.
        mode = u32::MAX;
    }
    if mode != old.mode {
        let _ = fs::fchmod(file, raw_mode(old.mode));
    }
    kept
}

/// Gives a new file the extended attributes of the one that it replaces, access lists among them, as far as the system
/// lets us.
pub fn give_attributes(old: &File, new: &File) {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        let mut names = [0; 4096];
        let Ok(length) = fs::flistxattr(old, &mut names) else { return };
        for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let mut value = [0; 4096];
            let Ok(length) = fs::fgetxattr(old, name, &mut value) else { continue };
            let _ = fs::fsetxattr(new, name, value.get(..length).unwrap_or_default(), fs::XattrFlags::empty());
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    let _ = (old, new);
}

#[allow(clippy::cast_possible_truncation, reason = "a mode has 16 bits at most, and some systems' type has no more")]
fn raw_mode(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as fs::RawMode)
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_lossless,
    clippy::useless_conversion,
    reason = "the fields' types differ from system to system; identities keep all their bits, and nanoseconds are fewer than 2^30"
)]
fn told(stat: &Stat) -> Facts {
    Facts {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        },
        identity: Identity { device: stat.st_dev as u64, number: stat.st_ino as u64 },
        length: u64::try_from(stat.st_size).unwrap_or(0),
        modified: FileTime { seconds: stat.st_mtime as i64, nanoseconds: stat.st_mtime_nsec as u32 },
        names: stat.st_nlink as u64,
        owner: (stat.st_uid, stat.st_gid),
        mode: (stat.st_mode as u32) & 0o7777,
    }
}
