//! Which process a state file belongs to, and whether it still runs. A number alone does not say: numbers are given again,
//! and another machine or container has its own.

use std::fs;

use serde::{Deserialize, Serialize};

/// A process, as far as this machine can tell it from others. What a system does not say is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProcessMark {
    /// Its number.
    pub pid: u32,
    /// The machine's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// The start of the machine, and the space in which the number counts (Linux).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub boot: String,
    /// When the process began, in the kernel's own count (Linux).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub began: String,
}

/// Whether a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It does.
    Runs,
    /// It does not.
    Gone,
    /// It belongs to another machine or container, or the system does not tell.
    Unknown,
}

impl ProcessMark {
    /// The mark of a process of this machine.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        Self { pid, host: host(), boot: boot(), began: Stat::of(pid).map_or_else(String::new, |stat| stat.began) }
    }

    /// Whether that very process runs.
    #[must_use]
    pub fn life(&self) -> Life {
        if self.pid == 0 {
            return Life::Unknown;
        }
        if self.host != host() {
            return Life::Unknown;
        }
        let (then, now) = (self.boot.split_once(' '), boot());
        match (then, now.split_once(' ')) {
            // The same machine was started again: nothing of then runs.
            (Some((start, _)), Some((started, _))) if start != started => return Life::Gone,
            (Some((_, space)), Some((_, ours))) if space != ours => return Life::Unknown,
            _ => {}
        }
        match (exists(self.pid), Stat::of(self.pid)) {
            (None, _) => Life::Unknown,
            (Some(false), _) => Life::Gone,
            (Some(true), Some(stat)) if stat.ended || !(self.began.is_empty() || stat.began == self.began) => Life::Gone,
            (Some(true), _) => Life::Runs,
        }
    }
}

/// A line that the kernel tells.
fn told(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn boot() -> String {
    let space = fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().replace(' ', "")).unwrap_or_default();
    told("/proc/sys/kernel/random/boot_id").map_or_else(String::new, |start| format!("{start} {space}"))
}

/// What Linux tells of a process.
struct Stat {
    /// When it began.
    began: String,
    /// Whether it has ended, and only nobody has asked how.
    ended: bool,
}

impl Stat {
    /// The 3rd and the 22nd field of `/proc/<pid>/stat`, counted behind the program's name, which may hold anything.
    fn of(pid: u32) -> Option<Self> {
        let stat = told(&format!("/proc/{pid}/stat"))?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let ended = matches!(fields.next()?, "Z" | "X");
        Some(Self { began: fields.nth(18)?.to_owned(), ended })
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

#[cfg(unix)]
fn exists(pid: u32) -> Option<bool> {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)?;
    // Another user's process cannot be signalled, and is there.
    Some(rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Not told without unsafe code.
#[cfg(not(unix))]
fn exists(_pid: u32) -> Option<bool> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_one_that_was_waited_for_is_gone() {
        assert_eq!(ProcessMark::of(std::process::id()).life(), Life::Runs);
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("started");
        let mark = ProcessMark::of(child.id());
        assert_eq!(mark.life(), Life::Runs);
        child.kill().expect("killed");
        child.wait().expect("waited");
        assert_eq!(mark.life(), Life::Gone);
    }

    #[test]
    fn another_machine_another_start_and_a_number_given_again_are_told_apart() {
        let ours = ProcessMark::of(std::process::id());
        assert_eq!(ProcessMark { host: "elsewhere".into(), ..ours.clone() }.life(), Life::Unknown);
        assert_eq!(ProcessMark::default().life(), Life::Unknown);
        if let Some((_, space)) = ours.boot.split_once(' ') {
            assert_eq!(ProcessMark { boot: format!("0000 {space}"), ..ours.clone() }.life(), Life::Gone);
            let start = ours.boot.split(' ').next().unwrap_or_default();
            assert_eq!(ProcessMark { boot: format!("{start} pid:[1]"), ..ours.clone() }.life(), Life::Unknown);
            assert_eq!(ProcessMark { began: "1".into(), ..ours }.life(), Life::Gone);
        }
    }
}
