//! What holds for every text.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::optional;
use crate::generation::Generation;
use crate::rules::plan::fences::still_in;
use crate::rules::plan::line::{Kind, Level, Line};
use crate::rules::plan::{Mark, Plan, set_mark, survey};

/// Lines that plans are made of, and the ones that trip readers.
pub(in super::super) const LINES: &[&str] = &[
    "- [ ] alpha",
    "- [x] alpha",
    "  * [/] [proj-001] beta",
    "1. [X] 字 gamma",
    "> - [ ] delta",
    "### - [ ] alpha",
    "- [ ] alpha 2",
    "- [ ] ✅",
    "- [-] gone",
    "- [!] odd",
    "- [\u{2714}] odd",
    "- [] empty",
    "- plain",
    "text",
    "",
    "  ",
    ">",
    "# One",
    "## Optional",
    "### Two:",
    "> ## Quoted",
    "```",
    "````",
    "```rust",
    "~~~",
    "  ```",
    "    ```",
    "> ```",
    "> > ~~~",
    "- ```",
    "      ```",
    "\t~~~~",
    "<!--",
    "-->",
    "- [ ] a <!-- b",
    "<!-- a -->",
    "`<!--`",
    "\u{feff}",
    "- - [ ] nested",
    "-",
    "``` `",
];

fn plan_text() -> impl Strategy<Value = String> {
    let line = (select(LINES), select(&["\n", "\n", "\n", "\r\n", "\r"][..]));
    (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        if cut {
            text.pop();
        }
        text
    })
}

/// Bytes near what a plan looks like.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![select(b"- []x/>#`~<!\n\r\t1.)(*+".to_vec()), any::<u8>()];
    prop::collection::vec(byte, 0..300)
}

fn parse(text: &[u8]) -> Plan {
    Plan::parse(text, &optional(), Generation::V0_11)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1024) })]

    #[test]
    fn counts_add_up_and_ids_are_unique(text in plan_text()) {
        let plan = parse(text.as_bytes());
        let totals = plan.totals();
        prop_assert_eq!(survey(text.as_bytes(), &optional(), Generation::V0_11), plan.survey(text.as_bytes()));
        prop_assert_eq!(totals.total, plan.tasks.len());
        prop_assert_eq!(totals.total, totals.completed + totals.pending());
        prop_assert!(totals.blocking <= totals.pending());
        let ids: HashSet<_> = plan.tasks.iter().map(|task| &task.id).collect();
        prop_assert_eq!(ids.len(), plan.tasks.len());
        prop_assert!(plan.tasks.iter().all(|task| !task.id.is_empty()));
        prop_assert!(plan.tasks.is_sorted_by_key(|task| task.offset));
    }

    #[test]
    fn ticking_changes_one_byte_and_nothing_else_of_the_list(text in plan_text(), which in any::<prop::sample::Index>()) {
        let text = text + "\n- [ ] nothing behind it can hide it";
        let before = parse(text.as_bytes());
        let index = which.index(before.tasks.len());
        let task = &before.tasks[index];
        let changed = set_mark(text.as_bytes(), task, !task.completed()).expect("the mark is not what it shall be");
        let (start, end) = (task.offset, task.offset + task.width);
        prop_assert_eq!(&changed[..start], &text.as_bytes()[..start]);
        prop_assert_eq!(&changed[start + 1..], &text.as_bytes()[end..]);
        prop_assert!(task.width == 1 || matches!(task.mark, Mark::Open | Mark::Other));
        let after = parse(&changed);
        prop_assert_eq!(after.tasks[index].completed(), !task.completed());
        let told = |plan: &Plan| -> Vec<_> {
            plan.tasks.iter().map(|task| (task.id.clone(), task.description.clone(), task.section.clone(), task.line)).collect()
        };
        prop_assert_eq!(told(&after), told(&before));
    }

    #[test]
    fn any_bytes_are_read(text in bytes()) {
        let plan = parse(&text);
        for task in &plan.tasks {
            let around = (text.get(task.offset - 1), text.get(task.offset + task.width));
            prop_assert_eq!(around, (Some(&b'['), Some(&b']')));
        }
    }

    #[test]
    fn moving_a_task_keeps_its_id(order in Just(["Alpha", "beta 2", "[#7] seven", "beta", "[P1] urgent"]).prop_shuffle()) {
        let text = format!("- [ ] {}\n", order.join("\n- [ ] "));
        let id = |text: &str| parse(format!("- [ ] {text}\n").as_bytes()).tasks[0].id.clone();
        for (task, text) in parse(text.as_bytes()).tasks.iter().zip(order) {
            prop_assert_eq!(&task.id, &id(text));
        }
    }

    #[test]
    fn a_fence_counts_if_a_look_ahead_finds_its_end(text in plan_text()) {
        // Comments are another matter; the look-ahead knows fences only.
        let text = text.replace("<!--", "").replace('\r', "\n");
        let lines: Vec<usize> = parse(text.as_bytes()).tasks.iter().map(|task| task.line).collect();
        prop_assert_eq!(lines, by_looking_ahead(&text), "{}", text);
    }
}

/// The plain way, quadratic: at each fence look for its end, and go on behind it if there is one.
fn by_looking_ahead(text: &str) -> Vec<usize> {
    let lines: Vec<&[u8]> = text.trim_start_matches('\u{feff}').split('\n').map(str::as_bytes).collect();
    let (mut items, mut tasks, mut paragraph) = (Vec::<Level>::new(), Vec::new(), false);
    let mut number = 0;
    while let Some(line) = lines.get(number) {
        number += 1;
        let mut new_items = Vec::new();
        let line = Line::read(line, &mut new_items);
        let text = matches!(line.kind, Kind::Text);
        if !(paragraph && text && new_items.is_empty() && line.place.quotes == 0) {
            items.truncate(still_in(&items, |item| *item, &line.place));
        }
        items.extend(new_items);
        paragraph = text || matches!(line.kind, Kind::Task(..) | Kind::Dropped);
        match line.kind {
            Kind::Task(..) => tasks.push(number),
            Kind::Fence(fence) if fence.opens => {
                let block = items.last().filter(|item| item.quotes == line.text.quotes).map_or(0, |item| item.column);
                if line.text.column >= block + 4 {
                    continue;
                }
                let level = Level { quotes: line.text.quotes, column: block };
                for (index, inner) in lines.iter().enumerate().skip(number) {
                    let inner = Line::read(inner, &mut Vec::new());
                    let inside = inner.place.quotes == level.quotes && inner.place.indent <= level.column + 3;
                    if let Kind::Fence(end) = inner.kind
                        && (end.closes && end.tilde == fence.tilde && end.length >= fence.length && inside)
                    {
                        number = index + 1;
                        items.retain(|item| *item <= level);
                        items.truncate(still_in(&items, |item| *item, &inner.place));
                        break;
                    }
                    if still_in(&[level], |level| *level, &inner.place) == 0 {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    tasks
}
