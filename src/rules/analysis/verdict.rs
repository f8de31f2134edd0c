//! What was read, weighed by the rules of a generation.

use std::collections::VecDeque;

use serde_json::Value;

use super::api_error::{self, ApiError};
use super::api_limit::{self, ApiLimit};
use super::block::{RECOMMENDATION_SHOWN, StatusBlock};
use super::cost::Cost;
use super::errors::{self, STUCK_ABOVE};
use super::json::JsonOutput;
use super::json::report::{ReadText, Report};
use super::needles::Groups;
use super::numbers;
use super::permissions::{self, Denials};
use super::promise;
use super::text::TextFacts;
use super::{Analysis, Context, FilesChanged, OutputFormat, Said};
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
    let block = facts.blocks.last.as_ref();
    let mut warnings = Vec::new();
    let told = signal(block.and_then(|block| block.exit_signal), promised(facts, context));
    let complete = block.is_some_and(StatusBlock::is_complete);
    let explicit = rules.explicit_counts && told.is_some();
    let said = by_block(block, &mut warnings);

    let mut exit_signal = told == Some(true) || (complete && !explicit);
    let mut score = if exit_signal { points::SIGNAL } else { 0 };
    let outside = facts.blocks.words_outside;
    let words = if rules.words_count_everywhere {
        facts.words.completion || facts.words.no_work
    } else {
        !explicit && !context.blocking_tasks && (outside.completion || outside.no_work)
    };
    let has_completion_signal = exit_signal || complete || words;
    let reported = if rules.reads_block { reported_by_block(block, &mut warnings) } else { 0 };
    let files = Files::of(context.files, reported, &mut warnings);
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
    // By its own block the loop did more than that, whatever words are in its prose.
    let completed = said.work_type.as_deref() == Some("TESTING") && said.tasks_completed.unwrap_or(0) > 0;
    let worked = rules.reads_block && (reported > 0 || completed);
    let testing = rules.reads_block && only_tests(&said, &files);
    let questions = if rules.reads_block { facts.questions } else { 0 };
    let summary =
        [(questions > 0, summaries::QUESTIONS), (facts.words.no_work, summaries::NO_WORK), (tests_only, summaries::TESTS)]
            .into_iter()
            .find_map(|(holds, sentence)| holds.then_some(sentence))
            .or(facts.summary.as_deref().filter(|line| !line.is_empty()))
            .unwrap_or(summaries::NONE);

    let limit = limit_in(&facts.tail, context, &mut warnings);
    Analysis {
        format: OutputFormat::Text,
        has_completion_signal,
        is_test_only: testing || (tests_only && !worked),
        is_stuck: facts.stuck_lines > STUCK_ABOVE,
        has_progress: files.counted || (rules.reads_block && block_tells_progress(block, &files)),
        files_modified: files.modified,
        confidence_score: score,
        exit_signal,
        explicit_exit_signal: told.is_some(),
        work_summary: summary.to_owned(),
        output_length: length,
        denials: Denials::default(),
        question_count: questions,
        has_errors: facts.errors
            || (rules.reads_block && fails_blocked(&said))
            || facts.whole().is_some_and(errors::is_shell_failure),
        is_error: false,
        truncated: false,
        tokens_used: 0,
        session_id: None,
        names_session: None,
        api_error: if limit.is_some() || block.is_some() { None } else { failed_call(facts) },
        api_limit: limit,
        api_usage: None,
        cost: Cost::default(),
        said,
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
    let subtype = report.get("subtype").as_str().unwrap_or_default();
    // A run that ended at a limit of the caller's is no failure: its session goes on (case S15).
    let failed = is_error && !LIMITS_OF_A_RUN.iter().any(|limit| subtype.starts_with(limit));
    let (has_result, spoken) = (report.has_result(), Spoken::of(&report, messages.assistant, messages.wanted));
    if spoken.read.cut {
        warnings.push("the result is longer than 1 MiB; work_summary has its beginning".to_owned());
    }
    let facts = &spoken.read.facts;
    let truncated = output.cut || no_result;
    // What a failed run says is no signal; of an output that was cut only what is whole counts.
    let block = if truncated { &facts.blocks.closed } else { &facts.blocks.last };
    let block = block.as_ref().filter(|_| !is_error && spoken.may_signal);
    let metadata = report.get("metadata");

    let finished = ["complete", "COMPLETE"].iter().any(|word| metadata["completion_status"] == *word);
    let complete =
        finished || flat_value(&report, "status").as_str().is_some_and(|status| status.eq_ignore_ascii_case("complete"));
    let (flat, in_block) = (flat_exit_signal(&report), block.and_then(|block| block.exit_signal));
    let block_complete = block.is_some_and(StatusBlock::is_complete);
    // A flat `true` stands; else the block may say more.
    let told = if flat == Some(true) { flat } else { in_block.or(flat) };
    let told = signal(told, spoken.may_signal && promised(facts, context));
    let exit_signal = !is_error && told.unwrap_or(complete || block_complete);
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
    let said = if is_error { Said::default() } else { by_block_or_flat(block, &report, &mut warnings) };
    let fields =
        [("metadata.files_changed", &metadata["files_changed"]), ("files_modified", flat_value(&report, "files_modified"))];
    let reported = fields.into_iter().find(|(_, value)| is_given(value));
    // A 0 there may only mean that nobody counted.
    let reported = match reported.map(|(name, value)| numbers::count(value, name, &mut warnings)) {
        _ if is_error => 0,
        None | Some(0) => reported_by_block(block, &mut warnings),
        Some(count) => count,
    };
    let files = Files::of(context.files, reported, &mut warnings);
    let names_session = session(&report).or(messages.session);
    let event = messages.rate_limit.as_ref().and_then(api_limit::in_event);

    let denials = permissions::denials(report.get("permission_denials"), context.allowed_tools);
    let limit = event.or_else(|| {
        // A whole result that is such a sentence is one, marked as an error or not (case S8).
        let alone = facts.whole().is_some_and(|lines| lines.take(2).count() == 1);
        if is_error || alone { limit_in(&facts.tail, context, &mut warnings) } else { None }
    });
    let call = if failed { api_error::of_failure(report.get("api_error_status"), &spoken.read.text) } else { failed_call(facts) };

    Analysis {
        format: if output.stream { OutputFormat::StreamJson } else { OutputFormat::Json },
        has_completion_signal,
        is_test_only: only_tests(&said, &files),
        is_stuck: error_count > STUCK_ABOVE,
        has_progress: files.counted || block_tells_progress(block, &files),
        files_modified: files.modified,
        confidence_score: if exit_signal { points::SIGNAL } else { u64::try_from(score).unwrap_or(0).min(MAX_SAFE_INTEGER) },
        exit_signal,
        explicit_exit_signal: !is_error && told.is_some(),
        output_length: length,
        question_count: facts.questions + if denials.asked_only { denials.count } else { 0 },
        denials,
        has_errors: facts.errors || metadata_errors || failed || fails_blocked(&said),
        is_error,
        truncated,
        tokens_used: numbers::in_range(tokens(&report), "the number of tokens", &mut warnings),
        session_id: if failed { None } else { names_session.clone() },
        names_session,
        api_error: if limit.is_some() || block.is_some() || (is_error && !failed) { None } else { call },
        api_limit: limit,
        api_usage: messages.usage,
        cost: Cost::of(&report),
        said,
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
    fn of(report: &Report, assistant: Option<String>, wanted: Groups) -> Self {
        if let Some(read) = report.text.as_ref().filter(|read| !read.text.is_empty()) {
            return Self { read: read.clone(), may_signal: true };
        }
        let errors = report.get("errors").as_array().map(|errors| errors.iter().map(as_text).collect::<Vec<_>>().join("\n"));
        // Of jq's `//` an empty result is a result: the summary does not stand in for it.
        let own = if report.text.is_none() { report.get("summary").as_str() } else { None };
        let summary = own.or_else(|| report.get("structured_output")["summary"].as_str());
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
                Some(Self { read: ReadText::of(&text, wanted), may_signal })
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

/// A field of the flat form: of the message itself, else of the structured output that was asked for (case S22).
fn flat_value<'a>(report: &'a Report, name: &str) -> &'a Value {
    let own = report.get(name);
    if is_given(own) {
        return own;
    }
    let structured = report.get("structured_output");
    let camel: String = name
        .split('_')
        .enumerate()
        .map(|(index, word)| {
            let (first, rest) = word.split_at_checked(1).unwrap_or_default();
            if index == 0 { word.to_owned() } else { first.to_ascii_uppercase() + rest }
        })
        .collect();
    match structured.get(name).or_else(|| structured.get(camel)) {
        Some(value) => value,
        None => own,
    }
}

fn flat_exit_signal(report: &Report) -> Option<bool> {
    let value =
        if report.members.contains_key("exit_signal") { report.get("exit_signal") } else { flat_value(report, "exit_signal") };
    let given = report.members.contains_key("exit_signal") || !value.is_null();
    given.then(|| *value == true || *value == "true")
}

/// The exit signal, where one was given: a promise is one, unless the block says `false` in so many words.
fn signal(told: Option<bool>, promised: bool) -> Option<bool> {
    if promised && told.is_none() { Some(true) } else { told }
}

/// Whether the promise was made that the caller waits for (case S23).
fn promised(facts: &TextFacts, context: &Context<'_>) -> bool {
    let wanted = promise::normal(context.completion_promise);
    !wanted.is_empty() && facts.promises.contains(&wanted)
}

/// The provider's failure that a text is which nothing marks as one: the whole of it, or the last line of a log.
fn failed_call(facts: &TextFacts) -> Option<ApiError> {
    let lossy = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let whole = facts.whole().map(|lines| lines.map(lossy).collect::<Vec<_>>().join("\n"));
    let last = facts.tail.iter().rev().find(|line| !line.trim_ascii().is_empty());
    let last = last.map(|line| lossy(line)).filter(|line| line.trim_start().starts_with("API Error"));
    whole.as_deref().and_then(api_error::of_text).or_else(|| api_error::of_text(&last?))
}

/// Blocked by tests that fail is an error, whether files changed or not (case S24).
fn fails_blocked(said: &Said) -> bool {
    said.is_blocked() && said.tests_status.as_deref() == Some("FAILING")
}

fn by_block(block: Option<&StatusBlock>, warnings: &mut Vec<String>) -> Said {
    let Some(block) = block else { return Said::default() };
    let tasks_completed = match &block.tasks_completed {
        Some(Ok(count)) => Some(numbers::in_range(*count, "TASKS_COMPLETED_THIS_LOOP of the status block", warnings)),
        _ => None,
    };
    Said {
        status: block.status.clone(),
        tests_status: block.tests_status.clone(),
        work_type: block.work_type.clone(),
        tasks_completed,
        recommendation: block.recommendation.clone(),
    }
}

fn by_block_or_flat(block: Option<&StatusBlock>, report: &Report, warnings: &mut Vec<String>) -> Said {
    let said = by_block(block, warnings);
    let word = |name: &str| {
        let word = flat_value(report, name).as_str()?.trim();
        let word: String = word.chars().take(60).collect::<String>().to_uppercase().replace([' ', '-'], "_");
        (!word.is_empty()).then_some(word)
    };
    let recommendation = || {
        let text = flat_value(report, "recommendation").as_str()?.trim();
        (!text.is_empty()).then(|| text.chars().take(RECOMMENDATION_SHOWN).collect())
    };
    let tasks = ["tasks_completed", "tasks_completed_this_loop"].into_iter().map(|name| (name, flat_value(report, name)));
    let tasks = tasks.into_iter().find(|(_, value)| value.is_number() || value.is_string());
    Said {
        status: said.status.or_else(|| word("status")),
        tests_status: said.tests_status.or_else(|| word("tests_status")),
        work_type: said.work_type.or_else(|| word("work_type")),
        tasks_completed: said.tasks_completed.or_else(|| tasks.map(|(name, value)| numbers::count(value, name, warnings))),
        recommendation: said.recommendation.or_else(recommendation),
    }
}

fn to_signed(points: u64) -> i64 {
    i64::try_from(points).unwrap_or(i64::MAX)
}

/// The files changed, and whether somebody counted them.
struct Files {
    counted: bool,
    modified: u64,
    /// Whether that is how many there are, whatever the output reports.
    certain: bool,
}

impl Files {
    fn of(changed: FilesChanged, reported: u64, warnings: &mut Vec<String>) -> Self {
        if matches!(changed, FilesChanged::Certain(0)) && reported > 0 {
            warnings
                .push(format!("the output reports {reported} changed files, but git sees none since the loop began; git counts"));
        }
        let certain = matches!(changed, FilesChanged::Certain(_));
        let (counted, modified) = match changed {
            FilesChanged::Counted(0) => (false, reported),
            FilesChanged::Told(count) | FilesChanged::Counted(count) | FilesChanged::Certain(count) => (count > 0, count),
        };
        Self { counted, modified, certain }
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
fn block_tells_progress(block: Option<&StatusBlock>, files: &Files) -> bool {
    block.is_some_and(|block| {
        let modified = matches!(block.files_modified, Some(Ok(count)) if count > 0) && !files.certain;
        modified || (block.is_complete() && block.exit_signal == Some(false))
    })
}

/// Whether the loop only ran tests: the flat form's word says so, the block's means work on tests as well, unless nothing was
/// modified nor completed (case S4: Ralph's own prompt, scenario 2).
fn only_tests(said: &Said, files: &Files) -> bool {
    match said.work_type.as_deref() {
        Some("TEST_ONLY") => true,
        Some("TESTING") => files.modified == 0 && said.tasks_completed.unwrap_or(0) == 0,
        _ => false,
    }
}

fn limit_in(tail: &VecDeque<Vec<u8>>, context: &Context<'_>, warnings: &mut Vec<String>) -> Option<ApiLimit> {
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
