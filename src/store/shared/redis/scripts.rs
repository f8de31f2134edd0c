//! The scripts, and how one is called.

use redis::Script;

/// The server's clock: what stands in front of every script.
pub(super) const SERVER_CLOCK: &str = "local function instant()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
";

const COMMON: &str = include_str!("common.lua");

/// What can be asked of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Hello,
    Admit,
    Tally,
    TakeBack,
    Announce,
    Claim,
    Finish,
    Release,
    Leases,
    Beat,
    Roster,
}

/// Each with its script.
const SOURCES: &[(Operation, &str)] = &[
    (Operation::Hello, "return { instant() }"),
    (Operation::Admit, include_str!("admit.lua")),
    (Operation::Tally, include_str!("tally.lua")),
    (Operation::TakeBack, include_str!("take_back.lua")),
    (Operation::Announce, include_str!("announce.lua")),
    (Operation::Claim, include_str!("claim.lua")),
    (Operation::Finish, include_str!("finish.lua")),
    (Operation::Release, include_str!("release.lua")),
    (Operation::Leases, include_str!("leases.lua")),
    (Operation::Beat, include_str!("beat.lua")),
    (Operation::Roster, include_str!("roster.lua")),
];

/// All scripts, told the time by one clock.
pub(super) struct Scripts(Vec<(Operation, Script)>);

impl Scripts {
    pub(super) fn new(clock: &str) -> Self {
        let script = |source: &str| Script::new(&format!("{clock}{COMMON}{source}"));
        Self(SOURCES.iter().map(|(operation, source)| (*operation, script(source))).collect())
    }

    pub(super) fn get(&self, operation: Operation) -> Option<&Script> {
        self.0.iter().find(|(name, _)| *name == operation).map(|(_, script)| script)
    }
}

/// A call of a script.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) operation: Operation,
    pub(super) keys: Vec<String>,
    pub(super) args: Vec<String>,
    /// Whether the instant after which nobody waits for the answer is the first argument.
    pub(super) has_deadline: bool,
}

impl Call {
    pub(super) fn new(operation: Operation) -> Self {
        Self { operation, keys: Vec::new(), args: Vec::new(), has_deadline: false }
    }

    pub(super) fn keys(&mut self, keys: impl IntoIterator<Item = String>) -> &mut Self {
        self.keys.extend(keys);
        self
    }

    pub(super) fn args(&mut self, args: impl IntoIterator<Item = String>) -> &mut Self {
        self.args.extend(args);
        self
    }

    pub(super) fn deadline(&mut self) -> &mut Self {
        self.has_deadline = true;
        self
    }
}
