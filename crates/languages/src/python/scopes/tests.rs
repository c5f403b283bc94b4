//! Small files, and when their names are bound and used.

use super::*;

fn told(text: &str, name: &str) -> Vec<String> {
    let source = Source::new(None, "m.py".to_owned(), Language::Python, text.to_owned());
    let scopes = Scopes::of(&source).unwrap();
    let line = |span: Span| text[..span.start as usize].matches('\n').count() + 1;
    let tell = |mention: &Mention| {
        let when = match scopes.when(mention) {
            When::Called(function) => format!("called {}", line(scopes.scope(function).span)),
            When::Started(_) => "started".to_owned(),
            when => format!("{when:?}"),
        };
        format!("{} {:?} {when}", line(mention.span), mention.what)
    };
    scopes.of_module(name).map(tell).collect()
}

#[test]
fn a_name_of_the_module_is_told_from_its_namesakes() {
    let text = "\
import torch
def one(torch):
    return torch
def two():
    torch = 1
    return torch
def three(x=torch.a):
    def inner():
        return [torch.b for _ in x]
    return inner
class Four(torch.C):
    torch = torch.d
    def method(self):
        return torch.e
";
    let expected =
        ["1 Bound AtImport", "7 Read AtImport", "9 Read called 8", "11 Read AtImport", "14 Read called 13"];
    assert_eq!(told(text, "torch"), expected);
}

#[test]
fn annotations_lambdas_and_the_started_block() {
    let text = "\
import torch
def one(x: torch.Tensor, y: 'torch.Tensor') -> None:
    z: torch.Tensor = x
LATER = lambda: torch.a
if __name__ == '__main__':
    torch.b()
def two():
    global torch
    torch = None
";
    let expected = [
        "1 Bound AtImport",
        "2 Annotation AtImport",
        "2 Unevaluated AtImport",
        "3 Unevaluated called 2",
        "4 Read InLambda",
        "6 Read started",
        "8 Shared called 7",
        "9 Bound called 7",
    ];
    assert_eq!(told(text, "torch"), expected);
}
