//! Where the output to analyze comes from.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use super::{OUTPUT, OUTPUT_FILE};
use crate::error::{Error, ErrorCode, Result};
use crate::input::Arguments;
use crate::rules::analysis::Analyzer;
use crate::store::paths::{Inside, open_inside};
use crate::store::project::Project;
use crate::store::turns::SCANS;

/// Bytes read at a time.
const CHUNK: usize = 128 * 1024;
/// Bytes read in one turn at the processor: about a millisecond's work.
const TURN: usize = 1 << 20;

/// An output.
pub(super) enum Source<'a> {
    /// Given by the caller.
    Inline(&'a str),
    /// A file: what it is called in `.response_analysis`, and where it is.
    File(String, Inside),
}

impl<'a> Source<'a> {
    /// The file that the caller names, else the text that it gives, else the newest log.
    ///
    /// # Errors
    /// `INVALID_INPUT` where the name can be none, `OUTPUT_NOT_FOUND`, `OUTSIDE_PROJECT`, and `IO_ERROR` where it is no regular file.
    pub(super) fn find(project: &Project, arguments: &'a Arguments) -> Result<Self> {
        if let Some(name) = arguments.get(OUTPUT_FILE) {
            if name.is_empty() || name.contains('\0') {
                let what = if name.is_empty() { "is empty" } else { "holds a NUL character" };
                let message = format!("outputFile {what}; name an existing file, or leave it out for the newest log");
                return Err(Error::new(ErrorCode::InvalidInput, message));
            }
            let path = open_inside(project.root(), Path::new(&name))?.ok_or_else(|| {
                Error::new(
                    ErrorCode::OutputNotFound,
                    format!("there is no output file {name:?}; name an existing file, or pass output"),
                )
            })?;
            return Ok(Self::File(name, path));
        }
        match arguments.text(OUTPUT) {
            Some(text) => Ok(Self::Inline(text)),
            None => newest_log(project),
        }
    }

    /// As `.response_analysis` names it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Inline(_) => "",
            Self::File(name, _) => name,
        }
    }

    /// Feeds the whole output, once through.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub(super) fn read(&self, analyzer: &mut Analyzer) -> Result<()> {
        let found = match self {
            Self::Inline(text) => {
                for part in text.as_bytes().chunks(TURN) {
                    let _turn = SCANS.take();
                    analyzer.feed(part);
                }
                return Ok(());
            }
            Self::File(_, found) => found,
        };
        let failed = |error| Error::io("read", &found.path, &error);
        let mut file = &found.file;
        let mut chunk = vec![0; CHUNK];
        loop {
            let _turn = SCANS.take();
            for _ in 0..TURN / CHUNK {
                match file.read(&mut chunk) {
                    Ok(0) => return Ok(()),
                    Ok(read) => analyzer.feed(chunk.get(..read).unwrap_or_default()),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(failed(error)),
                }
            }
        }
    }
}

/// The newest `claude_output_*.log`. `…_stream.log` is bash's copy of the log beside it.
fn newest_log(project: &Project) -> Result<Source<'static>> {
    let folder = project.logs_dir();
    let mut newest: Option<(SystemTime, String)> = None;
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_log = name.starts_with("claude_output_")
            && Path::new(&name).extension().is_some_and(|extension| extension == "log")
            && !name.strip_suffix("_stream.log").is_some_and(|base| folder.join(format!("{base}.log")).is_file());
        let Some(modified) =
            fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file).and_then(|metadata| metadata.modified().ok())
        else {
            continue;
        };
        // Names carry the time: of two as new as each other the greater.
        let candidate = (modified, name);
        if is_log && newest.as_ref().is_none_or(|newest| candidate > *newest) {
            newest = Some(candidate);
        }
    }
    let path = newest.map(|(_, name)| folder.join(name)).ok_or_else(|| {
        Error::new(
            ErrorCode::OutputNotFound,
            format!("there is no claude_output_*.log in {}; pass output or outputFile", folder.display()),
        )
    })?;
    let name = path.strip_prefix(project.root()).unwrap_or(&path).to_string_lossy().into_owned();
    // As bash writes it, on all systems (case P6).
    let name = if cfg!(windows) { name.replace('\\', "/") } else { name };
    match open_inside(project.root(), &path)? {
        Some(resolved) => Ok(Source::File(name, resolved)),
        None => Err(Error::new(ErrorCode::OutputNotFound, format!("{name} is gone; pass output or outputFile"))),
    }
}
