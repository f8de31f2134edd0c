mod cases;
mod hostile;
mod streams;
mod vectors;

use super::*;

/// Plain circumstances: no git, no tasks, noon in UTC.
pub fn context() -> Context<'static> {
    Context {
        files: FilesChanged::Counted(0),
        last_output_length: None,
        blocking_tasks: false,
        allowed_tools: "",
        completion_promise: "",
        now: "2026-03-04T12:00:00Z".parse().unwrap(),
        zone: Zone::utc(),
    }
}

/// Analyzes an output under v0.11, fed in one piece.
pub fn analyze(output: &str) -> Analysis {
    analyze_with(output.as_bytes(), &context())
}

pub fn analyze_with(output: &[u8], context: &Context<'_>) -> Analysis {
    let mut analyzer = Analyzer::new(Generation::V0_11);
    analyzer.feed(output);
    analyzer.finish(context)
}
