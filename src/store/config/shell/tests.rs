use super::*;
use proptest::prelude::*;

fn environment() -> BTreeMap<String, String> {
    [("HOST_NAME", "box"), ("EMPTY", ""), ("CLAUDE_TIMEOUT_MINUTES", "9")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn value(script: &str) -> Option<String> {
    read(script.as_bytes(), &environment()).assignments.get("A").map(|assigned| assigned.value.clone())
}

macro_rules! values {
    ($($name:ident: $script:expr => $expected:expr;)*) => {
        $(#[test] fn $name() { assert_eq!(value($script).as_deref(), Some($expected), "{}", $script); })*
    };
}

values! {
    plain: "A=100" => "100";
    exported: "export A=5" => "5";
    exported_with_others: "export B=1 A=2 C" => "2";
    read_only: "readonly A=5\nA=6" => "5";
    declared: "declare -x A=5" => "5";
    declared_integer: "declare -i A=5" => "5";
    double_quotes: r#"A="a b""# => "a b";
    double_quote_escapes: r#"A="a\"b\\c\$d\`e\f""# => r#"a"b\c$d`e\f"#;
    single_quotes: r"A='a $B \ b'" => r"a $B \ b";
    joined_quotes: r#"A=a"b "'c d'e"# => "ab c de";
    escapes: r"A=a\ b\#c" => "a b#c";
    ansi_quotes: r"A=$'a\tb\'c'" => "a\tb'c";
    locale_quotes: r#"A=$"a b""# => "a b";
    empty: "A=" => "";
    comment_after: "A=5 # five" => "5";
    hash_in_word: "A=5#6" => "5#6";
    comment_line: "# A=1\nA=2 #A=3" => "2";
    the_last_wins: "A=1\nA=2" => "2";
    two_on_a_line: "B=1 A=2" => "2";
    semicolons: "B=1;A=2;C=3" => "2";
    and_after_assignment: "B=1 && A=2" => "2";
    indented: "  \tA=2" => "2";
    crlf: "A=5\r\nB=6\r\n" => "5";
    crlf_quoted: "A=\"5\"\r\n" => "5";
    bom: "\u{feff}A=5" => "5";
    continued_line: "A=1\\\n2\\\r\n3" => "123";
    continued_command: "export \\\n  A=1" => "1";
    multi_line_quotes: "A='a\nb'" => "a\nb";
    variable: "B=5\nA=$B" => "5";
    variable_in_braces: "B=5\nA=\"x${B}y\"" => "x5y";
    variable_of_the_environment: "A=$HOST_NAME-1" => "box-1";
    unset_variable: "A=a$NOWHERE" => "a";
    default_of_unset: "A=${NOWHERE:-5}" => "5";
    default_of_itself: "A=\"${A:-5}\"" => "5";
    default_of_empty: "A=${EMPTY:-5}" => "5";
    default_without_colon: "A=a${EMPTY-5}" => "a";
    default_of_set: "A=${HOST_NAME:-5}" => "box";
    default_in_default: "A=${X:-${Y:-${HOST_NAME}}}" => "box";
    default_with_quotes: r#"A="${X:-"a b"}""# => "a b";
    default_with_single_quotes: "A=${X:-'a}b'}" => "a}b";
    default_in_quotes_keeps_single_quotes: r#"A="${X:-'a'}""# => "'a'";
    default_with_brackets: r#"A="${X:-Write,Bash(git add *)}""# => "Write,Bash(git add *)";
    alternative_of_set: "A=${HOST_NAME:+5}" => "5";
    alternative_of_unset: "A=a${X:+5}" => "a";
    assigning_default: "A=${B:=5}\nA=$A$B" => "55";
    assigning_default_by_colon: ": \"${A:=5}\"" => "5";
    required_and_set: "A=${HOST_NAME:?no host}" => "box";
    dollar_alone: "A=\"5$\"" => "5$";
    append: "A=1\nA+=2" => "12";
    append_to_nothing: "A+=2" => "2";
    redirected: "A=5 >/dev/null" => "5";
    redirected_by_number: "A=5 2>/dev/null" => "5";
    assignments_see_those_before: "B=1 A=$B A+=$A" => "11";
    lent_assignments_are_taken_back: "B=1\nB=2 A=3 x\nA=$B" => "1";
    group: "{ A=5; }" => "5";
    after_heredoc: "cat <<EOF\nA=1\n\"\nEOF\nA=2" => "2";
    after_tab_heredoc: "cat <<-'E F'\n\tA=1\n\tE F\nA=2" => "2";
    after_array: "B=(a \"b\" # )\n c)\nA=2" => "2";
    after_function: "f() {\n A=1\n}\nA=2" => "2";
    after_function_keyword: "function f {\n A=1\n}\nA=2" => "2";
    function_alone: "A=2\nf() { local A=3; A=1; }" => "2";
    after_conditional: "if [[ $x == \"(\" ]]; then B=1; fi\nA=2" => "2";
    after_case: "case $1 in a|b) B=1;; \"c d\") B=2;; esac\nA=2" => "2";
    after_regex_test: "[[ $x =~ ^(a|b)+$ ]] && echo\nA=2" => "2";
    after_arithmetic: "(( x << 2 ))\nA=2" => "2";
    after_substitution: "B=$(cat <<EOF\n)\"'\nEOF\n)\nA=2" => "2";
    after_nested_substitution: "B=\"$(echo \"${C:-$(x ')')}\" # )\n)\"\nA=2" => "2";
    after_backticks: "B=`echo \\`x\\` '`\nA=2" => "2";
    after_process_substitution: "while read x; do :; done < <(ls)\nA=2" => "2";
    temporary: "A=1\nA=2 command x" => "1";
    in_pipeline: "A=1\nA=2 | cat" => "1";
    in_background: "A=1\nA=2 & B=1" => "1";
    in_subshell: "A=1\n(A=2)" => "1";
    on_condition: "A=1\nfalse && A=2" => "1";
    on_alternative: "A=1 || A=2" => "1";
    in_loop: "A=1\nfor i in 1 2; do A=$i; done" => "1";
    in_condition: "A=1\nif x; then A=2; else A=3; fi" => "1";
    in_group_on_condition: "A=1\nx && { A=2; }" => "1";
    after_return: "A=1\nreturn 0\nA=2" => "1";
    after_conditional_return: "[ -f x ] || return\nA=2" => "2";
    before_unclosed_quote: "A=1\nB=\"x\nA=2" => "1";
    unset_then_set: "A=1; unset A; A=2" => "2";
}

/// What is skipped: the first entry's name, line and reason; and A has no value.
macro_rules! skips {
    ($($name:ident: $script:expr => ($line:expr, $why:expr);)*) => {
        $(#[test] fn $name() {
            let script = read($script.as_bytes(), &environment());
            assert_eq!(script.assignments.get("A"), None, "{}", $script);
            let skipped = script.skipped.iter().find(|s| s.name.as_deref().is_none_or(|name| name == "A")).expect("skips");
            assert_eq!(skipped.line, $line);
            assert!(skipped.why.contains($why), "{}", skipped.why);
        })*
    };
}

skips! {
    substitution: "\nA=$(nproc)" => (2, "$(…)");
    quoted_substitution: "A=\"x $(nproc)\"" => (1, "$(…)");
    backticks: "A=`nproc`" => (1, "`…`");
    arithmetic: "A=$((1 + 2))" => (1, "$((…))");
    array: "A=(1 2)" => (1, "array");
    array_element: "A[0]=1" => (1, "array");
    declared_array: "declare -a A=x" => (1, "flags");
    pattern_removal: "A=${B%.*}" => (1, "${…}");
    length: "A=${#B}" => (1, "${…}");
    positional: "A=$1" => (1, "$1");
    home: "A=~/x" => (1, "~");
    unknown_variable: "B=$(nproc)\n\nA=$B" => (3, "line 1");
    unknown_default: "B=$(nproc)\nA=${B:-5}" => (2, "line 1");
    unknown_append: "A=$(x)\nA+=5" => (1, "$(…)");
    required_and_unset: "A=${B:?no}" => (1, "not set");
    conditional: "if x; then\n A=1\nfi" => (2, "`if`");
    loops: "while x; do A=1; done" => (1, "loop");
    cases: "case x in\n y) A=1;; esac" => (2, "`case`");
    conditional_and: "[ -f x ] && A=1" => (1, "&&");
    function: "f() { A=1; }" => (1, "function");
    conditional_unset: "if x; then unset B; fi\nA=$B" => (2, "line 1");
    blanks_around_equals: "A = 5" => (1, "no blanks");
    sourced: "source x" => (1, "source");
    unclosed_quote: "\nA=\"5" => (2, "never closed");
    unclosed_braces: "A=${B:-5" => (1, "never closed");
    unclosed_substitution: "A=$(x" => (1, "never closed");
    too_long: &format!("A={}", "x".repeat(MAX_VALUE + 1)) => (1, "64 KiB");
}

#[test]
fn doubling_stays_within_the_limit() {
    let script = format!("A=0123456789abcdef\n{}", "A=$A$A\n".repeat(60));
    let script = read(script.as_bytes(), &environment());
    assert_eq!(script.assignments["A"].value.len(), MAX_VALUE);
    assert_eq!(script.skipped[0].line, 14);
}

#[test]
fn copying_a_long_value_on_every_line_ends() {
    let script = format!("A={}\n{}", "x".repeat(MAX_VALUE), "B=$A\n".repeat(20_000));
    let script = read(script.as_bytes(), &environment());
    assert!(script.skipped.iter().any(|skipped| skipped.why.contains("too long")));
}

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    for opening in
        ["${A:-", "\"${A:-", "$(", "\"$(", "$((", "(", "{ ", "if x; then ", "`", "A[", "case x in a) ", "<<E ", "f() { "]
    {
        let deep = format!("A={}", opening.repeat(20_000));
        let lines = read(deep.as_bytes(), &environment()).skipped.into_iter().map(|skipped| skipped.line);
        assert!(lines.into_iter().all(|line| line == 1), "{opening}");
        let values = read(opening.repeat(20_000).as_bytes(), &environment()).assignments;
        assert_eq!(values, BTreeMap::new(), "{opening}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_tolerated() {
    let script = read(b"B=\xff\xfe\nA=5\0\nC='\xc3'", &environment());
    assert_eq!(script.assignments["A"].value, "5\0");
    assert_eq!(script.assignments["B"].value, "\u{fffd}\u{fffd}");
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let script = read(&bytes, &environment());
        prop_assert!(script.assignments.len() + script.skipped.len() <= bytes.len() + 1);
    }

    #[test]
    fn any_shell_like_text_is_read(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "A", "=", "+=", "B=1", "\n", " ", ";", "'", "\"", "\\", "`", "$", "$(", "${", "}", ")", "(", "((", "))", "$((", "<<E", "E\n",
            "#", "&&", "||", "|", "&", ">", "<", "if ", "fi", "case x in", "esac", "{ ", "function f", "[[ ", " ]]", "export ", ":-", "~", "[",
        ]), 0..60)) {
        let text = parts.concat();
        let script = read(text.as_bytes(), &environment());
        let lines = text.matches('\n').count() + 1;
        prop_assert!(script.skipped.iter().all(|skipped| (1..=lines).contains(&skipped.line)));
        prop_assert!(script.assignments.values().all(|assigned| (1..=lines).contains(&assigned.line)));
    }

    #[test]
    fn a_quoted_value_is_read_back(value in "[ -~\n\u{e9}]{0,40}", line in 0usize..5) {
        let single = format!("{}A='{}'\nB=1", "\n".repeat(line), value.replace('\'', r"'\''"));
        let escaped: String = value.chars().flat_map(|c| "\"\\$`".contains(c).then_some('\\').into_iter().chain([c])).collect();
        let double = format!("{}export A=\"{escaped}\" # note\nB=1", "\n".repeat(line));
        for text in [single, double] {
            let script = read(text.as_bytes(), &environment());
            prop_assert_eq!(&script.assignments["A"].value, &value);
            prop_assert_eq!(script.assignments["A"].line, line + 1);
            prop_assert_eq!(&script.assignments["B"].value, "1");
        }
    }
}
