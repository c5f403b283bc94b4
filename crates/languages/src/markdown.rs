//! Markdown: the fenced blocks in it that hold Python, each a program of its own, those that say what a project
//! requires, and, where the policy asks for it, those that hold shell commands. Prose is for the rules that read text.

mod fragments;
pub(super) mod passages;
mod warnings;

use super::command_lines::Literal;
use super::embedded::Extract;
use super::{Choices, Refusal, python, requirements, shell, toml};
use crate::code::{Code, Host, Part, Requirement, Snippet, Unit};
use crate::sources::Source;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// What a fence says that its block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fence {
    Python,
    Shell,
    /// A list for pip, or what may be one.
    List,
    Toml,
}

/// Lowers the fenced blocks of a document. Of a block that is no Python as a whole the statements are read that are.
pub fn lower(source: &Source, choices: Choices) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    for (number, (fence, text)) in blocks(source).into_iter().enumerate() {
        let span = text.origin.span(0, text.text.len());
        match fence {
            Fence::Python => {
                let body = python::lower_snippet(text.text, &text.origin, &mut code).ok();
                let body = body.or_else(|| fragments::lower(text.text, &text.origin, source, &mut code));
                if let Some(body) = body {
                    code.snippets.push(Snippet { span, body, stands_alone: true });
                }
            }
            Fence::Shell if choices.markdown_shell => {
                let body = shell::lower_part(text.text, &text.origin, source, &mut code).steps;
                code.units.push(Unit { span, name: "".into(), host: Host::Machine, body });
            }
            Fence::Shell => {}
            Fence::List => {
                note(requirements::list_in(text.text).unwrap_or_default(), number, &text, &mut code)
            }
            Fence::Toml => note(toml::requirements_in(text.text), number, &text, &mut code),
        }
    }
    Ok(code)
}

/// Notes what a block asks for. Blocks are examples of their own: none is installed together with another.
fn note(found: Vec<Requirement>, number: usize, block: &Literal<'_>, code: &mut Code<'_>) {
    for mut requirement in found {
        requirement.span = block.origin.span(requirement.span.start as usize, requirement.span.end as usize);
        requirement.part = Part::Group(format!("{number} {:?}", requirement.part));
        code.requirements.push(requirement);
    }
}

/// The blocks whose language is read, with where they stand. Quotes and lists around them are taken off, and blocks
/// left out that show what not to do.
fn blocks(source: &Source) -> Vec<(Fence, Literal<'_>)> {
    let text = source.text.as_str();
    let mut blocks = Vec::new();
    if !text.contains("```") && !text.contains("~~~") {
        return blocks;
    }
    let mut open: Option<(Fence, Extract)> = None;
    // What was said last: a paragraph, an item of a list or a heading.
    let mut said = String::new();
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open =
                    fence(&info).filter(|_| !warnings::announced(&said)).map(|it| (it, Extract::default()));
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::Heading { .. }) => said.clear(),
            Event::Text(piece) | Event::Code(piece) => match &mut open {
                Some((_, extract)) => extract.push(&piece, range.start),
                None => said.push_str(&piece),
            },
            Event::End(TagEnd::CodeBlock) => {
                said.clear();
                if let Some((fence, extract)) = open.take() {
                    let (text, origin) = extract.finish();
                    if warnings::in_first_line(&text) {
                        continue;
                    }
                    blocks.push((fence, Literal { text: source.keep(text), origin }));
                }
            }
            _ => {}
        }
    }
    blocks
}

/// `python`, `py title="…"`, `{python}`, `{.python .numberLines}`; a session with prompts is none of them.
fn fence(info: &str) -> Option<Fence> {
    let word = info.trim().trim_start_matches(['{', '.']).split([' ', ',', '}', ':', '{']).next()?;
    match word.to_ascii_lowercase().as_str() {
        "py" | "py3" | "python" | "python3" => Some(Fence::Python),
        "bash" | "sh" | "shell" | "zsh" => Some(Fence::Shell),
        "requirements" | "requirements.txt" | "txt" | "text" | "pip-requirements" => Some(Fence::List),
        "toml" => Some(Fence::Toml),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Language;

    fn document(text: &str) -> Source {
        Source::new(None, "README.md".to_owned(), Language::Markdown, text.to_owned())
    }

    /// What the statements of each Python block are written as.
    fn statements(text: &str) -> Vec<Vec<String>> {
        let source = document(text);
        let code = lower(&source, Choices::default()).unwrap();
        let written = |snippet: &Snippet<'_>| {
            snippet.body.iter().map(|step| source.text[step.span.range()].to_owned()).collect()
        };
        code.snippets.iter().map(written).collect()
    }

    #[test]
    fn blocks_stand_where_they_are_written() {
        let text =
            "# GPU\n\n```python\nimport torch\nx = 'é'; y = 1\n```\n\n~~~py title=\"a.py\"\nz = 2\n~~~\n";
        assert_eq!(statements(text), [vec!["import torch", "x = 'é'", "y = 1"], vec!["z = 2"]]);
    }

    #[test]
    fn lists_and_quotes_around_a_block_are_taken_off() {
        let text = "1. first\n\n   ```python\n   if x:\n       y(1)\n   z = 1\n   ```\n\n> > ```{python}\n> > a = 1\n> > b = 2\n> > ```\n";
        assert_eq!(statements(text), [vec!["if x:\n       y(1)", "z = 1"], vec!["a = 1", "b = 2"]]);
    }

    #[test]
    fn line_ends_of_windows_are_kept_in_place() {
        let text = "```python\r\nx = 1\r\ny = 2\r\n```\r\n";
        assert_eq!(statements(text), [["x = 1", "y = 2"]]);
    }

    #[test]
    fn fragments_are_read_statement_by_statement() {
        for (text, read) in [
            ("    def f(self):\n        return 1\n", vec!["def f(self):\n        return 1"]),
            (
                "python run.py --x\nx = 1\nif x:\n    y = 2\nelse:\n    y = 3\n$ ls\n",
                vec!["x = 1", "if x:\n    y = 2\nelse:\n    y = 3"],
            ),
            ("def worker(...):\n    x = 1\n", vec!["def worker(...):\n    x = 1"]),
            ("@cached\ndef f():\n    pass\nx = = 1\n", vec!["@cached\ndef f():\n    pass"]),
        ] {
            assert_eq!(statements(&format!("```python\n{text}```\n")), [read], "{text}");
        }
    }

    #[test]
    fn other_blocks_are_left_alone() {
        for text in [
            "    import torch\n",
            "```\nimport torch\n```\n",
            "```pycon\n>>> import torch\n```\n",
            "```python\n>>> import torch\n```\n",
            "```pytb\nx\n```\n",
            "```text\nx = 1\n```\n",
            "`python` x = 1\n",
            "<!--\n```python\nx = 1\n```\n-->\n",
        ] {
            assert!(statements(text).is_empty(), "{text}");
        }
        // A fence that is not closed goes on to the end.
        assert_eq!(statements("```python\nx = 1\n"), [["x = 1"]]);
    }

    #[test]
    fn what_a_document_calls_wrong_is_left_out() {
        for before in ["Wrong:\n\n", "### ❌ `torch` first\n\n", "- Bad, *very*\n\n"] {
            assert!(statements(&format!("{before}```python\nx = 1\n```\n")).is_empty(), "{before}");
            let both = format!("{before}```python\nx = 1\n```\n\nRight:\n\n```python\nx = 2\n```\n");
            assert_eq!(statements(&both), [["x = 2"]], "{before}");
        }
        assert!(statements("```python\n# BAD: too late\nx = 1\n```\n").is_empty());
        assert_eq!(statements("Wrong:\n\nor so they say.\n\n```python\nx = 1\n```\n"), [["x = 1"]]);
    }

    #[test]
    fn requirements_are_read_from_lists_and_projects() {
        let text = "```txt\ntorch>=2.0\n--pre\n```\n\n> ```toml\n> [project]\n> dependencies = [\"numpy\"]\n> ```\n\n```txt\ntorch\nis a library of many words\n```\n";
        let source = document(text);
        let code = lower(&source, Choices::default()).unwrap();
        let found: Vec<_> = code.requirements.iter().map(|it| &text[it.span.range()]).collect();
        assert_eq!(found, ["torch>=2.0", "\"numpy\""]);
        assert_ne!(code.requirements[0].part, code.requirements[1].part);
    }

    #[test]
    fn shell_blocks_are_read_when_the_policy_says_so() {
        let source = document("```bash\nexport CUDA_VISIBLE_DEVICES=1\n```\n");
        assert!(lower(&source, Choices::default()).unwrap().units.is_empty());
        let code = lower(&source, Choices { markdown_shell: true }).unwrap();
        let steps: Vec<_> = code.units[0].body.iter().map(|step| &source.text[step.span.range()]).collect();
        assert_eq!(steps, ["CUDA_VISIBLE_DEVICES=1"]);
    }
}
