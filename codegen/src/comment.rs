//! Documentation comments of TypeScript.

const WIDTH: usize = 112;

/// A `/** … */` comment of paragraphs, indented. Those that start with `-`, or with `@`, follow each other closely.
pub fn block(indent: &str, paragraphs: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut before = None;
    for paragraph in paragraphs {
        let mark = paragraph.chars().next().filter(|first| "-@".contains(*first));
        if !lines.is_empty() && (mark.is_none() || mark != before) {
            lines.push(String::new());
        }
        lines.extend(wrap(&paragraph.replace("*/", "*\\/"), WIDTH - indent.len()));
        before = mark;
    }
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let body: String = lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n").collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}

/// Lines of at most `width` characters, cut between words; an item's further lines are indented.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let hanging = if text.starts_with("- ") { "  " } else { "" };
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("{hanging}{word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(paragraphs: &[&str]) -> String {
        block("  ", &paragraphs.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn short_text_stays_on_one_line() {
        assert_eq!(block_of(&["What it is."]), "  /** What it is. */\n");
        assert_eq!(block_of(&[]), "");
    }

    #[test]
    fn items_follow_each_other_and_paragraphs_are_set_apart() {
        let text = block_of(&["Intro.", "- one", "- two", "After.", "@default 1"]);
        assert_eq!(text, "  /**\n   * Intro.\n   *\n   * - one\n   * - two\n   *\n   * After.\n   *\n   * @default 1\n   */\n");
    }

    #[test]
    fn long_lines_are_cut_between_words() {
        let text = block_of(&[&format!("- {}", "word ".repeat(60))]);
        assert!(text.lines().all(|line| line.len() <= WIDTH + 3), "{text}");
        assert!(text.contains("\n   *   word"), "{text}");
    }

    #[test]
    fn a_comment_cannot_be_ended_by_its_text() {
        assert_eq!(block_of(&["logs/*/x"]), "  /** logs/*\\/x */\n");
    }
}
