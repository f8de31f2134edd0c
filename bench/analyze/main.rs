//! The analyzer beside ripgrep, Node and bash's own greps, on the same generated log in one run: `cargo bench --bench analyze`.
//!
//! `BENCH_MIB` (default 100) is the log's size, `BENCH_ROUNDS` (default 3) how often each is run; the fastest counts.
//! What is not installed is left out, with a line that says so.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ralph_sdk_tools::Generation;
use ralph_sdk_tools::rules::analysis::json::last::last_result;
use ralph_sdk_tools::rules::analysis::json::report::Report;
use ralph_sdk_tools::rules::analysis::needles::NEEDLES;
use ralph_sdk_tools::rules::analysis::{Analysis, Analyzer, Context, FilesChanged};
use ralph_sdk_tools::zone::Zone;

mod logs;

const GREPS: &str = include_str!("greps.sh");
const NODE_TEXT: &str = include_str!("text.mjs");
const NODE_STREAM: &str = include_str!("stream.mjs");

fn main() -> io::Result<()> {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (mebibytes, rounds): (u64, u64) = (number("BENCH_MIB", 100), number("BENCH_ROUNDS", 3));
    let folder = tempfile::tempdir()?;
    let size = mebibytes << 20;
    let text = folder.path().join("claude_output_text.log");
    let stream = folder.path().join("claude_output_stream.log");
    logs::write(&text, size, logs::text_line)?;
    logs::write_stream(&stream, size)?;
    let patterns = folder.path().join("patterns");
    fs::write(
        &patterns,
        NEEDLES.iter().fold(String::new(), |mut list, (needle, _)| {
            let _ = writeln!(list, "{needle}");
            list
        }),
    )?;
    let script = |name: &str, source: &str| {
        let path = folder.path().join(name);
        fs::write(&path, source).map(|()| path)
    };
    let (greps, node_text, node_stream) =
        (script("greps.sh", GREPS)?, script("text.mjs", NODE_TEXT)?, script("stream.mjs", NODE_STREAM)?);

    println!("{mebibytes} MiB each, one thread, the fastest of {rounds} rounds; the page cache is warm\n");
    println!("{:<44} {:>9} {:>9} {:>8}", "text log", "ms", "MiB/s", "here is");
    let here = fastest(rounds, || drop(analyze(&text)));
    row("this analyzer", here, here, mebibytes);
    for (name, program, arguments) in [
        (
            "rg -ci, the same words (one thread)",
            "rg",
            vec!["-ci".into(), "--threads=1".into(), "-f".into(), patterns, text.clone()],
        ),
        ("Node stream, the same work", "node", vec![node_text, text.clone()]),
        ("grep as bash Ralph runs it", "bash", vec![greps, text.clone()]),
    ] {
        let rounds = if program == "bash" { 1 } else { rounds };
        other(name, program, &arguments, rounds, here, mebibytes);
    }

    println!("\n{:<44} {:>9} {:>9} {:>8}", "stream-json log", "ms", "MiB/s", "here is");
    let here = fastest(rounds, || drop(analyze(&stream)));
    row("this analyzer, every line validated", here, here, mebibytes);
    other("Node stream, JSON.parse of each line", "node", &[node_stream, stream.clone()], rounds, here, mebibytes);
    other(
        "jq, every line",
        "jq",
        &["-c".into(), "select(.type == \"result\") | .session_id".into(), stream.clone()],
        1,
        here,
        mebibytes,
    );
    let end = fastest(rounds, || drop(last_of(&stream)));
    println!("\nthe last result alone, read from the file's end: {:.3} ms", end.as_secs_f64() * 1000.0);
    Ok(())
}

fn analyze(path: &Path) -> Option<Analysis> {
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0; 128 * 1024];
    let mut analyzer = Analyzer::new(Generation::V0_11);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            read => analyzer.feed(buffer.get(..read)?),
        }
    }
    Some(analyzer.finish(&Context {
        files: FilesChanged::Counted(0),
        last_output_length: None,
        blocking_tasks: false,
        allowed_tools: "",
        completion_promise: "",
        now: chrono::DateTime::UNIX_EPOCH,
        zone: Zone::utc(),
    }))
}

fn last_of(path: &Path) -> Option<Report> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    last_result(size, |start, length| {
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes).map(|()| bytes)
    })
    .unwrap_or(None)
}

fn fastest(rounds: u64, mut run: impl FnMut()) -> Duration {
    let timed = (0..rounds.max(1)).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}

fn other(name: &str, program: &str, arguments: &[std::path::PathBuf], rounds: u64, here: Duration, mebibytes: u64) {
    let mut failed = None;
    let time = fastest(rounds, || {
        let run = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match run {
            Err(error) => failed = Some(error.to_string()),
            // grep and rg end with 1 where nothing matches.
            Ok(status) if status.code().is_none_or(|code| code > 1) => failed = Some(status.to_string()),
            Ok(_) => {}
        }
    });
    match failed {
        Some(why) => println!("{name:<44} left out: {program}: {why}"),
        None => row(name, time, here, mebibytes),
    }
    let _ = io::stdout().flush();
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
fn row(name: &str, time: Duration, here: Duration, mebibytes: u64) {
    let seconds = time.as_secs_f64();
    println!("{name:<44} {:>9.1} {:>9.0} {:>7.1}x", seconds * 1000.0, mebibytes as f64 / seconds, seconds / here.as_secs_f64());
}
