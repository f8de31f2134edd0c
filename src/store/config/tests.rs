use super::*;
use crate::options::TeamOptions;

fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn resolve(options: &ConfigOptions, variables: &[(&str, &str)], ralphrc: &str) -> Result<(Config, Vec<String>)> {
    let file = (!ralphrc.is_empty()).then_some((Path::new(".ralphrc"), ralphrc.as_bytes()));
    Config::resolve(options, &environment(variables), file, &[])
}

/// A file that assigns every name, but that of the allowed tools, which differs.
const EVERYTHING: &str = "MAX_CALLS_PER_HOUR=1\nMAX_TOKENS_PER_HOUR=2\nCB_NO_PROGRESS_THRESHOLD=3\nCB_SAME_ERROR_THRESHOLD=4
CB_PERMISSION_DENIAL_THRESHOLD=5\nCB_COOLDOWN_MINUTES=6\nCB_AUTO_RESET=true\nOPTIONAL_SECTIONS='A b, C'
COMPLETION_PROMISE='ALL DONE'\nSTOP_AT_OVERAGE=true\nCLAUDE_SESSION_EXPIRY_HOURS=7\n";

fn everything() -> Config {
    Config {
        max_calls_per_hour: 1,
        max_tokens_per_hour: 2,
        no_progress_threshold: 3,
        same_error_threshold: 4,
        permission_denial_threshold: 5,
        cooldown_minutes: 6,
        auto_reset: true,
        optional_sections: vec!["A b".into(), "C".into()],
        allowed_tools: "Read".into(),
        completion_promise: "ALL DONE".into(),
        stop_at_overage: true,
        session_expiry_hours: 7,
        team: TeamConfig::default(),
    }
}

fn built_in() -> Config {
    Config {
        max_calls_per_hour: 100,
        max_tokens_per_hour: 0,
        no_progress_threshold: 3,
        same_error_threshold: 5,
        permission_denial_threshold: 2,
        cooldown_minutes: 30,
        auto_reset: false,
        optional_sections: vec!["Optional".into(), "Future".into(), "Future Enhancements".into(), "Nice to Have".into()],
        allowed_tools: "Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(git diff *),Bash(git log *),\
            Bash(git status),Bash(git status *),Bash(git push *),Bash(git pull *),Bash(git fetch *),Bash(git checkout *),\
            Bash(git branch *),Bash(git stash *),Bash(git merge *),Bash(git tag *),Bash(npm *),Bash(pytest)"
            .into(),
        completion_promise: String::new(),
        stop_at_overage: false,
        session_expiry_hours: 24,
        team: TeamConfig::default(),
    }
}

#[test]
fn built_in_values_are_those_of_the_contract() {
    assert_eq!(resolve(&ConfigOptions::default(), &[], "").unwrap(), (built_in(), vec![]));
}

#[test]
fn each_source_sets_every_setting() {
    let ralphrc = format!("{EVERYTHING}ALLOWED_TOOLS=Read\n");
    assert_eq!(resolve(&ConfigOptions::default(), &[], &ralphrc).unwrap(), (everything(), vec![]));
    let script = format!("{EVERYTHING}CLAUDE_ALLOWED_TOOLS=Read\n");
    let scripts = [(PathBuf::from("ralph_loop.sh"), script.into_bytes())];
    let none = environment(&[]);
    assert_eq!(Config::resolve(&ConfigOptions::default(), &none, None, &scripts).unwrap(), (everything(), vec![]));
    let variables: BTreeMap<String, String> = shell::read(EVERYTHING.as_bytes(), &none)
        .assignments
        .into_iter()
        .map(|(name, assigned)| (name, assigned.value))
        .chain([("CLAUDE_ALLOWED_TOOLS".to_owned(), "Read".to_owned())])
        .collect();
    assert_eq!(Config::resolve(&ConfigOptions::default(), &variables, None, &[]).unwrap(), (everything(), vec![]));
    let options = ConfigOptions {
        max_calls_per_hour: Some(1),
        max_tokens_per_hour: Some(2),
        no_progress_threshold: Some(3),
        same_error_threshold: Some(4),
        permission_denial_threshold: Some(5),
        cooldown_minutes: Some(6),
        auto_reset: Some(true),
        optional_sections: Some(vec!["A b".into(), "C".into()]),
        allowed_tools: Some("Read".into()),
        completion_promise: Some("ALL DONE".into()),
        stop_at_overage: Some(true),
        session_expiry_hours: Some(7),
        team: TeamOptions::default(),
    };
    assert_eq!(resolve(&options, &[], "").unwrap(), (everything(), vec![]));
}

#[test]
fn precedence_is_option_environment_ralphrc_scripts_built_in() {
    let option = ConfigOptions { max_calls_per_hour: Some(1), ..ConfigOptions::default() };
    let variable = environment(&[("MAX_CALLS_PER_HOUR", "2")]);
    let ralphrc: (&Path, &[u8]) = (Path::new(".ralphrc"), b"MAX_CALLS_PER_HOUR=3");
    let scripts = [(PathBuf::from("ralph_loop.sh"), b"MAX_CALLS_PER_HOUR=4".to_vec())];
    let calls = |options: &ConfigOptions, variables: &BTreeMap<_, _>, file, scripts: &[_]| {
        Config::resolve(options, variables, file, scripts).unwrap().0.max_calls_per_hour
    };
    let (no_option, no_variable) = (ConfigOptions::default(), environment(&[]));
    assert_eq!(calls(&option, &variable, Some(ralphrc), &scripts), 1);
    assert_eq!(calls(&no_option, &variable, Some(ralphrc), &scripts), 2);
    assert_eq!(calls(&no_option, &no_variable, Some(ralphrc), &scripts), 3);
    assert_eq!(calls(&no_option, &no_variable, None, &scripts), 4);
    assert_eq!(calls(&no_option, &no_variable, None, &[]), 100);
}

#[test]
fn case_25_options_and_environment_win_over_ralphrc() {
    let option = ConfigOptions { max_calls_per_hour: Some(5), ..ConfigOptions::default() };
    let variables = [("CB_NO_PROGRESS_THRESHOLD", "10")];
    for file in
        ["MAX_CALLS_PER_HOUR=100\nCB_NO_PROGRESS_THRESHOLD=3\n", "MAX_CALLS_PER_HOUR=100\r\nCB_NO_PROGRESS_THRESHOLD=3\r\n"]
    {
        let (config, warnings) = resolve(&option, &variables, file).unwrap();
        assert_eq!((config.max_calls_per_hour, config.no_progress_threshold), (5, 10));
        assert_eq!(warnings, Vec::<String>::new());
    }
    let (config, _) =
        resolve(&ConfigOptions::default(), &[], "\u{feff}MAX_CALLS_PER_HOUR=\"7\"\r\nCB_AUTO_RESET=true\r\n").unwrap();
    assert_eq!((config.max_calls_per_hour, config.auto_reset), (7, true));
}

#[test]
fn a_value_of_the_wrong_kind_names_its_place() {
    let rows = [
        ("MAX_CALLS_PER_HOUR=many", ".ralphrc line 1: MAX_CALLS_PER_HOUR is \"many\""),
        ("# c\n\nexport CB_COOLDOWN_MINUTES=-1", ".ralphrc line 3: CB_COOLDOWN_MINUTES is \"-1\""),
        ("MAX_CALLS_PER_HOUR=1.5", "whole number"),
        ("MAX_CALLS_PER_HOUR=+5", "whole number"),
        ("MAX_CALLS_PER_HOUR=0x10", "whole number"),
        ("MAX_CALLS_PER_HOUR=", "whole number"),
        ("MAX_CALLS_PER_HOUR=99999999999999999999", "whole number"),
        ("CB_NO_PROGRESS_THRESHOLD=0", "from 1"),
        ("CB_AUTO_RESET=perhaps", "`true` or `false`"),
    ];
    for (file, expected) in rows {
        let error = resolve(&ConfigOptions::default(), &[], file).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ConfigInvalid, "{file}");
        assert!(error.message().contains(expected), "{file}: {}", error.message());
    }
    let error = resolve(&ConfigOptions::default(), &[("MAX_TOKENS_PER_HOUR", "abc")], "").unwrap_err();
    assert!(error.message().starts_with("environment variable MAX_TOKENS_PER_HOUR is \"abc\""), "{}", error.message());
    let option = ConfigOptions { same_error_threshold: Some(0), ..ConfigOptions::default() };
    assert_eq!(resolve(&option, &[], "").unwrap_err().code(), ErrorCode::InvalidInput);
}

#[test]
fn only_the_source_that_wins_is_checked() {
    let option = ConfigOptions { max_calls_per_hour: Some(5), ..ConfigOptions::default() };
    assert_eq!(resolve(&option, &[("MAX_CALLS_PER_HOUR", "x")], "MAX_CALLS_PER_HOUR=y").unwrap().0.max_calls_per_hour, 5);
}

#[test]
fn empty_variables_count_as_unset_and_empty_texts_as_bash_has_them() {
    let variables = [("MAX_CALLS_PER_HOUR", ""), ("OPTIONAL_SECTIONS", "")];
    assert_eq!(resolve(&ConfigOptions::default(), &variables, "MAX_CALLS_PER_HOUR=' 08 '").unwrap().0.max_calls_per_hour, 8);
    let (config, _) = resolve(&ConfigOptions::default(), &[], "OPTIONAL_SECTIONS=\"\"\nALLOWED_TOOLS=\"\"\n").unwrap();
    assert_eq!(config, Config { optional_sections: vec![], ..built_in() });
    let (config, _) = resolve(&ConfigOptions::default(), &[], "ALLOWED_TOOLS=A\nCLAUDE_ALLOWED_TOOLS=B\n").unwrap();
    assert_eq!(config.allowed_tools, "A");
    let (config, _) = resolve(&ConfigOptions::default(), &[], "CLAUDE_ALLOWED_TOOLS=B\n").unwrap();
    assert_eq!(config.allowed_tools, "B");
}

#[test]
fn skipped_lines_are_warned_of_settings_one_by_one_others_together() {
    let file = "MAX_CALLS_PER_HOUR=$(nproc)\nX=$(id)\nY=(a b)\nif true; then CB_AUTO_RESET=true; fi\nsource other\n";
    let (config, warnings) = resolve(&ConfigOptions::default(), &[], file).unwrap();
    assert_eq!(config, built_in());
    assert_eq!(warnings.len(), 4, "{warnings:#?}");
    assert!(warnings[0].starts_with(".ralphrc line 1: the assignment of MAX_CALLS_PER_HOUR was skipped: `$(…)` needs a shell"));
    assert!(warnings[1].starts_with(".ralphrc line 4: the assignment of CB_AUTO_RESET was skipped: it is inside `if`"));
    assert!(warnings[2].starts_with(".ralphrc line 5: the line was skipped: `source` needs a shell"));
    assert!(warnings[3].starts_with(".ralphrc: assignments on line 2, 3 need a shell"));
    let endless = "MAX_CALLS_PER_HOUR=$(x)\n".repeat(1000);
    assert_eq!(resolve(&ConfigOptions::default(), &[], &endless).unwrap().1.len(), 11);
}

#[test]
fn scripts_are_read_at_their_top_level_and_never_warn() {
    let breaker =
        "#!/bin/bash\nCB_NO_PROGRESS_THRESHOLD=7      # loops\ninit() {\n  CB_SAME_ERROR_THRESHOLD=99\n  local x=$(date)\n}\n";
    let main = "set -e\nLOG=\"$(pwd)/x\"\nMAX_CALLS_PER_HOUR=50  # plan\nwhile [[ $# -gt 0 ]]; do\n case $1 in\n  -c) MAX_CALLS_PER_HOUR=\"$2\"; shift 2;;\n esac\ndone\n";
    let scripts = [("ralph_loop.sh", main), ("lib/circuit_breaker.sh", breaker)]
        .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
    let (config, warnings) = Config::resolve(&ConfigOptions::default(), &environment(&[]), None, &scripts).unwrap();
    assert_eq!(config, Config { max_calls_per_hour: 50, no_progress_threshold: 7, ..built_in() });
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn files_are_read_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path(".ralphrc"), "MAX_CALLS_PER_HOUR=7\nX=$(id)\n").unwrap();
    fs::write(path("ralph_loop.sh"), "MAX_CALLS_PER_HOUR=8\nMAX_TOKENS_PER_HOUR=9\n").unwrap();
    fs::create_dir(path("lib")).unwrap();
    let scripts = vec![path("ralph_loop.sh"), path("lib"), path("ralph_loop.sh/under/a/file"), path("missing")];
    let files = Files { ralphrc: Some(path(".ralphrc")), scripts };
    let (config, warnings) = Config::load(&ConfigOptions::default(), &Environment::default(), &files).unwrap();
    assert_eq!((config.max_calls_per_hour, config.max_tokens_per_hour), (7, 9));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    fs::remove_file(path(".ralphrc")).unwrap();
    fs::create_dir(path(".ralphrc")).unwrap();
    let (config, warnings) = Config::load(&ConfigOptions::default(), &Environment::default(), &files).unwrap();
    assert_eq!((config.max_calls_per_hour, warnings), (8, vec![]));
}

#[test]
fn options_say_what_the_settings_are() {
    use crate::options::Options;
    use crate::schema::Kind as OptionKind;
    for setting in setting::ALL {
        let option = Options::FIELDS.iter().find(|field| field.name == setting.option);
        let option = option.unwrap_or_else(|| panic!("no option {}", setting.option));
        if let (Kind::Integer { min, max }, OptionKind::Integer { min: least, max: most }) = (setting.kind, option.kind) {
            assert_eq!((least, most), (min, max), "{}", setting.option);
        }
        assert!(option.default.contains(&format!("`{}`", setting.variable)), "{}", option.default);
        if setting.kind != Kind::Text {
            let built_in = setting.built_in.replace(',', ", ");
            assert!(option.default.ends_with(&format!("built in: {built_in}")), "{}", option.default);
        }
    }
}
