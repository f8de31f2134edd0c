//! The same promises from both kinds of folder.

macro_rules! promises {
    ($kind:ident) => {
        mod $kind {
            use crate::store::folder::$kind::{Folder, facts, facts_at, give, give_attributes};
            use crate::store::folder::{FileTime, For, Kind, Refusal, refusal};
            use std::ffi::OsStr;
            use std::fs;
            use std::io::{self, Read, Write};

            fn name(name: &str) -> &OsStr {
                OsStr::new(name)
            }

            #[test]
            fn files_are_made_looked_at_renamed_and_removed() {
                let scratch = tempfile::tempdir().expect("a folder");
                let folder = Folder::open(scratch.path()).expect("opened");
                let mut made = folder.make_file(name("a"), 0o666).expect("made");
                made.write_all(b"one").expect("written");
                assert_eq!(facts(&made).expect("known").length, 3);
                let again = folder.make_file(name("a"), 0o666).expect_err("it is there");
                assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
                folder.rename(name("a"), name("b")).expect("renamed");
                assert_eq!(folder.look(name("a")).expect_err("gone").kind(), io::ErrorKind::NotFound);
                let looked = folder.look(name("b")).expect("there");
                assert_eq!((looked.kind, looked.length), (Kind::File, 3));
                assert!(looked.modified.instant().is_some());
                folder.link(name("b"), name("c")).expect("linked");
                folder.make_folder(name("d")).expect("made");
                let mut names = folder.names().expect("listed");
                names.sort();
                assert_eq!(names, ["b", "c", "d"]);
                folder.remove(name("c")).expect("removed");
                folder.sync().expect("synced");
                let mut text = String::new();
                folder.file(name("b"), For::Reading).and_then(|mut file| file.read_to_string(&mut text)).expect("read");
                assert_eq!(text, "one");
                let other = folder.make_file(name("other"), 0o666).and_then(|file| facts(&file)).expect("known");
                assert!(give(&made, &facts(&made).expect("known"), &other), "the owner is the same");
                give_attributes(&made, &made);
                match folder.exchange(name("other"), name("b")) {
                    Ok(()) => assert_eq!(folder.look(name("other")).expect("there").length, 3),
                    Err(error) => assert_eq!(error.kind(), io::ErrorKind::Unsupported),
                }
                for (purpose, answer) in [
                    (For::Reading, false),
                    (For::Writing, false),
                    (For::AppendingToOld, false),
                    (For::Appending, true),
                    (For::Locking, true),
                ] {
                    assert_eq!(folder.file(name("new"), purpose).is_ok(), answer, "{purpose:?}");
                }
            }

            #[test]
            fn a_folder_is_told_from_what_replaces_it() {
                let scratch = tempfile::tempdir().expect("a folder");
                let path = scratch.path().join("state");
                fs::create_dir(&path).expect("made");
                let folder = Folder::open(&path).expect("opened");
                assert!(folder.is_at(&path).expect("there"));
                assert_eq!(facts_at(&path).expect("there").identity, folder.identity());
                let before = folder.touched().expect("known");
                fs::rename(&path, scratch.path().join("aside")).expect("renamed");
                assert_eq!(folder.is_at(&path).expect_err("gone").kind(), io::ErrorKind::NotFound);
                fs::create_dir(&path).expect("made");
                // Where folders are paths, the new one is simply used.
                assert_eq!(folder.is_at(&path).expect("there"), stringify!($kind) == "portable");
                assert!(before > FileTime { seconds: 0, nanoseconds: 0 });
                fs::write(scratch.path().join("file"), "").expect("written");
                assert!(Folder::open(&scratch.path().join("file")).is_err());
                assert!(Folder::open(scratch.path()).expect("opened").folder(name("file")).is_err());
            }

            #[cfg(unix)]
            #[test]
            fn links_and_pipes_are_refused_and_waited_for_by_nobody() {
                let scratch = tempfile::tempdir().expect("a folder");
                let folder = Folder::open(scratch.path()).expect("opened");
                std::os::unix::fs::symlink("target", scratch.path().join("link")).expect("linked");
                std::os::unix::fs::symlink(".", scratch.path().join("here")).expect("linked");
                for purpose in [For::Reading, For::Writing, For::Appending, For::Locking] {
                    let error = folder.file(name("link"), purpose).expect_err("a link");
                    assert_eq!(refusal(&error), Some(Refusal::Link), "{purpose:?} {error}");
                }
                assert!(!scratch.path().join("target").exists());
                assert_eq!(folder.link_target(name("link")).expect("a link"), std::path::Path::new("target"));
                assert!(folder.folder(name("here")).is_err());
                rustix::fs::mknodat(rustix::fs::CWD, scratch.path().join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
                    .expect("a pipe");
                for purpose in [For::Reading, For::Writing, For::Appending, For::Locking] {
                    let opened = folder.file(name("pipe"), purpose);
                    assert!(
                        opened.is_err() || opened.is_ok_and(|file| facts(&file).is_ok_and(|facts| facts.kind == Kind::Other))
                    );
                }
            }
        }
    };
}

promises!(portable);
#[cfg(unix)]
promises!(unix);

#[test]
fn a_time_that_no_calendar_has_is_none() {
    use super::FileTime;
    for (seconds, is_one) in [(0, true), (-1, true), (1_772_366_400, true), (9_000_000_000_000_000, false), (i64::MIN, false)] {
        assert_eq!(FileTime { seconds, nanoseconds: 0 }.instant().is_some(), is_one, "{seconds}");
    }
}
