//! Following links by ourselves, name by name and each folder held open: what is reached lies inside, however somebody
//! turns links about in the meantime (cases B5, B6).

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::folder::{Facts, Folder, For, Kind, Refusal, facts, refusal};

/// More links than this in one path are a circle.
const MOST_LINKS: usize = 40;

/// How often a path is walked again because a name in it became something else on the way.
const WALKS: usize = 16;

/// Why a path leads to no file inside.
#[derive(Debug)]
pub enum Lost {
    /// Nothing is there.
    Missing,
    /// It leads out of the base.
    Outside,
    /// The system refused.
    System(io::Error),
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Missing } else { Self::System(error) }
    }
}

/// A folder that nothing leads out of.
#[derive(Debug, Clone)]
pub struct Base {
    folder: Arc<Folder>,
    /// Its path, all links resolved.
    path: PathBuf,
}

/// A name in a folder, all links before it resolved. What stands there is no link, or nothing.
#[derive(Debug)]
pub struct Place {
    /// The folder.
    pub folder: Arc<Folder>,
    /// The name in it.
    pub name: OsString,
    /// The same as a path from the base.
    pub path: PathBuf,
}

impl Base {
    /// Opens a folder as the base.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(Self { folder: Arc::new(Folder::open(&path)?), path })
    }

    /// Its path, all links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The place that a path (from the base, or absolute) leads to.
    ///
    /// # Errors
    /// [`Lost`]; `Missing` where a folder on the way is.
    pub fn place(&self, path: &Path) -> Result<Place, Lost> {
        let mut todo = Vec::new();
        self.push(&mut todo, path)?;
        let mut way: Vec<(Arc<Folder>, OsString)> = Vec::new();
        let mut links = 0;
        while let Some(part) = todo.pop() {
            if part == ".." {
                if way.pop().is_none() {
                    // Out of the base, and perhaps in again.
                    let above = self.path.parent().ok_or(Lost::Outside)?;
                    let around: PathBuf = above.iter().map(OsString::from).chain(todo.drain(..).rev()).collect();
                    self.push(&mut todo, &around)?;
                }
                continue;
            }
            let here = way.last().map_or(&self.folder, |(folder, _)| folder);
            let kind = match here.look(&part) {
                Ok(facts) => Some(facts.kind),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(Lost::System(error)),
            };
            match kind {
                Some(Kind::Link) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(Lost::System(Refusal::Circle.into()));
                    }
                    let target = here.link_target(&part)?;
                    if target.is_absolute() {
                        way.clear();
                    }
                    self.push(&mut todo, &target)?;
                }
                _ if todo.is_empty() => {
                    let path = way.iter().map(|(_, name)| name).chain([&part]).collect();
                    return Ok(Place { folder: Arc::clone(here), name: part, path });
                }
                None => return Err(missing(&todo, way.len())),
                Some(_) => {
                    let next = Arc::new(here.folder(&part)?);
                    way.push((next, part));
                }
            }
        }
        // The base itself, or a folder by `a/..`.
        Err(Lost::System(Refusal::NoFile.into()))
    }

    /// Opens the regular file that a path leads to.
    ///
    /// # Errors
    /// [`Lost`]; [`Refusal`] where it is no regular file.
    pub fn file(&self, path: &Path, purpose: For) -> Result<(File, Facts, Place), Lost> {
        for _ in 0..WALKS {
            let place = self.place(path)?;
            match open_regular(&place.folder, &place.name, purpose) {
                // It was no link a moment ago.
                Err(error) if refusal(&error) == Some(Refusal::Link) => {}
                Ok((file, facts)) => return Ok((file, facts, place)),
                Err(error) => return Err(error.into()),
            }
        }
        Err(Lost::System(Refusal::Circle.into()))
    }

    /// Opens the folder that a path leads to.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn folder(&self, path: &Path) -> Result<Arc<Folder>, Lost> {
        for _ in 0..WALKS {
            let place = self.place(path)?;
            match place.folder.folder(&place.name) {
                Err(error) if refusal(&error) == Some(Refusal::Link) => {}
                opened => return Ok(Arc::new(opened?)),
            }
        }
        Err(Lost::System(Refusal::Circle.into()))
    }

    /// The parts of a path from the base, the last first.
    fn push(&self, todo: &mut Vec<OsString>, path: &Path) -> Result<(), Lost> {
        let below = if path.is_absolute() { self.below(path)? } else { path.to_owned() };
        let parts = below.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        });
        todo.extend(parts);
        Ok(())
    }

    /// An absolute path from the base on. It may name the base by a link.
    fn below(&self, path: &Path) -> Result<PathBuf, Lost> {
        if let Ok(below) = path.strip_prefix(&self.path) {
            return Ok(below.to_owned());
        }
        let named = path.ancestors().find_map(|named| {
            let resolved = named.canonicalize().ok()?;
            let below = resolved.strip_prefix(&self.path).ok()?.to_owned();
            Some(below.join(path.strip_prefix(named).ok()?))
        });
        named.ok_or(Lost::Outside)
    }
}

/// Nothing is there; or, had it been there, the rest of the path would have led out.
fn missing(rest: &[OsString], depth: usize) -> Lost {
    let mut depth = depth + 1;
    for part in rest.iter().rev() {
        if part != ".." {
            depth += 1;
        } else if depth == 0 {
            return Lost::Outside;
        } else {
            depth -= 1;
        }
    }
    Lost::Missing
}

/// Opens what stands at a name, if it is a regular file.
///
/// # Errors
/// [`Refusal`] for a link and for anything else that is no file; what the system says.
pub fn open_regular(folder: &Folder, name: &OsStr, purpose: For) -> io::Result<(File, Facts)> {
    let file = match folder.file(name, purpose) {
        Ok(file) => file,
        // A socket, a pipe without a reader, a folder that is to be written: they are what they are, also unopened.
        Err(error) => {
            let is_none = matches!(folder.look(name), Ok(Facts { kind: Kind::Other | Kind::Folder, .. }));
            return Err(if is_none { Refusal::NoFile.into() } else { error });
        }
    };
    let facts = facts(&file)?;
    if facts.kind == Kind::File { Ok((file, facts)) } else { Err(Refusal::NoFile.into()) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    #[test]
    fn links_are_followed_as_far_as_they_stay_inside() {
        let scratch = tempfile::tempdir().expect("a folder");
        let root = scratch.path().join("project");
        fs::create_dir_all(root.join("a/b")).expect("made");
        fs::write(root.join("a/b/file"), "inside").expect("written");
        fs::write(scratch.path().join("secret"), "outside").expect("written");
        let link = |target: &str, name: &str| symlink(target, root.join(name)).expect("linked");
        link("a/b", "folder");
        link("folder/file", "twice");
        link(root.join("a/b/file").to_str().expect("a path"), "absolute");
        link("a/b/../b/file", "up");
        link("../project/a/b/file", "out-and-in");
        link("../secret", "out");
        link("/etc/passwd", "far");
        link("..", "parent");
        link("circle", "circle");
        link("nowhere", "dangling");
        symlink(&root, scratch.path().join("by-link")).expect("linked");
        let base = Base::open(&root).expect("opened");
        let read = |path: &str| {
            base.file(Path::new(path), For::Reading).map(|(mut file, _, place)| {
                let mut text = String::new();
                file.read_to_string(&mut text).expect("read");
                (text, place.path)
            })
        };
        for path in ["a/b/file", "folder/file", "twice", "absolute", "up", "./a/./b/file", "out-and-in", "../project/twice"] {
            let (text, resolved) = read(path).expect(path);
            assert_eq!((text.as_str(), resolved.as_path()), ("inside", Path::new("a/b/file")), "{path}");
        }
        let by_link = scratch.path().join("by-link/twice");
        assert_eq!(read(by_link.to_str().expect("a path")).expect("the base by another name").0, "inside");
        for path in ["out", "far", "parent/secret", "../secret", "/etc/passwd", "a/../../secret", "missing/../../x"] {
            assert!(matches!(read(path), Err(Lost::Outside)), "{path}");
        }
        for path in ["missing", "missing/too", "dangling", "a/missing"] {
            assert!(matches!(read(path), Err(Lost::Missing)), "{path}");
        }
        for path in ["circle", "a", "folder", "."] {
            assert!(matches!(read(path), Err(Lost::System(_))), "{path}");
        }
    }

    /// Case B6.
    #[test]
    fn a_link_that_is_turned_about_never_leads_outside() {
        let scratch = tempfile::tempdir().expect("a folder");
        let root = scratch.path().join("project");
        fs::create_dir_all(root.join("real")).expect("made");
        fs::create_dir_all(scratch.path().join("theirs")).expect("made");
        fs::write(root.join("real/file"), "inside").expect("written");
        fs::write(scratch.path().join("theirs/file"), "outside").expect("written");
        symlink("real", root.join("way")).expect("linked");
        let (base, done) = (Base::open(&root).expect("opened"), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                for target in ["real", "../theirs"].iter().cycle() {
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                    let _ = fs::remove_file(root.join("turning"));
                    symlink(target, root.join("turning")).expect("linked");
                    fs::rename(root.join("turning"), root.join("way")).expect("turned");
                }
            });
            for _ in 0..3000 {
                if let Ok((mut file, ..)) = base.file(Path::new("way/file"), For::Reading) {
                    let mut text = String::new();
                    file.read_to_string(&mut text).expect("read");
                    assert_eq!(text, "inside");
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
