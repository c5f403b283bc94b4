//! The words of a command when it runs: what its variables hold, split where the shell splits them.

use super::Interpreter;
use crate::code::{Command, Expr, ExprKind, names_image};
use crate::commands::{SOME_IMAGE, interpreter_named_by, is_assignment, is_engine};
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::sources::Language;

/// Words that a command line may grow to when its variables are put in.
const MOST_WORDS: usize = 256;

/// A word of a command when it runs.
pub(super) struct Argument<'p> {
    pub value: Value<'p>,
    /// As far as it says what is started.
    pub text: Option<String>,
    /// What it is where nobody sets the variable that it takes first: `--count=${COUNT:-4}`.
    pub default: Option<String>,
    pub span: Span,
    /// What is written there can be no option: `"$IMAGE"`, `trainer:$TAG`.
    names_image: bool,
}

impl<'p> Interpreter<'p> {
    /// The words of a command, with what their variables hold.
    pub(super) fn arguments(&mut self, command: &'p Command<'p>) -> Vec<Argument<'p>> {
        let mut arguments = Vec::new();
        for (index, word) in command.words.iter().enumerate() {
            let value = self.shell_value(word);
            // The elements of a list, and the words of a variable that holds a command, are words of their own.
            let is_variable = matches!(&word.kind, ExprKind::Variable(name) if !name.starts_with('$'));
            let is_split = is_variable && (index == 0 || self.is_unquoted(word));
            let follows_eval = index == 1 && arguments.first().is_some_and(is_eval);
            match &value {
                Value::Sequence(elements) => {
                    for element in elements.iter().take(MOST_WORDS) {
                        arguments.push(self.argument(word, element.clone()));
                    }
                }
                Value::Text(text) if (is_split || follows_eval) && text.text.contains(' ') => {
                    let texts: Vec<String> = text.text.split_whitespace().map(str::to_owned).collect();
                    for text in texts.into_iter().take(MOST_WORDS) {
                        let value =
                            Value::text(text.trim_matches(['"', '\'']).to_owned(), self.place(word.span));
                        arguments.push(self.argument(word, value));
                    }
                }
                _ => arguments.push(self.argument(word, value)),
            }
        }
        if let [first, rest @ ..] = &mut arguments[..]
            && is_engine(first.text.as_deref())
        {
            let unknown = rest.iter_mut().filter(|word| word.text.is_none() && word.names_image);
            unknown.for_each(|word| word.text = Some(SOME_IMAGE.to_owned()));
        }
        arguments
    }

    /// `$ARGS` and not `"$ARGS"`, in a shell that splits it.
    fn is_unquoted(&self, word: &Expr<'p>) -> bool {
        let file = self.here.file;
        let text = &self.program.sources.file(file).text;
        let is_bare = text.get(word.span.range()).is_some_and(|text| text.starts_with('$'));
        is_bare && self.program.language_of(file) == Language::Shell
    }

    fn argument(&mut self, word: &'p Expr<'p>, value: Value<'p>) -> Argument<'p> {
        let text = value.as_text().map(|text| text.into_owned()).or_else(|| self.kept_ending(&value));
        let text = text.or_else(|| match &word.kind {
            ExprKind::Variable(name) | ExprKind::VariableOr(name, _) => {
                interpreter_named_by(name).map(str::to_owned)
            }
            // `-e X=$Y`
            ExprKind::Join(parts) => match &parts.first()?.kind {
                ExprKind::Text(text) if is_assignment(text) => Some(text.to_string()),
                _ => None,
            },
            _ => None,
        });
        let default = if text.is_some() { None } else { self.default_of(word, &value) };
        let names_image = names_image(word);
        Argument { value, text, default, span: word.span, names_image }
    }

    /// The only text that a word may be, or that its parts make.
    fn default_of(&mut self, word: &'p Expr<'p>, value: &Value<'p>) -> Option<String> {
        if let ExprKind::Join(parts) = &word.kind {
            let texts = parts.iter().map(|part| {
                let value = self.shell_value(part);
                only_text(&value).or_else(|| self.default_of(part, &value))
            });
            return texts.collect::<Option<Vec<_>>>().map(|texts| texts.concat());
        }
        only_text(value)
    }
}

fn only_text(value: &Value<'_>) -> Option<String> {
    let mut texts = value.alternatives().iter().filter_map(|value| match value {
        Value::Text(text) => Some(text.text.to_string()),
        _ => None,
    });
    texts.next().filter(|_| texts.next().is_none())
}

fn is_eval(word: &Argument<'_>) -> bool {
    word.text.as_deref() == Some("eval")
}
