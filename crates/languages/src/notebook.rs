//! Jupyter notebooks: their cells in order are one Python program. Each is parsed alone, so that one with a
//! mistake in it does not hide the others, and the lines that IPython adds to Python are read as what they do.

mod magics;

use super::embedded::{Extract, Origin};
use super::{Refusal, python};
use crate::code::{Block, Code};
use crate::sources::Source;

pub(super) use magics::{Escape, steps_of};

/// Lowers the cells of a notebook.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let cells = match &source.cells {
        Some(Ok(cells)) if cells.foreign.is_none() => cells,
        Some(Err(reason)) => return Err(reason.clone()),
        _ => return Ok(Code::default()),
    };
    let mut code = Code::default();
    for cell in cells.iter() {
        let origin = Origin::from(cell.range.start);
        match lower_cell(&source.text[cell.range.clone()], &origin, source, &mut code) {
            Ok(block) => code.body.extend(block),
            Err(reason) => code.unread.push(format!("cell {}: {reason}", cell.number)),
        }
    }
    Ok(code)
}

fn lower_cell<'s>(
    text: &'s str,
    origin: &Origin,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Result<Block<'s>, Refusal> {
    if let Some(steps) = magics::cell(text, origin, source, code) {
        return steps;
    }
    python::lower_cell(text, origin, source, code).or_else(|refusal| {
        let Some((marked, part)) = with_marks(text) else { return Err(refusal) };
        let origin = origin.of_part(&part);
        python::lower_cell(source.keep(marked), &origin, source, code).map_err(|_| refusal)
    })
}

/// The cell with a `%` before each line that is a magic without one, which IPython accepts: `pip install torch`.
fn with_marks(text: &str) -> Option<(String, Origin)> {
    const WORDS: &[&str] = &[
        "cat",
        "cd",
        "conda",
        "cp",
        "env",
        "load_ext",
        "ls",
        "mamba",
        "matplotlib",
        "mkdir",
        "mv",
        "pip",
        "pwd",
        "reload_ext",
        "rm",
        "rmdir",
        "run",
        "set_env",
        "time",
        "timeit",
    ];
    let mut extract = Extract::default();
    let mut found = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (word, rest) = line.split_once([' ', '\n']).unwrap_or((line, ""));
        if WORDS.contains(&word.trim_end()) && !rest.trim_start().starts_with(['=', '.', '(', '[', ',']) {
            extract.push("%", at);
            found = true;
        }
        extract.push(line, at);
        at += line.len();
    }
    found.then(|| extract.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{ExprKind, StatementKind};
    use crate::sources::Language;

    fn notebook(cells: &[&str]) -> Source {
        let cells: Vec<_> =
            cells.iter().map(|source| serde_json::json!({"cell_type": "code", "source": source})).collect();
        let text = serde_json::json!({"cells": cells}).to_string();
        Source::new(None, "nb.ipynb".to_owned(), Language::Notebook, text)
    }

    /// What the steps are written as.
    fn texts(source: &Source) -> Vec<&str> {
        let code = lower(source).unwrap();
        assert!(code.unread.is_empty(), "{:?}", code.unread);
        code.body.iter().map(|step| &source.text[step.span.range()]).collect()
    }

    #[test]
    fn a_cell_with_a_mistake_is_named() {
        let source = notebook(&["x = 1", "x = = 2", "y = 3"]);
        let code = lower(&source).unwrap();
        assert_eq!(code.body.len(), 2);
        assert_eq!(code.unread.len(), 1);
        assert!(code.unread[0].starts_with("cell 2: syntax error on line 1: "), "{:?}", code.unread);
    }

    #[test]
    fn magics_stand_where_they_are_written() {
        let source = notebook(&[
            "import os\n%env CUDA_VISIBLE_DEVICES=1\n%matplotlib inline\nos.getpid()",
            "%%time\n%set_env A 2\nx = 1",
            "pip install torch\nmodel = 1",
            "!echo é && python train.py",
            "out = !ls",
        ]);
        assert_eq!(
            texts(&source),
            [
                "import os",
                "%env CUDA_VISIBLE_DEVICES=1",
                "os.getpid()",
                "%set_env A 2",
                "x = 1",
                "pip install torch",
                "model = 1",
                "!echo é && python train.py",
                "!ls",
                "out = !ls",
            ]
        );
    }

    #[test]
    fn variables_are_set_as_ipython_sets_them() {
        for (line, value) in [
            ("%env X=1", "1"),
            ("%env X 1", "1"),
            ("%set_env X 1,2", "1,2"),
            ("%env X = 'a b'", "'a b'"),
            ("%env X=\"1\"", "\"1\""),
        ] {
            let source = notebook(&[line]);
            let code = lower(&source).unwrap();
            let [step] = &code.body[..] else { panic!("{line}: {:?}", code.body) };
            let StatementKind::Evaluate(expr) = &step.kind else { panic!("{line}") };
            let ExprKind::Call(call) = &expr.kind else { panic!("{line}") };
            let texts: Vec<_> = call.arguments.iter().map(|argument| &argument.value.kind).collect();
            assert!(
                matches!(&texts[..], [ExprKind::Text(name), ExprKind::Text(text)] if name == "X" && text == value),
                "{line}: {texts:?}"
            );
        }
        for line in ["%env", "%env X", "%env -x", "%lsmagic", "!export X=1 > y", "%%html\n<a>", "x?", "??x"] {
            let source = notebook(&[line]);
            let code = lower(&source).unwrap();
            assert!(!code.body.iter().any(|step| matches!(step.kind, StatementKind::Evaluate(_))), "{line}");
        }
    }
}
