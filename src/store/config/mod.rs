//! Settings. (Placeholder: branch `config` brings `.ralphrc`, the environment and the installed scripts.)

use std::path::PathBuf;

use crate::environment::Environment;
use crate::error::Result;
use crate::options::ConfigOptions;

/// The configuration files that may count.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The project's `.ralphrc`, in a ralph layout.
    pub ralphrc: Option<PathBuf>,
    /// The installed Ralph's scripts, in the order in which it reads them.
    pub scripts: Vec<PathBuf>,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `MAX_CALLS_PER_HOUR`.
    pub max_calls_per_hour: u64,
    /// `MAX_TOKENS_PER_HOUR`; 0 is no limit.
    pub max_tokens_per_hour: u64,
    /// `CB_NO_PROGRESS_THRESHOLD`.
    pub no_progress_threshold: u64,
    /// `CB_SAME_ERROR_THRESHOLD`.
    pub same_error_threshold: u64,
    /// `CB_PERMISSION_DENIAL_THRESHOLD`.
    pub permission_denial_threshold: u64,
    /// `CB_COOLDOWN_MINUTES`.
    pub cooldown_minutes: u64,
    /// `CB_AUTO_RESET`.
    pub auto_reset: bool,
    /// `OPTIONAL_SECTIONS`.
    pub optional_sections: Vec<String>,
    /// `ALLOWED_TOOLS`.
    pub allowed_tools: String,
}

impl Config {
    /// Reads the files and resolves every setting.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `IO_ERROR`.
    pub fn load(options: &ConfigOptions, environment: &Environment, _files: &Files) -> Result<(Self, Vec<String>)> {
        let number = |option: Option<u64>, name: &str, built_in: u64| {
            option.or_else(|| environment.get(name)?.parse().ok()).unwrap_or(built_in)
        };
        let config = Self {
            max_calls_per_hour: number(options.max_calls_per_hour, "MAX_CALLS_PER_HOUR", 100),
            max_tokens_per_hour: number(options.max_tokens_per_hour, "MAX_TOKENS_PER_HOUR", 0),
            no_progress_threshold: number(options.no_progress_threshold, "CB_NO_PROGRESS_THRESHOLD", 3),
            same_error_threshold: number(options.same_error_threshold, "CB_SAME_ERROR_THRESHOLD", 5),
            permission_denial_threshold: number(options.permission_denial_threshold, "CB_PERMISSION_DENIAL_THRESHOLD", 2),
            cooldown_minutes: number(options.cooldown_minutes, "CB_COOLDOWN_MINUTES", 30),
            auto_reset: options.auto_reset.unwrap_or(false),
            optional_sections: options.optional_sections.clone().unwrap_or_default(),
            allowed_tools: options.allowed_tools.clone().unwrap_or_default(),
        };
        Ok((config, Vec::new()))
    }
}
