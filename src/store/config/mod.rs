//! Settings: what they are called where, which source wins, and what they are when nobody says.

mod foreign;
pub mod setting;
pub mod shell;
pub mod team;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::{Error, ErrorCode, Result};
use crate::options::ConfigOptions;
use setting::{Kind, Setting};
use shell::Script;
use team::TeamConfig;

/// The settings of one project, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `MAX_CALLS_PER_HOUR`: calls in one clock hour; 0 allows none.
    pub max_calls_per_hour: u64,
    /// `MAX_TOKENS_PER_HOUR`: tokens in one clock hour; 0 sets no limit.
    pub max_tokens_per_hour: u64,
    /// `CB_NO_PROGRESS_THRESHOLD`: loops without progress that open the breaker, from 1.
    pub no_progress_threshold: u64,
    /// `CB_SAME_ERROR_THRESHOLD`: loops with errors that open the breaker, from 1.
    pub same_error_threshold: u64,
    /// `CB_PERMISSION_DENIAL_THRESHOLD`: loops with permission denials that open the breaker, from 1.
    pub permission_denial_threshold: u64,
    /// `CB_COOLDOWN_MINUTES`: minutes from `OPEN` to `HALF_OPEN`; 0 is at once.
    pub cooldown_minutes: u64,
    /// `CB_AUTO_RESET`: whether OPEN is taken as CLOSED when a run starts.
    pub auto_reset: bool,
    /// `OPTIONAL_SECTIONS`: headings of the plan whose tasks block nothing.
    pub optional_sections: Vec<String>,
    /// `ALLOWED_TOOLS`: the tools that Claude may use, as Claude Code writes them.
    pub allowed_tools: String,
    /// `COMPLETION_PROMISE`: the promise that is an exit signal; empty: none is.
    pub completion_promise: String,
    /// `STOP_AT_OVERAGE`: whether paid overage ends the run.
    pub stop_at_overage: bool,
    /// `CLAUDE_SESSION_EXPIRY_HOURS`: hours after which a session is not resumed.
    pub session_expiry_hours: u64,
    /// Where several workers meet, and what they share.
    pub team: TeamConfig,
}

/// The configuration files that may count.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The project's `.ralphrc`, in a ralph layout.
    pub ralphrc: Option<PathBuf>,
    /// The installed Ralph's scripts, in the order in which it reads them.
    pub scripts: Vec<PathBuf>,
}

/// More of a configuration file is not read; Ralph's largest script has 0.15 MB.
const LARGEST_FILE: u64 = 4 << 20;

impl Config {
    /// Reads the files and resolves every setting; see [`Config::resolve`]. Files that do not exist count as empty.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `INVALID_INPUT`; `IO_ERROR` where `.ralphrc` cannot be read. A script that cannot be read is
    /// warned of.
    pub fn load(options: &ConfigOptions, environment: &Environment, files: &Files) -> Result<(Self, Vec<String>)> {
        let read_ralphrc = |path: &PathBuf| read_file(path).map_err(|error| Error::io("read", path, &error));
        let ralphrc = files.ralphrc.as_ref().map(read_ralphrc).transpose()?.flatten();
        let mut scripts = Vec::new();
        let mut unread = Vec::new();
        for path in &files.scripts {
            match read_file(path) {
                Ok(bytes) => scripts.extend(bytes.map(|bytes| (path.clone(), bytes))),
                Err(error) => unread.push(format!("cannot read {}: {error}; its settings do not count", path.display())),
            }
        }
        let ralphrc = ralphrc.as_deref().map(|bytes| (Path::new(".ralphrc"), bytes));
        let (config, mut warnings) = Self::resolve(options, environment.variables(), ralphrc, &scripts)?;
        warnings.extend(unread);
        Ok((config, warnings))
    }

    /// Resolves every setting: option, else environment variable, else `.ralphrc`, else the installed Ralph's scripts, else built in.
    ///
    /// `ralphrc` and `scripts` are paths (as they are to be named to the user) with contents; of several scripts the
    /// last to assign a name wins, as if they were sourced in that order. Also answers warnings: the lines of `.ralphrc`
    /// that were skipped. Scripts are programs, of which most lines need a shell: there nothing is warned of.
    ///
    /// An empty environment variable is as good as none, as in bash. Only the source that wins is checked: the error is
    /// `CONFIG_INVALID` and names the file with its line, or the variable (`INVALID_INPUT` for an option).
    pub fn resolve(
        options: &ConfigOptions,
        environment: &BTreeMap<String, String>,
        ralphrc: Option<(&Path, &[u8])>,
        scripts: &[(PathBuf, Vec<u8>)],
    ) -> Result<(Config, Vec<String>)> {
        let mut files = Vec::new();
        let mut warnings = Vec::new();
        if let Some((path, bytes)) = ralphrc {
            let bytes = foreign::as_utf8(bytes);
            let shown = path.display();
            if foreign::is_json(&bytes) {
                warnings.push(format!(
                    "{shown} is JSON and was not read: it is a bash file, with lines such as MAX_CALLS_PER_HOUR=100"
                ));
            } else {
                let script = shell::read(&bytes, environment);
                warnings = skipped(path, &script);
                warnings.extend(foreign::near_misses(&bytes).into_iter().map(|(line, name)| {
                    format!("{shown} line {line}: {name} is not assigned; bash wants {name}=value, without a colon")
                }));
                files.push(Source { path, script, names: |setting| setting.in_ralphrc });
            }
        }
        for (path, bytes) in scripts.iter().rev() {
            let script = shell::read(bytes, environment);
            files.push(Source { path, script, names: |setting| std::slice::from_ref(&setting.in_script) });
        }
        let sources = Sources { environment, files };
        let config = Config {
            max_calls_per_hour: sources.integer(&setting::MAX_CALLS_PER_HOUR, options.max_calls_per_hour)?,
            max_tokens_per_hour: sources.integer(&setting::MAX_TOKENS_PER_HOUR, options.max_tokens_per_hour)?,
            no_progress_threshold: sources.integer(&setting::NO_PROGRESS_THRESHOLD, options.no_progress_threshold)?,
            same_error_threshold: sources.integer(&setting::SAME_ERROR_THRESHOLD, options.same_error_threshold)?,
            permission_denial_threshold: sources
                .integer(&setting::PERMISSION_DENIAL_THRESHOLD, options.permission_denial_threshold)?,
            cooldown_minutes: sources.integer(&setting::COOLDOWN_MINUTES, options.cooldown_minutes)?,
            auto_reset: sources.boolean(&setting::AUTO_RESET, options.auto_reset)?,
            optional_sections: match &options.optional_sections {
                Some(sections) => sections.clone(),
                None => list(&sources.text(&setting::OPTIONAL_SECTIONS).value),
            },
            allowed_tools: match &options.allowed_tools {
                Some(tools) => tools.clone(),
                None => sources.text(&setting::ALLOWED_TOOLS).value,
            },
            completion_promise: match &options.completion_promise {
                Some(promise) => promise.clone(),
                None => sources.text(&setting::COMPLETION_PROMISE).value,
            },
            stop_at_overage: sources.boolean(&setting::STOP_AT_OVERAGE, options.stop_at_overage)?,
            session_expiry_hours: sources.integer(&setting::SESSION_EXPIRY_HOURS, options.session_expiry_hours)?,
            team: team::resolve(&sources, &options.team)?,
        };
        Ok((config, warnings))
    }
}

/// A bash file, and what settings are called in it.
struct Source<'a> {
    path: &'a Path,
    script: Script,
    names: fn(&Setting) -> &[&'static str],
}

/// Everything below the options, in the order of precedence.
struct Sources<'a> {
    environment: &'a BTreeMap<String, String>,
    files: Vec<Source<'a>>,
}

/// A value as it is written, and where.
struct Found {
    value: String,
    place: String,
}

impl Sources<'_> {
    fn text(&self, setting: &Setting) -> Found {
        if let Some(value) = self.environment.get(setting.variable).filter(|value| !value.is_empty()) {
            return Found { value: value.clone(), place: format!("environment variable {}", setting.variable) };
        }
        for file in &self.files {
            for name in (file.names)(setting) {
                let assigned = file.script.assignments.get(*name);
                if let Some(assigned) = assigned.filter(|a| setting.kind != Kind::Text || !a.value.is_empty()) {
                    let place = format!("{} line {}: {name}", file.path.display(), assigned.line);
                    return Found { value: assigned.value.clone(), place };
                }
            }
        }
        Found { value: setting.built_in.to_owned(), place: format!("built-in {}", setting.variable) }
    }

    fn integer(&self, setting: &Setting, option: Option<u64>) -> Result<u64> {
        let Kind::Integer { min, max } = setting.kind else {
            return Err(Error::new(ErrorCode::Internal, format!("{} is defined as no integer", setting.variable)));
        };
        if let Some(value) = option {
            return match value {
                _ if (min..=max).contains(&value) => Ok(value),
                _ => Err(Error::invalid_input(format!("{} must be from {min} to {max}, not {value}", setting.option))),
            };
        }
        let Found { value, place } = self.text(setting);
        let text = value.trim();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits && (min..=max).contains(&number) => Ok(number),
            _ => Err(invalid(&place, &value, &format!("a whole number from {min} to {max}"))),
        }
    }

    fn boolean(&self, setting: &Setting, option: Option<bool>) -> Result<bool> {
        if let Some(value) = option {
            return Ok(value);
        }
        let Found { value, place } = self.text(setting);
        match value.trim() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(invalid(&place, &value, "`true` or `false`")),
        }
    }
}

/// A regular file's bytes; `None` where there is none, as bash's `-f` has it.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        looked => looked?,
    };
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn invalid(place: &str, value: &str, wanted: &str) -> Error {
    let shown: String = value.chars().take(40).collect();
    Error::new(ErrorCode::ConfigInvalid, format!("{place} is {shown:?}; set it to {wanted}, or remove it"))
}

/// The entries of a comma-separated list, blanks around them removed.
fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
}

/// A warning for each setting that was skipped, and one for all other lines together.
fn skipped(path: &Path, script: &Script) -> Vec<String> {
    /// No more are listed one by one, nor more lines named in the last.
    const LIMIT: usize = 10;
    let path = path.display();
    let is_ours = |name: &Option<String>| {
        name.as_ref().is_none_or(|name| setting::ALL.iter().any(|setting| setting.in_ralphrc.contains(&name.as_str())))
    };
    let (ours, others): (Vec<_>, Vec<_>) = script.skipped.iter().partition(|skipped| is_ours(&skipped.name));
    let mut warnings: Vec<String> = ours
        .iter()
        .take(LIMIT)
        .map(|skipped| {
            let what = skipped.name.as_ref().map_or_else(|| "the line".to_owned(), |name| format!("the assignment of {name}"));
            format!("{path} line {}: {what} was skipped: {}; bash is not run here", skipped.line, skipped.why)
        })
        .collect();
    if ours.len() > LIMIT {
        warnings.push(format!("{path}: {} more lines were skipped", ours.len() - LIMIT));
    }
    if !others.is_empty() {
        let mut lines: Vec<String> = others.iter().take(LIMIT).map(|skipped| skipped.line.to_string()).collect();
        lines.dedup();
        let more = if others.len() > LIMIT { " and others" } else { "" };
        let lines = lines.join(", ");
        warnings.push(format!(
            "{path}: assignments on line {lines}{more} need a shell and were skipped; none is a setting used here"
        ));
    }
    warnings
}
