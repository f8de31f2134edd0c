//! What was read, weighed by the rules of a generation.

use std::collections::VecDeque;

use serde_json::Value;

use super::api_limit;
use super::block::StatusBlock;
use super::errors::STUCK_ABOVE;
use super::json::JsonOutput;
use super::json::report::{ReadText, Report};
use super::numbers;
use super::permissions::{self, Denials};
use super::text::TextFacts;
use super::{Analysis, Context, FilesChanged, OutputFormat};
use crate::generation::Generation;
use crate::schema::MAX_SAFE_INTEGER;

/// What evidence adds to the confidence score (both versions).
mod points {
    pub const SIGNAL: u64 = 100;
    pub const KEYWORD: u64 = 10;
    pub const NO_WORK: u64 = 15;
    pub const FILES: u64 = 20;
    pub const SHORTER: u64 = 10;
    pub const JSON: u64 = 50;
    pub const RESULT: u64 = 20;
    pub const INDICATOR: u64 = 5;
}

/// How the generations differ over a text.
#[expect(clippy::struct_excessive_bools, reason = "one row of a table of differences")]
struct TextRules {
    /// An explicit `EXIT_SIGNAL: false` beats everything else (v0.11).
    explicit_counts: bool,
    /// Completion words count wherever they stand, blocking tasks or not (v0.9).
    words_count_everywhere: bool,
    /// The score from which on a text ends the loop.
    exit_from: u64,
    /// A completion signal ends the loop whatever the score (v0.9), or is needed besides it (v0.11).
    signal_alone_exits: bool,
    /// `WORK_TYPE` and `FILES_MODIFIED` of the block, and questions, are read (v0.11).
    reads_block: bool,
}

const fn text_rules(generation: Generation) -> TextRules {
    match generation {
        Generation::V0_9 => TextRules {
            explicit_counts: false,
            words_count_everywhere: true,
            exit_from: 40,
            signal_alone_exits: true,
            reads_block: false,
        },
        Generation::V0_11 => TextRules {
            explicit_counts: true,
            words_count_everywhere: false,
            exit_from: 70,
            signal_alone_exits: false,
            reads_block: true,
        },
    }
}

/// Sentences of bash, word for word: wrappers compare them.
mod summaries {
    pub const TESTS: &str = "Test execution only, no implementation";
    pub const NO_WORK: &str = "No work remaining";
    pub const QUESTIONS: &str = "Claude is asking questions instead of acting autonomously";
    pub const NONE: &str = "Output analyzed, no explicit summary found";
}

/// Weighs a text.
pub fn text(generation: Generation, facts: &TextFacts, length: u64, context: &Context<'_>) -> Analysis {
    let rules = text_rules(generation);
    let block = facts.block.as_ref();
    let said = block.and_then(|block| block.exit_signal);
    let complete = block.is_some_and(StatusBlock::is_complete);
    let explicit = rules.explicit_counts && said.is_some();
    let mut warnings = Vec::new();

    let mut exit_signal = said == Some(true) || (complete && !explicit);
    let mut score = if exit_signal { points::SIGNAL } else { 0 };
    let words = if rules.words_count_everywhere {
        facts.words.completion || facts.words.no_work
    } else {
        !explicit && !context.blocking_tasks && (facts.words_outside.completion || facts.words_outside.no_work)
    };
    let has_completion_signal = exit_signal || complete || words;
    let files = Files::of(context.files, || if rules.reads_block { reported_by_block(block, &mut warnings) } else { 0 });
    let shorter = context.last_output_length.is_some_and(|last| last > 0 && length.saturating_mul(100) / last < 50);
    for (holds, value) in [
        (facts.words.completion, points::KEYWORD),
        (facts.words.no_work, points::NO_WORK),
        (files.counted, points::FILES),
        (shorter, points::SHORTER),
    ] {
        score += if holds { value } else { 0 };
    }
    if !explicit {
        let enough = score >= rules.exit_from;
        exit_signal |= if rules.signal_alone_exits { enough || has_completion_signal } else { enough && has_completion_signal };
    }

    let tests_only = facts.tests && !facts.implementation;
    let questions = if rules.reads_block { facts.questions } else { 0 };
    let summary =
        [(questions > 0, summaries::QUESTIONS), (facts.words.no_work, summaries::NO_WORK), (tests_only, summaries::TESTS)]
            .into_iter()
            .find_map(|(holds, sentence)| holds.then_some(sentence))
            .or(facts.summary.as_deref().filter(|line| !line.is_empty()))
            .unwrap_or(summaries::NONE);

    Analysis {
        format: OutputFormat::Text,
        has_completion_signal,
        is_test_only: tests_only || (rules.reads_block && is_testing(block)),
        is_stuck: facts.stuck_lines > STUCK_ABOVE,
        has_progress: files.counted || (rules.reads_block && block_tells_progress(block)),
        files_modified: files.modified,
        confidence_score: score,
        exit_signal,
        explicit_exit_signal: said.is_some(),
        work_summary: summary.to_owned(),
        output_length: length,
        denials: Denials::default(),
        question_count: questions,
        has_errors: facts.errors,
        is_error: false,
        truncated: false,
        tokens_used: 0,
        session_id: None,
        api_limit: limit_in(&facts.tail, context, &mut warnings),
        warnings,
    }
}

/// Weighs what JSON says (v0.11).
pub fn json(output: JsonOutput, length: u64, context: &Context<'_>) -> Analysis {
    let mut warnings = Vec::new();
    let messages = output.messages;
    if output.bad_lines > 0 {
        warnings.push(format!("{} of the output's lines are no JSON and were skipped", output.bad_lines));
    }
    if messages.too_long > 0 {
        warnings.push(format!("{} fields of the output are too long; parts of them were left out", messages.too_long));
    }
    let no_result = output.stream && messages.report.is_none();
    let report = messages.report.unwrap_or_default();
    let is_error = report.get("is_error") == true;
    let (has_result, spoken) = (report.has_result(), Spoken::of(&report, messages.assistant));
    if spoken.read.cut {
        warnings.push("the result is longer than 1 MiB; work_summary has its beginning".to_owned());
    }
    let facts = &spoken.read.facts;
    // What a failed run says is no signal.
    let block = facts.block.as_ref().filter(|_| !is_error && spoken.may_signal);
    let metadata = report.get("metadata");

    let finished = ["complete", "COMPLETE"].iter().any(|word| metadata["completion_status"] == *word);
    let complete = finished || report.get("status") == "COMPLETE";
    let (flat, in_block) = (flat_exit_signal(&report), block.and_then(|block| block.exit_signal));
    let block_complete = block.is_some_and(StatusBlock::is_complete);
    // A flat `true` stands; else the block may say more.
    let said = if flat == Some(true) { flat } else { in_block.or(flat) };
    let exit_signal = !is_error && said.unwrap_or(complete || block_complete);
    let has_completion_signal = !is_error && (exit_signal || complete || block_complete);

    let mut score = to_signed(points::JSON) + numbers::signed(report.get("confidence"), "confidence", &mut warnings);
    let indicators = metadata["progress_indicators"].as_array().map_or(0, Vec::len) as u64;
    for (holds, value) in [(has_result, points::RESULT), (indicators > 0, points::INDICATOR.saturating_mul(indicators))] {
        score = score.saturating_add(if holds { to_signed(value) } else { 0 });
    }
    let metadata_errors = metadata["has_errors"] == true;
    let error_count = match numbers::count(report.get("error_count"), "error_count", &mut warnings) {
        0 => u64::from(metadata_errors),
        count => count,
    };
    let files = Files::of(context.files, || {
        let fields = [("metadata.files_changed", &metadata["files_changed"]), ("files_modified", report.get("files_modified"))];
        let told = fields.into_iter().find(|(_, value)| is_given(value));
        // A 0 there may only mean that nobody counted.
        match told.map(|(name, value)| numbers::count(value, name, &mut warnings)) {
            None | Some(0) => reported_by_block(block, &mut warnings),
            Some(count) => count,
        }
    });
    let says_test_only = report.get("work_type").as_str().is_some_and(is_test_work) || is_testing(block);
    let subtype = report.get("subtype").as_str().unwrap_or_default();
    let failed = is_error && !LIMITS_OF_A_RUN.iter().any(|limit| subtype.starts_with(limit));
    let event = messages.rate_limit.as_ref().and_then(api_limit::in_event);

    Analysis {
        format: if output.stream { OutputFormat::StreamJson } else { OutputFormat::Json },
        has_completion_signal,
        is_test_only: !is_error && says_test_only,
        is_stuck: error_count > STUCK_ABOVE,
        has_progress: files.counted || block_tells_progress(block),
        files_modified: files.modified,
        confidence_score: if exit_signal { points::SIGNAL } else { u64::try_from(score).unwrap_or(0).min(MAX_SAFE_INTEGER) },
        exit_signal,
        explicit_exit_signal: !is_error && said.is_some(),
        output_length: length,
        denials: permissions::denials(report.get("permission_denials"), context.allowed_tools),
        question_count: facts.questions,
        has_errors: facts.errors || metadata_errors || failed,
        is_error,
        truncated: output.cut || no_result,
        tokens_used: numbers::in_range(tokens(&report), "the number of tokens", &mut warnings),
        session_id: if is_error { None } else { session(&report).or(messages.session) },
        api_limit: event.or_else(|| if is_error { limit_in(&facts.tail, context, &mut warnings) } else { None }),
        work_summary: spoken.read.text.replace('\0', "").trim_end_matches('\n').to_owned(),
        warnings,
    }
}

/// Subtypes of results that ended at a limit which the caller had set: no errors.
const LIMITS_OF_A_RUN: [&str; 2] = ["error_max_turns", "error_max_budget"];

/// The text that an output in JSON comes down to.
struct Spoken {
    read: ReadText,
    /// Whether a status block in it counts: not in a flat object's own summary.
    may_signal: bool,
}

impl Spoken {
    /// The result, else its errors, else a flat object's summary, else the last text of the assistant.
    fn of(report: &Report, assistant: Option<String>) -> Self {
        if let Some(read) = report.text.as_ref().filter(|read| !read.text.is_empty()) {
            return Self { read: read.clone(), may_signal: true };
        }
        let errors = report.get("errors").as_array().map(|errors| errors.iter().map(as_text).collect::<Vec<_>>().join("\n"));
        // Of jq's `//` an empty result is a result: the summary does not stand in for it.
        let summary = if report.text.is_none() { report.get("summary").as_str() } else { None };
        let texts = [
            (Some(report.get("result")).filter(|result| is_given(result)).map(as_text), true),
            (errors, true),
            (summary.map(str::to_owned), false),
            (assistant, true),
        ];
        texts
            .into_iter()
            .find_map(|(text, may_signal)| {
                let text = text.filter(|text| !text.is_empty())?;
                Some(Self { read: ReadText::of(&text), may_signal })
            })
            .unwrap_or_else(|| Self { read: ReadText::default(), may_signal: false })
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether jq's `//` would take the value.
fn is_given(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

fn flat_exit_signal(report: &Report) -> Option<bool> {
    report.members.get("exit_signal").map(|value| *value == true || *value == "true")
}

fn to_signed(points: u64) -> i64 {
    i64::try_from(points).unwrap_or(i64::MAX)
}

/// The files changed, and whether somebody counted them.
struct Files {
    counted: bool,
    modified: u64,
}

impl Files {
    fn of(changed: FilesChanged, reported: impl FnOnce() -> u64) -> Self {
        match changed {
            FilesChanged::Told(count) => Self { counted: count > 0, modified: count },
            FilesChanged::Counted(0) => Self { counted: false, modified: reported() },
            FilesChanged::Counted(count) => Self { counted: true, modified: count },
        }
    }
}

fn reported_by_block(block: Option<&StatusBlock>, warnings: &mut Vec<String>) -> u64 {
    match block.and_then(|block| block.files_modified.as_ref()) {
        Some(Ok(count)) => numbers::in_range(*count, "FILES_MODIFIED of the status block", warnings),
        Some(Err(value)) => {
            let shown: String = value.chars().take(60).collect();
            warnings.push(format!("FILES_MODIFIED of the status block is {shown:?}, which is no number; 0 is taken"));
            0
        }
        None => 0,
    }
}

/// Files modified, or a task finished though more are to do (v0.11).
fn block_tells_progress(block: Option<&StatusBlock>) -> bool {
    block.is_some_and(|block| {
        matches!(block.files_modified, Some(Ok(count)) if count > 0) || (block.is_complete() && block.exit_signal == Some(false))
    })
}

/// The flat format's word and the block's.
fn is_test_work(work_type: &str) -> bool {
    ["TEST_ONLY", "TESTING"].contains(&work_type)
}

fn is_testing(block: Option<&StatusBlock>) -> bool {
    block.and_then(|block| block.work_type.as_deref()).is_some_and(is_test_work)
}

fn limit_in(tail: &VecDeque<Vec<u8>>, context: &Context<'_>, warnings: &mut Vec<String>) -> Option<api_limit::ApiLimit> {
    let limit = api_limit::in_lines(tail.iter().map(Vec::as_slice), context.now, context.zone)?;
    if let Some(zone) = &limit.unknown_zone {
        warnings.push(format!("the plan limit's time zone {zone} is unknown; resetsAt takes the time named for local time"));
    }
    Some(limit)
}

/// Input and output tokens: of all models where they are told apart, else of `usage`. Cached input does not count.
fn tokens(report: &Report) -> u64 {
    let sum = |usage: &Value, names: [&str; 2]| -> u64 {
        let count = |value: &Value| value.as_u64().or_else(|| u64::try_from(numbers::whole(value.as_f64()?)).ok());
        names.iter().filter_map(|name| count(&usage[*name])).fold(0, u64::saturating_add)
    };
    // In a resumed session `modelUsage` goes on from the earlier results, whose tokens are counted already.
    let models = ["model_usage_since_last_result", "modelUsage"];
    let mut models = models.into_iter().filter_map(|key| report.get(key).as_object());
    if let Some(models) = models.find(|models| !models.is_empty()) {
        return models.values().map(|usage| sum(usage, ["inputTokens", "outputTokens"])).fold(0, u64::saturating_add);
    }
    let usage = [report.get("usage"), &report.get("metadata")["usage"]].into_iter().find(|usage| usage.is_object());
    usage.map_or(0, |usage| sum(usage, ["input_tokens", "output_tokens"]))
}

fn session(report: &Report) -> Option<String> {
    let ids = [report.get("sessionId"), report.get("session_id"), &report.get("metadata")["session_id"]];
    ids.into_iter().find_map(|id| id.as_str().filter(|id| !id.is_empty()).map(str::to_owned))
}
