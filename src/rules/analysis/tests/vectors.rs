//! The answers recorded from bash: the `analyze` family, as far as pure rules decide it.

use serde_json::{Value, json};

use super::*;
use crate::generation::Generation;

fn fields(analysis: &Analysis, generation: Generation) -> Value {
    let mut fields = json!({
        "has_completion_signal": analysis.has_completion_signal,
        "is_test_only": analysis.is_test_only,
        "is_stuck": analysis.is_stuck,
        "has_progress": analysis.has_progress,
        "files_modified": analysis.files_modified,
        "confidence_score": analysis.confidence_score,
        "exit_signal": analysis.exit_signal,
        "work_summary": analysis.work_summary,
        "output_length": analysis.output_length,
    });
    if generation == Generation::V0_11 {
        let more = json!({
            "has_permission_denials": analysis.has_permission_denials(),
            "permission_denial_count": analysis.denials.count,
            "denied_commands": analysis.denials.commands,
            "has_compound_command_limitation": analysis.denials.compound_only,
            "compound_command_count": analysis.denials.compound_count(),
            "asking_questions": analysis.asking_questions(),
            "question_count": analysis.question_count,
        });
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
    }
    fields
}

/// The tools that `config` has built in; the vectors name their own where they matter.
const ALLOWED_TOOLS: &str = "Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(git diff *),Bash(git log *),Bash(git status),Bash(git status *),Bash(git push *),Bash(git pull *),Bash(git fetch *),Bash(git checkout *),Bash(git branch *),Bash(git stash *),Bash(git merge *),Bash(git tag *),Bash(npm *),Bash(pytest)";

#[test]
fn every_recorded_analysis_matches() {
    let vectors: Value = serde_json::from_str(include_str!("../../../../__test__/data/vectors.json")).unwrap();
    let mut steps = 0;
    for case in vectors.as_array().unwrap().iter().filter(|case| case["id"].as_str().unwrap().starts_with("analyze-")) {
        let generation = if case["generation"] == "0.9.0" { Generation::V0_9 } else { Generation::V0_11 };
        let state = if generation == Generation::V0_9 { "" } else { ".ralph/" };
        let file = |name: &str| format!("{state}{name}");
        let committed_length = case["files"][file(".last_output_length")].as_str().and_then(|text| text.trim().parse().ok());
        let mut last_length = committed_length;
        let changed = case["git"].as_array().map_or(0, Vec::len) as u64;
        for (index, step) in case["steps"].as_array().unwrap().iter().enumerate() {
            let name = step["input"]["outputFile"].as_str().unwrap();
            let output = step["write"][name].as_str().unwrap();
            let mut analyzer = Analyzer::new(generation);
            analyzer.feed(output.as_bytes());
            // v0.9 counts Ralph's own file too, once a step has rewritten the committed one.
            let own = generation == Generation::V0_9
                && case["git"].is_array()
                && committed_length.is_some()
                && last_length != committed_length;
            let analysis = analyzer.finish(&Context {
                files: FilesChanged::Counted(changed + u64::from(own)),
                last_output_length: last_length,
                allowed_tools: case["env"]["CLAUDE_ALLOWED_TOOLS"].as_str().unwrap_or(ALLOWED_TOOLS),
                ..context()
            });
            let actual = fields(&analysis, generation);
            let expected = &step["expect"]["files"][file(".response_analysis")];
            for (field, value) in expected["analysis"].as_object().unwrap() {
                assert_eq!(&actual[field], value, "{} step {index}: {field} of {output:?}", case["id"]);
            }
            if generation == Generation::V0_11 {
                assert_eq!(json!(analysis.format.as_str()), expected["output_format"], "{} step {index}", case["id"]);
                let session = &step["expect"]["files"][file(".claude_session_id")]["session_id"];
                if analysis.session_id.is_some() {
                    assert_eq!(analysis.session_id.as_deref(), session.as_str(), "{} step {index}", case["id"]);
                }
            }
            if analysis.format == OutputFormat::Text {
                last_length = Some(analysis.output_length);
            }
            steps += 1;
        }
    }
    assert!(steps > 200, "the vectors hold the analyze family: {steps} steps");
}
