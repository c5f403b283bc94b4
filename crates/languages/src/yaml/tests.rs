//! Trees know where they stand, and nothing that people or machines write breaks the reader.

use super::reader::{Node, Value, read};
use super::*;
use crate::sources::Language;

fn source(text: &str) -> Source {
    Source::new(None, "a.yml".to_owned(), Language::Yaml, text.to_owned())
}

/// Every scalar with the part of the file that its text leads back to.
fn scalars_of<'s>(source: &'s Source, node: &Node<'s>, found: &mut Vec<(&'s str, &'s str)>) {
    match &node.value {
        Value::Scalar(scalar) => {
            let origin = node.origin(source);
            let span = origin.span(0, scalar.text.len());
            found.push((scalar.text, &source.text[span.range()]));
        }
        Value::List(items) => items.iter().for_each(|item| scalars_of(source, item, found)),
        Value::Map(entries) => entries.iter().for_each(|entry| scalars_of(source, &entry.value, found)),
    }
}

fn shown(text: &str) -> Vec<(String, String)> {
    let source = source(text);
    let mut found = Vec::new();
    for root in &read(&source).expect("YAML").roots {
        scalars_of(&source, root, &mut found);
    }
    found.into_iter().map(|(text, file)| (text.to_owned(), file.to_owned())).collect()
}

fn pair(text: &str, file: &str) -> (String, String) {
    (text.to_owned(), file.to_owned())
}

#[test]
fn texts_lead_back_to_the_file() {
    assert_eq!(shown("a: b c\n"), [pair("b c", "b c")]);
    assert_eq!(shown("a: \"b\"\nc: 'd''e'\n"), [pair("b", "b"), pair("d'e", "d''e")]);
    assert_eq!(shown("a: \"x\\ty\\u0041z\"\n"), [pair("x\tyAz", "x\\ty\\u0041z")]);
    assert_eq!(shown("a: one\n  two\n\n  three\n"), [pair("one two\nthree", "one\n  two\n\n  three")]);
    assert_eq!(shown("- 'ä'\n- \"ö\\n\"\n- ü x\n"), [pair("ä", "ä"), pair("ö\n", "ö\\"), pair("ü x", "ü x")]);
    // The letter that `\L` stands for is longer than the escape.
    assert_eq!(shown("a: \"\\Lä\"\n"), [pair("\u{2028}ä", "\\Lä")]);
    assert_eq!(shown("\u{feff}a: b\n"), [pair("b", "b")]);
    assert_eq!(shown("a: b\r\nc: |\r\n  d\r\n  e\r\n"), [pair("b", "b"), pair("d\ne\n", "d\r\n  e\r\n")]);
}

/// For each letter of a text: the letter of the file that it leads to.
fn letters(text: &str) -> (String, String) {
    let source = source(text);
    let documents = read(&source).expect("YAML");
    let node = documents.roots[0].get("k").expect("the key").clone();
    let scalar = node.scalar().expect("a scalar");
    let origin = node.origin(&source);
    let back = scalar.text.char_indices().map(|(at, letter)| {
        source.text[origin.span(at, at + letter.len_utf8()).range()].chars().next().expect("a letter")
    });
    (scalar.text.replace('\n', "/"), back.map(|letter| if letter == '\n' { '/' } else { letter }).collect())
}

#[test]
fn letters_of_blocks_lead_back_one_by_one() {
    let same = |text: &str, expected: &str| {
        let (is, back) = letters(text);
        assert_eq!(is, expected);
        // A folded line break is a blank.
        assert_eq!(back.replace('\r', "/").replace('/', " "), expected.replace('/', " "), "{text:?}");
    };
    same("k: |\n  one\n    two\n\n  three\n", "one/  two//three/");
    same("k: |-\n  one\n  two\n", "one/two");
    same("k: |+\n  one\n\n\n", "one///");
    same("k: |2\n    one\n  two\n", "  one/two/");
    same("k: >\n  one\n  two\n\n  three\n", "one two/three/");
    same("k: >-\n  one\n    two\n  three\n", "one/  two/three");
    same("k: |  # a comment\n  one\nnext: 1\n", "one/");
    same("k: |\r\n  one\r\n  two\r\nnext: 1\r\n", "one/two/");
    same("k: \"one\n  two\\\n  x\"\n", "one twox");
    same("k: 'ein Ä\n  zwei'\n", "ein Ä zwei");
    same("k: one\n\n  two\n", "one/two");
}

#[test]
fn anchors_and_merge_keys_are_followed() {
    let text = "base: &base\n  a: 1\n  b: 2\nown:\n  <<: *base\n  b: 3\nsame: *base\n";
    let source = source(text);
    let documents = read(&source).expect("YAML");
    let root = &documents.roots[0];
    let of = |key: &str, inner: &str| root.get(key)?.get(inner)?.text();
    assert_eq!((of("own", "a"), of("own", "b"), of("same", "b")), (Some("1"), Some("3"), Some("2")));
    let own = root.get("own").expect("a map").entries();
    let entry = own.iter().find(|entry| entry.key() == "a").expect("merged");
    assert_eq!(&source.text[entry.span().range()], "a: 1");
}

#[test]
fn several_documents_and_values_of_all_kinds() {
    assert_eq!(shown("a: 1\n---\nb: 2\n").len(), 2);
    let source = source("a:\nb: ~\nc: \"\"\nd: \"null\"\ne: !reference [x, y]\nf: !!str 1\n");
    let documents = read(&source).expect("YAML");
    let get = |key: &str| documents.roots[0].get(key).expect("the key");
    assert_eq!((get("a").text(), get("b").text()), (None, None));
    assert_eq!((get("c").text(), get("d").text(), get("f").text()), (Some(""), Some("null"), Some("1")));
    assert!(get("e").items().is_empty());
}

#[test]
fn json_is_read_too() {
    let text =
        "{\n\t\"device\": \"cuda:1\",\r\n\t\"list\": [1, -2.5, true, null, \"\\/\\u00e4\"],\n\t\"o\":{}\n}\n";
    let found = shown(text);
    assert_eq!(found[0], pair("cuda:1", "cuda:1"));
    assert_eq!(found.last(), Some(&pair("/ä", "\\/\\")));
}

#[test]
fn bombs_and_deep_nests_end_soon() {
    let mut bomb = String::from("a0: &a0 {CUDA_VISIBLE_DEVICES: 1, device: 'cuda:1'}\n");
    for level in 1..30 {
        let last = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{last}, {last}, {last}, {last}, {last}, {last}]\n"));
    }
    let bomb = source(&bomb);
    assert!(lower(&bomb).is_ok());
    let deep = source(&"- ".repeat(100_000));
    assert!(lower(&deep).is_err());
    let deep = source(&"[".repeat(100_000));
    assert!(lower(&deep).is_err());
    let mut merges = String::from("a: &a {");
    (0..2000).for_each(|key| merges.push_str(&format!("k{key}: 1, ")));
    merges.push_str("}\n");
    (0..5000).for_each(|map| merges.push_str(&format!("m{map}: {{<<: *a}}\n")));
    let merges = source(&merges);
    assert!(lower(&merges).is_ok());
}
