//! The tables of the guarded loop in `docs/INTEGRATION.md`: the engine's own rows.

use ralph_sdk_tools::engine::LoopWaitReason;
use ralph_sdk_tools::engine::table::{FINISHES, GATES, ROWS, State, VERDICTS};

use crate::reference::{Part, code, table};

/// The generated parts of the document.
pub fn parts() -> Vec<Part> {
    vec![("loop events", events()), ("loop gates", gates()), ("loop verdicts", verdicts()), ("loop endings", endings())]
}

fn states(states: &[State]) -> String {
    if states.len() == State::ALL.len() {
        return "any".to_owned();
    }
    states.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(", ")
}

fn events() -> String {
    // What does nothing needs no line of its own, unless it says why.
    let rows = ROWS.iter().filter(|row| row.doc != "nothing");
    table(
        &["event", "while", "what happens", "after it"],
        rows.map(|row| vec![code(row.event.as_str()), states(row.states), row.doc.to_owned(), states(row.next)]),
    )
}

fn gates() -> String {
    let rows = GATES.iter().enumerate();
    table(
        &["", "gate", "refused, the run"],
        rows.map(|(index, (_, asks, refused))| vec![(index + 1).to_string(), (*asks).to_owned(), (*refused).to_owned()]),
    )
}

fn verdicts() -> String {
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    table(
        &["known by", "recorded", "status.json", "Claude's session goes on", "wait", "how long"],
        VERDICTS.iter().map(|row| {
            vec![
                row.known_by.to_owned(),
                yes(row.counted),
                row.report.join(" / "),
                yes(row.keeps_session),
                row.wait.map_or_else(String::new, |reason: LoopWaitReason| code(reason.as_str())),
                row.pause.to_owned(),
            ]
        }),
    )
}

fn endings() -> String {
    table(
        &["status / last action", "exit reason", "when"],
        FINISHES
            .iter()
            .map(|row| vec![format!("{} / {}", row.status, row.last_action), row.exit_reason.to_owned(), row.doc.to_owned()]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_verdict_and_end_has_its_line() {
        assert_eq!(gates().lines().count(), GATES.len() + 2);
        assert_eq!(verdicts().lines().count(), VERDICTS.len() + 2);
        assert_eq!(endings().lines().count(), FINISHES.len() + 2);
        assert!(events().contains("| `stop` | loop open |"));
    }
}
