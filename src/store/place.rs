//! Where a project is: the folder that was named, else the working directory or the nearest folder above it that has
//! Ralph's files, as git looks for its own.

use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::{Error, ErrorCode, Result};
use crate::options::Options;

/// The folder of the ralph layout (v0.10 and later).
pub const STATE_DIR: &str = ".ralph";

/// The files at a project's root that say: a flat (v0.9) layout.
pub const FLAT_MARKS: [&str; 3] = ["PROMPT.md", "@fix_plan.md", "@AGENT.md"];

/// The plans of the layouts, from a project's root.
const PLANS: [&str; 2] = [".ralph/fix_plan.md", "@fix_plan.md"];

/// The project directory, its links resolved. Only where none is named is looked above the working directory.
///
/// # Errors
/// `INVALID_PROJECT` where the named directory is none; `IO_ERROR` where it cannot be resolved.
pub fn find_root(options: &Options, environment: &Environment) -> Result<PathBuf> {
    let named = options.project_dir.clone().or_else(|| environment.get("RALPH_PROJECT_DIR").map(PathBuf::from));
    let start = named.clone().unwrap_or_else(|| PathBuf::from("."));
    if !start.is_dir() {
        return Err(no_directory(&start));
    }
    let start = start.canonicalize().map_err(|error| Error::io("resolve", &start, &error))?;
    if named.is_some() {
        return Ok(start);
    }
    let home = home_of(environment);
    let found = reachable(&start).find(|folder| is_project(folder, home.as_deref())).map(Path::to_owned);
    Ok(found.unwrap_or(start))
}

/// The nearest plan in a folder above a project's root: whoever works in `app/` has often left it one folder higher.
#[must_use]
pub fn plan_above(root: &Path) -> Option<PathBuf> {
    reachable(root).skip(1).flat_map(|folder| PLANS.map(|plan| folder.join(plan))).find(|plan| plan.is_file())
}

/// The error for a project directory that is none.
#[must_use]
pub fn no_directory(path: &Path) -> Error {
    Error::new(
        ErrorCode::InvalidProject,
        format!(
            "the project directory {} does not exist or is no directory; create it or pass another projectDir",
            path.display()
        ),
    )
}

/// A folder and those above it, as far as they are as trustworthy as it is: of the same owner, on the same file system,
/// and not for everybody to write to. In a folder such as `/tmp` anybody could leave a plan, or settings.
fn reachable(start: &Path) -> impl Iterator<Item = &Path> {
    let mark = mark(start);
    let above = start.ancestors().skip(1).take_while(move |folder| self::mark(folder).matches(&mark));
    std::iter::once(start).chain(above)
}

/// What makes two folders equally trustworthy.
#[derive(Debug, Default, PartialEq)]
struct Mark {
    owner: u32,
    file_system: u64,
    open_to_all: bool,
}

impl Mark {
    fn matches(&self, start: &Self) -> bool {
        !self.open_to_all && (self.owner, self.file_system) == (start.owner, start.file_system)
    }
}

#[cfg(unix)]
fn mark(folder: &Path) -> Mark {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = folder.metadata() else { return Mark { open_to_all: true, ..Mark::default() } };
    Mark { owner: metadata.uid(), file_system: metadata.dev(), open_to_all: metadata.mode() & 0o002 != 0 }
}

#[cfg(not(unix))]
fn mark(_: &Path) -> Mark {
    Mark::default()
}

/// Whether a folder has Ralph's files. An installed Ralph keeps its scripts in `~/.ralph`, which makes nobody's home a
/// project: there the plan itself must be.
fn is_project(folder: &Path, home: Option<&Path>) -> bool {
    if home.is_some_and(|home| home == folder) {
        return PLANS.iter().any(|plan| folder.join(plan).is_file());
    }
    folder.join(STATE_DIR).is_dir() || FLAT_MARKS.iter().any(|mark| folder.join(mark).is_file())
}

fn home_of(environment: &Environment) -> Option<PathBuf> {
    let home = environment.get("HOME").or_else(|| environment.get("USERPROFILE"))?;
    Path::new(home).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with these files below it; a name that ends in `/` is a folder.
    fn tree(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            let path = folder.path().join(name);
            let parent = if name.ends_with('/') { Some(path.as_path()) } else { path.parent() };
            fs::create_dir_all(parent.expect("below the folder")).expect("created");
            if !name.ends_with('/') {
                fs::write(path, "- [ ] x\n").expect("written");
            }
        }
        folder
    }

    #[test]
    fn the_nearest_folder_with_a_mark_is_the_project() {
        for (names, from, expected) in [
            (vec![".ralph/", "a/b/"], "a/b", ""),
            (vec![".ralph/", "a/.ralph/", "a/b/"], "a/b", "a"),
            (vec![".ralph/", "a/PROMPT.md"], "a", "a"),
            (vec!["@fix_plan.md", "a/b/"], "a/b", ""),
            (vec!["@AGENT.md/", ".ralph", "a/"], "a", "a"),
            (vec!["a/"], "a", "a"),
        ] {
            let folder = tree(&names);
            let start = folder.path().join(from);
            let found = reachable(&start).find(|folder| is_project(folder, None)).unwrap_or(&start);
            assert_eq!(found, folder.path().join(expected).components().as_path(), "{names:?}");
        }
    }

    #[test]
    fn an_installed_ralph_makes_no_project_of_a_home() {
        let folder = tree(&[".ralph/ralph_loop.sh"]);
        assert!(!is_project(folder.path(), Some(folder.path())));
        assert!(is_project(folder.path(), None));
        fs::write(folder.path().join(".ralph/fix_plan.md"), "").expect("written");
        assert!(is_project(folder.path(), Some(folder.path())));
    }

    #[test]
    fn a_named_directory_is_the_project_whatever_is_above_it() {
        let folder = tree(&[".ralph/fix_plan.md", "a/b/"]);
        let named = folder.path().join("a/b").canonicalize().expect("there");
        let options = Options { project_dir: Some(named.clone()), ..Options::default() };
        assert_eq!(find_root(&options, &Environment::default()), Ok(named.clone()));
        let environment = [("RALPH_PROJECT_DIR".to_owned(), named.display().to_string())].into_iter().collect();
        assert_eq!(find_root(&Options::default(), &environment), Ok(named.clone()));
        assert_eq!(plan_above(&named), Some(named.parent().and_then(Path::parent).expect("two up").join(".ralph/fix_plan.md")));
        assert_eq!(plan_above(folder.path()), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_for_everybody_or_of_somebody_else_ends_the_search() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tree(&[".ralph/", "a/b/"]);
        let start = folder.path().join("a/b");
        assert!(reachable(&start).any(|above| above == folder.path()));
        fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(0o777)).expect("allowed");
        assert_eq!(reachable(&start).collect::<Vec<_>>(), [start.as_path()]);
        let mine = Mark { owner: 1000, file_system: 1, open_to_all: false };
        assert!(!Mark { owner: 0, ..mark_of(&mine) }.matches(&mine));
        assert!(!Mark { file_system: 2, ..mark_of(&mine) }.matches(&mine));
        assert!(mark_of(&mine).matches(&mine));
    }

    #[cfg(unix)]
    fn mark_of(mark: &Mark) -> Mark {
        Mark { owner: mark.owner, file_system: mark.file_system, open_to_all: mark.open_to_all }
    }
}
