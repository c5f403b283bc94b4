//! `command: python train.py` and `command: [python, train.py]`: words that are started as they are, without a shell.

use super::super::command_lines::{self, CommandLine, Literal, Word};
use super::super::embedded::Extract;
use super::Lowering;
use super::reader::{Node, Value};
use super::values::{References, of_text, value};
use crate::code::Statement;
use crate::facts::Span;
use crate::sources::Source;

/// The step that starts the words of these nodes, one list after the other.
pub fn step<'s>(
    nodes: &[&Node<'s>],
    span: Span,
    references: References,
    lowering: &mut Lowering<'s>,
) -> Option<Statement<'s>> {
    let size = nodes.iter().map(|node| node.span.range().len()).sum();
    if !lowering.spend(size) {
        return None;
    }
    let mut words = Vec::new();
    for node in nodes {
        match &node.value {
            Value::List(items) => {
                words.extend(items.iter().map(|item| whole_word(item, references, lowering.source)));
            }
            Value::Scalar(_) => split(node, references, lowering.source, &mut words),
            Value::Map(_) => return None,
        }
    }
    if words.is_empty() {
        return None;
    }
    let line = CommandLine { span, environment: Vec::new(), words, input: None };
    command_lines::lower(line, lowering.source, &mut lowering.code)
}

fn whole_word<'s>(node: &Node<'s>, references: References, source: &Source) -> Word<'s> {
    let text = node.text().filter(|text| !text.contains('$'));
    let literal = text.map(|text| Literal { text, origin: node.origin(source) });
    Word { expr: value(node, references, source), literal }
}

/// Words of one text, which blanks separate outside of quotes.
fn split<'s>(node: &Node<'s>, references: References, source: &'s Source, words: &mut Vec<Word<'s>>) {
    let text = node.text().unwrap_or_default();
    let origin = node.origin(source);
    let mut open: Option<Extract> = None;
    let mut quote = None;
    let mut characters = text.char_indices();
    let mut finish = |word: Option<Extract>| {
        let Some(word) = word else { return };
        let (word, part) = word.finish();
        let word = source.keep(word);
        let origin = origin.of_part(&part);
        let expr = of_text(word, &origin, references);
        let literal = (!word.contains('$')).then_some(Literal { text: word, origin });
        words.push(Word { expr, literal });
    };
    while let Some((at, character)) = characters.next() {
        match (character, quote) {
            (character, None) if character.is_whitespace() => {
                finish(open.take());
                continue;
            }
            ('\'' | '"', None) => {
                quote = Some(character);
                open.get_or_insert_default();
            }
            (character, Some(closing)) if character == closing => quote = None,
            ('\\', None | Some('"')) => {
                let word = open.get_or_insert_default();
                if let Some((at, escaped)) = characters.next() {
                    word.push(&text[at..at + escaped.len_utf8()], at);
                }
            }
            (character, _) => open.get_or_insert_default().push(&text[at..at + character.len_utf8()], at),
        }
    }
    finish(open);
}
