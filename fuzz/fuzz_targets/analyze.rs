//! Any output, cut anywhere: an answer, the same one however it comes, and no signal out of nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ralph_sdk_tools::Generation;
use ralph_sdk_tools::rules::analysis::{Analysis, Analyzer, Context, FilesChanged};
use ralph_sdk_tools::zone::Zone;

fn analyze<'a>(generation: Generation, pieces: impl Iterator<Item = &'a [u8]>) -> Analysis {
    let mut analyzer = Analyzer::new(generation);
    pieces.for_each(|piece| analyzer.feed(piece));
    analyzer.finish(&Context {
        files: FilesChanged::Counted(0),
        last_output_length: Some(100),
        blocking_tasks: false,
        allowed_tools: "Bash(git *),Bash(npm*),Read",
        now: chrono::DateTime::UNIX_EPOCH,
        zone: Zone::named("Europe/Berlin").expect("a zone"),
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, output)) = data.split_first() else { return };
    let size = usize::from(first % 32) + 1;
    for generation in [Generation::V0_9, Generation::V0_11] {
        let whole = analyze(generation, std::iter::once(output));
        assert_eq!(analyze(generation, output.chunks(size)), whole, "cut into pieces of {size}");
        assert!(whole.output_length <= output.len() as u64);
        assert!(!whole.is_error || (!whole.exit_signal && !whole.has_completion_signal && whole.session_id.is_none()));
        if whole.explicit_exit_signal && generation == Generation::V0_11 {
            assert!(!whole.has_completion_signal || whole.exit_signal || contains(output, b"complete"));
        }
    }
});

fn contains(output: &[u8], word: &[u8]) -> bool {
    output.to_ascii_lowercase().windows(word.len()).any(|window| window == word)
        // A word in JSON may be spelt in escapes.
        || output.contains(&b'\\')
}
