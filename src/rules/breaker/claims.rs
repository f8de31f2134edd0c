//! What a loop says that it did, beside what can be seen of it: warnings, and no more (bmalph #95, superpowers #2237).

/// What the loop says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claims {
    /// `TASKS_COMPLETED_THIS_LOOP`.
    pub tasks_completed: u64,
    /// `FILES_MODIFIED`.
    pub files_modified: u64,
}

/// What can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// Boxes of the plan that were ticked since the loop began; `None` where nobody knows.
    pub ticked: Option<u64>,
    /// Files that changed besides the plan, as far as anybody knows.
    pub changed: u64,
    /// Whether git is sure that there are none.
    pub certain: bool,
}

/// Warnings of what is claimed and cannot be seen.
#[must_use]
pub fn unfounded(claims: &Claims, seen: &Seen) -> Vec<String> {
    let Claims { tasks_completed, files_modified } = *claims;
    let mut warnings = Vec::new();
    if tasks_completed > 0 && seen.ticked == Some(0) {
        warnings.push(format!(
            "the loop says that it completed {tasks_completed} tasks, but no box of the plan was ticked since it began"
        ));
    }
    if let Some(ticked @ 1..) = seen.ticked
        && seen.changed == 0
    {
        warnings.push(format!(
            "{ticked} boxes of the plan were ticked in the loop, but nothing besides the plan is known to have changed"
        ));
    }
    if files_modified > 0 && seen.certain {
        warnings.push(format!("the loop says that it modified {files_modified} files, but git counts none since it began"));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_that_are_not_borne_out() {
        for (tasks_completed, files_modified, ticked, changed, certain, words) in [
            (2, 1, Some(0), 1, false, &["no box"][..]),
            (2, 1, Some(1), 1, false, &[]),
            (2, 1, None, 1, false, &[]),
            (0, 0, Some(0), 0, true, &[]),
            (1, 0, Some(1), 0, false, &["1 boxes"]),
            (0, 0, Some(3), 0, true, &["3 boxes"]),
            (0, 0, Some(3), 1, false, &[]),
            (0, 4, Some(0), 0, true, &["git counts none"]),
            (0, 4, Some(0), 0, false, &[]),
            (1, 4, Some(0), 0, true, &["no box", "git counts none"]),
        ] {
            let told = unfounded(&Claims { tasks_completed, files_modified }, &Seen { ticked, changed, certain });
            assert_eq!(told.len(), words.len(), "{told:?}");
            assert!(told.iter().zip(words).all(|(told, word)| told.contains(word)), "{told:?}");
        }
    }
}
