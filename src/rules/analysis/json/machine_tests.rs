use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Keeps everything, as JSON.
#[derive(Default)]
struct Everything {
    key: String,
    raw: Vec<u8>,
    text: Option<Vec<u8>>,
    message: Vec<(String, Value)>,
    messages: Vec<Value>,
}

impl Everything {
    fn flush(&mut self) {
        let key = std::mem::take(&mut self.key);
        if let Some(text) = self.text.take() {
            let quoted = [b"\"".as_slice(), &text, b"\""].concat();
            self.message.push((key, serde_json::from_slice(&quoted).unwrap()));
        } else if !self.raw.is_empty() {
            self.message.push((key, serde_json::from_slice(&self.raw).unwrap()));
            self.raw.clear();
        }
    }
}

impl Sink for Everything {
    fn begin(&mut self, _in_array: bool) {
        self.message.clear();
    }
    fn key(&mut self, key: &[u8]) -> Want {
        self.flush();
        self.key = String::from_utf8(key.to_vec()).unwrap();
        match self.key.as_str() {
            "skip" => Want::Skip,
            "text" => Want::Text,
            _ => Want::Keep,
        }
    }
    fn value(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
    }
    fn text(&mut self, raw: &[u8], first: bool) {
        assert_eq!(first, self.text.is_none());
        self.text.get_or_insert_default().extend_from_slice(raw);
    }
    fn end(&mut self) {
        self.flush();
        self.messages.push(Value::Object(self.message.drain(..).collect()));
    }
}

fn read(chunks: &[&[u8]]) -> Result<Vec<Value>, ()> {
    let (mut machine, mut sink) = (Machine::default(), Everything::default());
    for chunk in chunks {
        machine.feed(chunk, &mut sink).map_err(|_| ())?;
    }
    if machine.is_inside() { Err(()) } else { Ok(sink.messages) }
}

#[test]
fn shapes() {
    let one = br#" {"a": 1, "b": {"a": [2, {}]}, "text": "x\n\"y", "skip": [[]], "c": true, "d": null, "e": -1.5e3} "#;
    let expected = json!({"a": 1, "b": {"a": [2, {}]}, "text": "x\n\"y", "c": true, "d": null, "e": -1500.0});
    assert_eq!(read(&[one]), Ok(vec![expected]));
    assert_eq!(read(&[br#"[{"a":1},7,[{"a":2}],{}]"#]), Ok(vec![json!({"a": 1}), json!({})]));
    assert_eq!(read(&[b"{\"a\":1}\n{\"text\":\"\"}{}\n"]), Ok(vec![json!({"a": 1}), json!({"text": ""}), json!({})]));
    assert_eq!(read(&[br#"{"text":{"a":[1]},"b":2}"#]), Ok(vec![json!({"text": {"a": [1]}, "b": 2})]));
}

#[test]
fn what_is_no_json() {
    let bad: &[&[u8]] = &[
        b"x",
        b"1",
        b"{",
        b"{]",
        b"[}",
        b"{\"a\"}",
        b"{\"a\":}",
        b"{\"a\":1,}",
        b"{a:1}",
        b"[1 2]",
        b"[tru]",
        b"[nulll]",
        b"[main]: x",
        b"{\"a\":\"\n\"}",
        b"{\"a\":\"\\x\"}",
        b"{\"a\":1}}",
        b"[,1]",
    ];
    for text in bad {
        assert_eq!(read(&[text]), Err(()), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn depth_costs_bits() {
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert_eq!(read(&[&deep]), Ok(vec![]));
    let open = b"[{\"a\":".repeat(100_000);
    assert_eq!(read(&[&open]), Err(()));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z]{1,4}", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_object_comes_back_however_it_is_cut(
        members in prop::collection::hash_map("[a-z]{1,5}|text", values(), 0..5),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        pretty in any::<bool>(),
    ) {
        let message = Value::Object(members.into_iter().filter(|(key, _)| key != "skip").collect());
        let text = if pretty { serde_json::to_string_pretty(&message) } else { serde_json::to_string(&message) }.unwrap();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let mut start = 0;
        let chunks: Vec<&[u8]> = ends.iter().map(|&end| { let chunk = &text.as_bytes()[start..end]; start = end; chunk }).collect();
        prop_assert_eq!(read(&chunks), Ok(vec![message]));
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&[&bytes]);
    }

    #[test]
    fn nothing_panics_on_what_looks_like_json(text in "[\\[\\]{}\",:\\\\a1tn \n]{0,60}") {
        let _ = read(&[text.as_bytes()]);
    }
}
