//! What is known of the types of values beside the classes of the project: which abstract classes of Python the containers and
//! constants are instances of, and of which classes the objects are that torch and NumPy make.

use super::OF_LIBRARIES;
use crate::code::Expr;
use crate::interpreter::collections::NO_LIST;
use crate::program::heap::CONTENTS;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::interpreter::Interpreter;

/// An object that a library made, by the call that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LibraryObject<'a> {
    Tensor,
    Parameter,
    Array,
    Device,
    /// `torch.nn.Linear()`: an object of this class, which is a `torch.nn.Module`.
    Module(&'a str),
    Optimizer(&'a str),
    Loader,
}

/// Functions of torch that give a tensor.
const MAKE_TENSORS: [&str; 25] = [
    "arange",
    "as_tensor",
    "cat",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "stack",
    "tensor",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
];
/// Methods of tensors that give a tensor, whatever they are given.
const KEEP_TENSORS: [&str; 16] = [
    "bool",
    "clone",
    "contiguous",
    "cpu",
    "cuda",
    "detach",
    "double",
    "float",
    "half",
    "int",
    "long",
    "reshape",
    "requires_grad_",
    "to",
    "unsqueeze",
    "view",
];
/// Functions of NumPy that give an array.
const MAKE_ARRAYS: [&str; 10] =
    ["arange", "array", "empty", "eye", "full", "linspace", "ones", "ones_like", "zeros", "zeros_like"];

/// The names that the types of torch's elements have beside their own.
const ELEMENT_TYPES: [(&str, &str); 9] = [
    ("torch.double", "torch.float64"),
    ("torch.float", "torch.float32"),
    ("torch.half", "torch.float16"),
    ("torch.int", "torch.int32"),
    ("torch.long", "torch.int64"),
    ("torch.short", "torch.int16"),
    ("torch.bfloat16", "torch.bfloat16"),
    ("torch.bool", "torch.bool"),
    ("torch.uint8", "torch.uint8"),
];

impl<'p> Interpreter<'p> {
    /// A new set, or something else that holds values and is no list.
    pub(in crate::interpreter) fn collection_but_no_list(&mut self, contents: Value<'p>) -> Value<'p> {
        let made = self.collection(contents);
        self.mark_no_list(&made);
        made
    }

    /// A collection that was made as a list is something else.
    pub(in crate::interpreter) fn mark_no_list(&mut self, collection: &Value<'p>) {
        if let Value::Collection(scope) = collection {
            self.bind_in(*scope, NO_LIST, Value::None);
        }
    }

    /// A new collection of the kind that another one is.
    pub(in crate::interpreter) fn collection_like(
        &mut self,
        others: &[&Value<'p>],
        contents: Value<'p>,
    ) -> Value<'p> {
        let made = self.collection(contents);
        let scope = |other: &&Value<'p>| if let Value::Collection(of) = other { Some(*of) } else { None };
        let scopes = || others.iter().filter_map(scope);
        let of = scopes().find(|of| self.is_set(*of)).or_else(|| scopes().find(|of| self.is_no_list(*of)));
        if let (Some(of), Value::Collection(scope)) = (of, &made) {
            self.copy_kind(of, *scope);
        }
        made
    }

    /// A copy of a collection is of its kind.
    pub(in crate::interpreter) fn copy_kind(&mut self, of: ScopeId, copy: ScopeId) {
        if let Some(kind) = self.in_scope(of, NO_LIST).cloned() {
            self.bind_in(copy, NO_LIST, kind);
        }
    }

    /// Whether an expression is written in braces, as sets and dictionaries are.
    pub(in crate::interpreter) fn is_in_braces(&self, expr: &Expr<'p>) -> bool {
        self.program.sources.text(self.place(expr.span)).starts_with('{')
    }

    /// Whether a collection of values is a set, a queue or something else that is no list.
    pub(in crate::interpreter) fn is_no_list(&self, collection: ScopeId) -> bool {
        self.in_scope(collection, NO_LIST).is_some()
    }

    /// Whether a value is an instance of an abstract class of Python, such as `collections.abc.Mapping`.
    pub(in crate::interpreter) fn is_of_abstract_class(
        &self,
        value: &Value<'p>,
        class: &str,
    ) -> Option<bool> {
        let changes = matches!(class, "MutableMapping" | "MutableSequence" | "MutableSet");
        let holds = matches!(class, "Iterable" | "Collection" | "Container" | "Sized");
        let is_set = matches!(class, "Set" | "MutableSet");
        let is_sequence = matches!(class, "Sequence" | "MutableSequence");
        let is_mapping = matches!(class, "Mapping" | "MutableMapping");
        let is_known = changes || holds || is_set || is_sequence || is_mapping || class == "Callable";
        match value {
            _ if !is_known => None,
            Value::None | Value::Bool(_) | Value::Int(..) => Some(false),
            // The member of an enumeration is followed as what it holds.
            Value::Text(text) if self.is_written_text(text) => Some(holds || class == "Sequence"),
            Value::Text(_) => (is_mapping || is_set || changes).then_some(false),
            Value::Function(_) => Some(class == "Callable"),
            Value::Class(_) => (class == "Callable").then_some(true),
            Value::Sequence(_) => Some(holds || class == "Sequence"),
            // Also a dictionary that may not be changed.
            Value::Mapping(_) if class == "MutableMapping" => None,
            Value::Mapping(_) => Some(holds || is_mapping),
            Value::Collection(scope) => match self.in_scope(*scope, CONTENTS)?.clone() {
                contents @ Value::Mapping(_) => self.is_of_abstract_class(&contents, class),
                Value::Sequence(_) if self.is_no_list(*scope) => is_mapping.then_some(false),
                Value::Sequence(_) => Some(holds || is_sequence),
                _ => None,
            },
            Value::Outside(path) => {
                let is_other = is_mapping || is_sequence || is_set;
                (is_other && library_object(self.paths.text(*path)).is_some()).then_some(false)
            }
            _ => None,
        }
    }

    /// Whether what a library made is an instance of a class outside of the project.
    pub(in crate::interpreter) fn is_made_by_library(&self, value: &Value<'p>, class: &str) -> Option<bool> {
        let Value::Outside(path) = value else { return None };
        let object = library_object(self.paths.text(*path))?;
        if class.starts_with("builtins.") {
            return Some(false);
        }
        let is_one = match object {
            LibraryObject::Tensor => class == "torch.Tensor",
            LibraryObject::Parameter => {
                matches!(class, "torch.Tensor" | "torch.nn.Parameter" | "torch.nn.parameter.Parameter")
            }
            LibraryObject::Array => class == "numpy.ndarray",
            LibraryObject::Device => class == "torch.device",
            LibraryObject::Module(own) => class == "torch.nn.Module" || class == own,
            LibraryObject::Optimizer(own) => class == "torch.optim.Optimizer" || class == own,
            LibraryObject::Loader => class == "torch.utils.data.DataLoader",
        };
        let is_of_other_kind = OF_LIBRARIES.contains(&class);
        match (is_one, is_of_other_kind) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    /// Whether a value is an object that is known to be of a library's own class.
    pub(in crate::interpreter) fn is_library_object(&self, value: &Value<'p>) -> bool {
        matches!(value, Value::Outside(path) if library_object(self.paths.text(*path)).is_some())
    }

    /// Whether two types of elements of tensors are one: each is there once, under two names some.
    pub(in crate::interpreter) fn is_one_element_type(
        &self,
        one: &Value<'p>,
        other: &Value<'p>,
    ) -> Option<bool> {
        let (Value::Outside(one), Value::Outside(other)) = (one, other) else { return None };
        let one = element_type(self.paths.text(*one))?;
        let other = element_type(self.paths.text(*other))?;
        Some(one == other)
    }
}

/// The abstract class of Python that a path names.
pub(super) fn abstract_class(path: &str) -> Option<&str> {
    let modules = ["collections.abc.", "typing.", "typing_extensions.", "collections."];
    let name = modules.iter().find_map(|module| path.strip_prefix(module))?;
    (!name.contains('.')).then_some(name)
}

fn element_type(path: &str) -> Option<&str> {
    let known = ELEMENT_TYPES.iter().find(|(name, own)| *name == path || *own == path);
    known.map(|(_, own)| *own)
}

/// What the call made that a path tells: `torch.rand().to()` is a tensor.
fn library_object(path: &str) -> Option<LibraryObject<'_>> {
    let made = path.strip_suffix("()")?;
    // All names of these modules that begin with a capital letter are classes.
    let is_class =
        |name: &str| name.starts_with(|one: char| one.is_ascii_uppercase()) && !name.contains(['.', '(']);
    if let Some(name) = made.strip_prefix("torch.nn.") {
        return match name {
            "Parameter" | "parameter.Parameter" => Some(LibraryObject::Parameter),
            "Buffer" | "UninitializedBuffer" | "UninitializedParameter" => None,
            name => is_class(name).then_some(LibraryObject::Module(made)),
        };
    }
    if let Some(name) = made.strip_prefix("torch.optim.") {
        return is_class(name).then_some(LibraryObject::Optimizer(made));
    }
    match made {
        "torch.utils.data.DataLoader" => return Some(LibraryObject::Loader),
        "torch.device" => return Some(LibraryObject::Device),
        _ => {}
    }
    if let Some(name) = made.strip_prefix("numpy.") {
        return MAKE_ARRAYS.contains(&name).then_some(LibraryObject::Array);
    }
    let mut made = made.strip_prefix("torch.")?;
    while let Some((whole, method)) = made.rsplit_once("().") {
        if !KEEP_TENSORS.contains(&method) {
            return None;
        }
        made = whole;
    }
    MAKE_TENSORS.contains(&made).then_some(LibraryObject::Tensor)
}

#[cfg(test)]
mod tests {
    use super::{LibraryObject, library_object};

    #[test]
    fn what_a_call_made() {
        assert_eq!(library_object("torch.rand().to().cuda()"), Some(LibraryObject::Tensor));
        assert_eq!(library_object("torch.nn.Linear()"), Some(LibraryObject::Module("torch.nn.Linear")));
        assert_eq!(library_object("torch.optim.SGD()"), Some(LibraryObject::Optimizer("torch.optim.SGD")));
        assert_eq!(library_object("torch.nn.utils.rnn.PackedSequence()"), None);
        assert_eq!(library_object("torch.rand().max()"), None);
        assert_eq!(library_object("torch.load()"), None);
        assert_eq!(library_object("torch.nn.functional.softmax()"), None);
    }
}
