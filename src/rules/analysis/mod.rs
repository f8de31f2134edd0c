//! What Claude wrote in one loop, read and weighed: from chunks of bytes to an [`Analysis`].
//!
//! An [`Analyzer`] is fed with the output as it is read, holds at most its longest line, and looks at nothing twice.
//! What it read becomes an answer in [`Analyzer::finish`], where all else that the rules need comes in as values.
//!
//! The rules are those of bash Ralph's `response_analyzer.sh`, v0.9.0 and v0.11.5; section 7 of the contract lists where
//! they differ on purpose.

pub mod api_error;
pub mod api_limit;
pub mod api_usage;
pub mod block;
pub mod controls;
pub mod cost;
pub mod errors;
pub mod json;
pub mod length;
pub mod needles;
pub mod negation;
mod numbers;
pub mod permissions;
pub mod promise;
pub mod questions;
pub mod reset_time;
pub mod text;
pub mod utf16;
mod verdict;

use chrono::{DateTime, Utc};

use crate::generation::Generation;
use crate::words;
use crate::zone::Zone;
use api_error::ApiError;
use api_limit::ApiLimit;
use api_usage::ApiUsage;
use controls::Controls;
use cost::Cost;
use json::{JsonReader, Verdict};
use length::LengthCounter;
use needles::{Group, Groups};
use permissions::Denials;
use text::{RESULT_GROUPS, TEXT_GROUPS, TextFacts, TextScanner};
use utf16::Decoder;

words! {
    /// How an output is written.
    OutputFormat {
        /// Plain text.
        Text = "text",
        /// One JSON document: an object, flat or Claude CLI's, or an array of messages.
        Json = "json",
        /// A JSON message a line.
        StreamJson = "stream-json",
    }
}

/// Who says how many files the loop changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesChanged {
    /// The caller: that is how many there are.
    Told(u64),
    /// Git, or nobody where it is 0: then what the output reports counts.
    Counted(u64),
    /// Git, which knows where the loop began: that is how many there are, whatever the output reports (case S32).
    Certain(u64),
}

/// What the rules need besides the output.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// The files changed.
    pub files: FilesChanged,
    /// Characters of the last text output.
    pub last_output_length: Option<u64>,
    /// Whether the plan has pending tasks that are not optional (v0.11).
    pub blocking_tasks: bool,
    /// `ALLOWED_TOOLS`, comma-separated.
    pub allowed_tools: &'a str,
    /// The promise that is an exit signal; empty: none is.
    pub completion_promise: &'a str,
    /// The current instant.
    pub now: DateTime<Utc>,
    /// Where a time of day is told that names no zone.
    pub zone: Zone,
}

/// What an output amounts to.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "the fields of `.response_analysis`, one for one")]
pub struct Analysis {
    /// How it is written.
    pub format: OutputFormat,
    /// It says that work is complete.
    pub has_completion_signal: bool,
    /// Tests were run and nothing implemented.
    pub is_test_only: bool,
    /// More than 5 errors.
    pub is_stuck: bool,
    /// Files were changed.
    pub has_progress: bool,
    /// How many.
    pub files_modified: u64,
    /// The score; may exceed 100.
    pub confidence_score: u64,
    /// The loop should end.
    pub exit_signal: bool,
    /// `EXIT_SIGNAL` was given, true or false.
    pub explicit_exit_signal: bool,
    /// The first 100 bytes of a summarizing line of text, or the result.
    pub work_summary: String,
    /// Characters of the output without the newlines at its end.
    pub output_length: u64,
    /// Permission denials.
    pub denials: Denials,
    /// Lines with questions, over all patterns (v0.11).
    pub question_count: u64,
    /// The result has lines that look like errors.
    pub has_errors: bool,
    /// Claude Code says that the run failed.
    pub is_error: bool,
    /// The output ends before its end.
    pub truncated: bool,
    /// Input and output tokens (v0.11).
    pub tokens_used: u64,
    /// Claude's session, where it may be resumed (v0.11).
    pub session_id: Option<String>,
    /// The session that the output names, that of a failed run too.
    pub names_session: Option<String>,
    /// The plan limit that was reached.
    pub api_limit: Option<ApiLimit>,
    /// The provider's failure, which is not the loop's.
    pub api_error: Option<ApiError>,
    /// How full the plan's windows are.
    pub api_usage: Option<ApiUsage>,
    /// What the session cost so far, and this loop.
    pub cost: Cost,
    /// What Claude itself says of the loop.
    pub said: Said,
    /// What was skipped or guessed.
    pub warnings: Vec<String>,
}

/// What Claude itself says of the loop: in its status block, in the flat form, or in the structured output that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// `STATUS`: `IN_PROGRESS`, `COMPLETE` or `BLOCKED`; other words as they are.
    pub status: Option<String>,
    /// `TESTS_STATUS`.
    pub tests_status: Option<String>,
    /// `WORK_TYPE`.
    pub work_type: Option<String>,
    /// `TASKS_COMPLETED_THIS_LOOP`.
    pub tasks_completed: Option<u64>,
    /// `RECOMMENDATION`.
    pub recommendation: Option<String>,
}

impl Said {
    /// Whether Claude cannot go on by itself.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.status.as_deref() == Some("BLOCKED")
    }
}

impl Analysis {
    /// Denials that mean something: not those of compound commands whose parts are all allowed, nor questions.
    #[must_use]
    pub fn has_permission_denials(&self) -> bool {
        self.denials.count > 0 && !self.denials.compound_only && !self.denials.asked_only
    }

    /// Whether Claude asked instead of working.
    #[must_use]
    pub fn asking_questions(&self) -> bool {
        self.question_count > 0
    }
}

/// Bytes that are looked at before the next decision whether the output is JSON.
const STEP: usize = 64 * 1024;

/// Reads one loop's output.
pub struct Analyzer {
    decoder: Decoder,
    length: LengthCounter,
    controls: Controls,
    readers: Readers,
}

/// The readers of what is left of it once it is UTF-8 without control sequences.
struct Readers {
    generation: Generation,
    text: Option<TextScanner>,
    json: Option<JsonReader>,
}

impl Analyzer {
    /// A reader for the rules of that generation. v0.9 knows plain text only.
    #[must_use]
    pub fn new(generation: Generation) -> Self {
        Self::with_promises(generation, false)
    }

    /// The same, which looks for promises if it is to.
    #[must_use]
    pub fn with_promises(generation: Generation, promises: bool) -> Self {
        let wanted = |groups: Groups| if promises { groups.with(Group::Promise) } else { groups };
        let readers = Readers {
            generation,
            text: Some(TextScanner::new(wanted(TEXT_GROUPS))),
            json: (generation == Generation::V0_11).then(|| JsonReader::new(wanted(RESULT_GROUPS))),
        };
        Self { decoder: Decoder::default(), length: LengthCounter::default(), controls: Controls::default(), readers }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) {
        let Self { decoder, length, controls, readers } = self;
        for step in chunk.chunks(STEP) {
            decoder.feed(step, &mut |text| {
                // Bash counts what is there, control characters and all.
                length.feed(text);
                controls.feed(text, &mut |clean| readers.feed(clean));
            });
        }
    }

    /// The answer, at the end of the output.
    #[must_use]
    pub fn finish(self, context: &Context<'_>) -> Analysis {
        let Self { decoder, mut length, mut controls, mut readers } = self;
        decoder.finish(&mut |text| {
            length.feed(text);
            controls.feed(text, &mut |clean| readers.feed(clean));
        });
        controls.finish(&mut |clean| readers.feed(clean));
        readers.finish(length.characters(), context)
    }
}

impl Readers {
    fn feed(&mut self, step: &[u8]) {
        // While it may be either, both readers follow.
        match self.json.as_mut().map_or(Verdict::Text, |json| json.feed(step)) {
            Verdict::Open => {}
            Verdict::Json => self.text = None,
            Verdict::Text => self.json = None,
        }
        if let Some(text) = &mut self.text {
            text.feed(step);
        }
    }

    fn finish(self, length: u64, context: &Context<'_>) -> Analysis {
        let facts = self.text.map(TextScanner::finish);
        let reports = facts.as_ref().is_some_and(|facts: &TextFacts| facts.blocks.last.is_some());
        match self.json.and_then(|json| json.finish(reports)) {
            Some(output) => verdict::json(output, length, context),
            None => verdict::text(self.generation, &facts.unwrap_or_default(), length, context),
        }
    }
}

#[cfg(test)]
mod tests;
