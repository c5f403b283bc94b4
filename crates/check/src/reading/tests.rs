//! A change of a file is seen in the piece of it that it is in, and in no other.

use crate::languages::{Choices, lower};
use crate::program::FileDigests;
use crate::sources::{Language, Source};

const TEXT: &str = "import torch\n\ndef first(x, key=lambda y: y):\n    def inner():\n        return x\n    x = inner()\n    return x\n\nclass Model:\n    def run(self):\n        x = 1\n        return x\n";

fn pieces(text: &str) -> FileDigests {
    let source = Source::new(None, "main.py".to_owned(), Language::Python, text.to_owned());
    let code = lower(&source, Choices::default()).expect("Python");
    FileDigests::of(&source, &code)
}

/// Whether the top is another one, and which bodies are.
fn changed(from: &str, to: &str) -> (bool, Vec<usize>) {
    let (before, after) = (pieces(TEXT), pieces(&TEXT.replacen(from, to, 1)));
    assert_eq!(before.bodies.len(), after.bodies.len());
    let bodies = before.bodies.iter().zip(&after.bodies).enumerate();
    let bodies = bodies.filter(|(_, (before, after))| before != after).map(|(number, _)| number);
    (before.top != after.top, bodies.collect())
}

fn named(name: &str) -> usize {
    let source = Source::new(None, "main.py".to_owned(), Language::Python, TEXT.to_owned());
    let code = lower(&source, Choices::default()).expect("Python");
    code.functions.iter().position(|function| function.name == name).expect("a function")
}

#[test]
fn a_body_is_no_part_of_the_top() {
    assert_eq!(changed("x = 1", "x = 2"), (false, vec![named("run")]));
    assert_eq!(changed("x = inner()", "x = inner(1)"), (false, vec![named("first")]));
}

#[test]
fn an_inner_function_is_a_part_of_the_outer_one() {
    let (top, mut bodies) = changed("return x\n    x", "return 2 * x\n    x");
    bodies.sort_unstable();
    let mut both = [named("first"), named("inner")];
    both.sort_unstable();
    assert_eq!((top, &bodies[..]), (false, &both[..]));
}

#[test]
fn what_is_not_in_a_body_is_the_top() {
    let lambda = named("<lambda>");
    for (from, to) in [
        ("import torch", "import os"),
        ("y: y", "y: 2"),
        ("class Model", "class Other"),
        ("run(self)", "go(self)"),
    ] {
        assert_eq!(changed(from, to), (true, vec![lambda]), "{from}");
    }
}

/// Somebody looks at these without running them.
#[test]
fn short_functions_are_a_part_of_what_binds_them() {
    let seen = |text: &str| {
        let pieces = pieces(text);
        (pieces.top, pieces.bindings.digest())
    };
    let before = seen("def value():\n    return []\n");
    assert_ne!(before, seen("def value():\n    return {}\n"));
    assert_ne!(before, seen("def value():\n    x = []\n    return x\n"));
    let method = seen("class A:\n    def value(self):\n        return []\n");
    assert_ne!(method.0, seen("class A:\n    def value(self):\n        return {}\n").0);
}

#[test]
fn statements_that_only_bind_a_name_are_no_part_of_the_top() {
    let top = |text: &str| pieces(text).top;
    let before = top("import os\n");
    for bound in ["SIZE = 1\n", "NAMES = ['a', -1, None]  # all\n", "def size(of=1):\n    return os.name\n"] {
        assert_eq!(before, top(&format!("import os\n{bound}")), "{bound}");
    }
    for more in [
        "SIZE = len('a')\n",
        "SIZE = OTHER\n",
        "x = 1; print(x)\n",
        "DEVICE = 'cuda:1'\n",
        "gpu_id = 1\n",
        "__all__ = ['a']\n",
        "@cached\ndef size():\n    return 1\n",
        "def size(of=os.name):\n    return of\n",
        "class Size:\n    pass\n",
        "def test_size():\n    pass\n",
    ] {
        assert_ne!(before, top(&format!("import os\n{more}")), "{more}");
    }
    // What runs before it is not the same.
    let bound = |text: &str| pieces(text).bindings.digest();
    assert_ne!(bound("SIZE = 1\nimport os\n"), bound("import os\nSIZE = 1\n"));
}

#[test]
fn comments_and_blank_lines_are_a_part_of_nothing() {
    for (from, to) in [
        ("import torch\n", "# first\nimport torch  # a package\n"),
        ("    x = inner()\n", "    # now\n    x = inner()\n    # and\n"),
        ("        return x\n", "        return x\n\n \n"),
        ("import torch\n\n", "import torch\n"),
        ("class Model:\n", "class Model:  # one\n        # two\n"),
    ] {
        assert_eq!(changed(from, to), (false, Vec::new()), "{from}");
    }
    assert_eq!(pieces(TEXT), pieces(&format!("{TEXT}# changed\n")));
    assert_eq!(pieces(TEXT), pieces(&format!("{TEXT}\n\n# changed\n\n")));
    assert_eq!(pieces("x = (\n    1\n)\n"), pieces("x = (\n\n    # one\n\n    1\n)\n"));
    assert_ne!(pieces("x = '''one\n'''\n"), pieces("x = '''one\n\n'''\n"));
    assert_ne!(pieces("x = '# one'\n"), pieces("x = '# two'\n"));
}
