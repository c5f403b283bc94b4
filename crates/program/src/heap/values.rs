//! What a variable may hold while a program is followed: a constant, a piece of the project, the name of
//! something outside it, or unknown. Never a guess. What can change is a reference to a scope of the heap.

use crate::facts::{FileId, Place, Span};
use crate::program::modules::FolderId;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

pub(crate) use super::streams::StreamOutput;
pub use super::streams::{Source, Stream};
pub use super::texts::{Text, TextMember};

/// A namespace on the run's heap: a module, a function call, a class or an instance.
pub type ScopeId = u32;

/// A dotted name outside the project, by its number in [`super::paths::Paths`].
pub(crate) type PathId = u32;

#[derive(Clone, Debug)]
pub enum Value<'p> {
    Unknown,
    None,
    Bool(bool),
    Int(i64, Place),
    /// Finite, always.
    Float(f64),
    Text(Rc<Text<'p>>),
    /// A tuple, or what a collection holds at one moment: nobody can change it.
    Sequence(Rc<Vec<Value<'p>>>),
    /// What a dictionary holds at one moment.
    Mapping(Rc<Vec<(Value<'p>, Value<'p>)>>),
    /// A list, set or dictionary: the scope that keeps what it holds.
    Collection(ScopeId),
    /// `items()` of a dictionary and its like: they show what the dictionary holds when somebody looks.
    View(ScopeId, DictView),
    Function(Rc<Closure<'p>>),
    Class(Rc<ClassValue<'p>>),
    Instance(Rc<Instance<'p>>),
    /// A module or package of the project.
    Module(FileId),
    /// A folder without `__init__.py` that imports go through.
    Folder(FolderId),
    /// A name in a project module that need not run before the name is used.
    Deferred(FileId, &'p str),
    /// Something outside the project: `torch.cuda.is_available`, or `torch.optim.Adam()` for what
    /// calling it returns.
    Outside(PathId),
    /// `lazy import`: the import happens when the name is used.
    Lazy(Rc<LazyImport<'p>>),
    /// A coroutine or generator: the call is made, the body has not run.
    Paused(Rc<Paused<'p>>),
    /// A generator expression, `map` or `filter` that nobody asked for its elements yet.
    Stream(Rc<Stream<'p>>),
    /// On some ways the name is not bound: only one of several alternatives, and only until a slot takes it out.
    Absent,
    OneOf(Rc<Vec<Value<'p>>>),
}

/// What a view shows of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DictView {
    Keys,
    Values,
    Items,
}

#[derive(Clone, Debug)]
pub(crate) struct Closure<'p> {
    pub file: FileId,
    pub function: usize,
    /// The namespace in which the function was defined.
    pub scope: ScopeId,
    pub defaults: Vec<Option<Value<'p>>>,
    /// `self` or `cls` of a bound method.
    pub bound: Option<Value<'p>>,
    /// What a partial holds: it stands before the arguments of the call.
    pub held: Vec<Value<'p>>,
    /// The class in whose body the function was defined.
    pub class: Option<Rc<ClassValue<'p>>>,
    pub role: Role,
    /// Of a property: what is called when the attribute is set.
    pub setter: Option<Rc<Closure<'p>>>,
    /// The function that deletes it.
    pub deleter: Option<Rc<Closure<'p>>>,
    /// `functools.cache`: the scope that keeps what its calls gave, by their arguments.
    pub results: Option<ScopeId>,
    /// `functools.singledispatch`: the dictionary of the functions that are registered for types.
    pub dispatch: Option<ScopeId>,
    /// Context managers that decorate it, innermost first: each call runs inside them.
    pub inside: Vec<Value<'p>>,
    /// A decorator skips or guards it unless there are several GPUs.
    pub counts_devices: bool,
    pub marks: Rc<DecoratorMarks<'p>>,
}

impl<'p> Closure<'p> {
    /// The function as a method of an object or class.
    pub fn bound_to(&self, object: Value<'p>) -> Rc<Closure<'p>> {
        Rc::new(Closure { bound: Some(object), ..self.clone() })
    }
}

/// What decorators say about the function or class that they stand on.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecoratorMarks<'p> {
    /// It never runs.
    pub skipped: bool,
    /// Names that `unittest.mock.patch` replaces while it runs.
    pub mocked: Vec<String>,
    /// How many of them it takes as arguments.
    pub mock_arguments: usize,
    /// Fixtures of `pytest.mark.usefixtures`.
    pub fixtures: Vec<String>,
    /// It is a fixture of every test.
    pub autouse: bool,
    /// It is a fixture that lasts longer than one test.
    pub lasting: bool,
    /// What `pytest.mark.parametrize` gives to parameters.
    pub parameters: Vec<(String, Value<'p>)>,
    /// numba runs it on several threads.
    pub threads: bool,
    /// click fills its parameters from the command line.
    pub is_command: bool,
    /// The options that it fills them by.
    pub options: Vec<PathId>,
    /// What Hydra fills its first parameter with.
    pub settings: Option<Value<'p>>,
    /// The name of the function that it stands for: `functools.wraps(function)`.
    pub name: Option<&'p str>,
    /// The decorator that releases GPU memory behind it, by the policy.
    pub cleanup: Option<&'p str>,
}

impl DecoratorMarks<'_> {
    /// Whether decorators said the same.
    pub fn same(&self, other: &Self) -> bool {
        let parameters = self.parameters.iter().zip(&other.parameters);
        self.same_around(other)
            && (self.skipped, self.autouse, self.lasting) == (other.skipped, other.autouse, other.lasting)
            && self.mock_arguments == other.mock_arguments
            && self.is_command == other.is_command
            && self.options == other.options
            && self.settings.is_some() == other.settings.is_some()
            && self.fixtures == other.fixtures
            && self.parameters.len() == other.parameters.len()
            && parameters.into_iter().all(|(one, other)| one.0 == other.0 && one.1.same(&other.1))
    }

    /// Whether the same happens around a call.
    pub fn same_around(&self, other: &DecoratorMarks<'_>) -> bool {
        self.threads == other.threads && self.cleanup == other.cleanup && self.mocked == other.mocked
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Plain,
    Static,
    ClassMethod,
    Property,
    /// `functools.cached_property`: what it gives is kept in the object.
    CachedProperty,
}

/// What a decorator says of the fields of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldRules {
    /// None can be set again.
    pub frozen: bool,
    /// Two objects are equal where their fields are.
    pub compares: bool,
    /// All are given by name.
    pub by_keyword: bool,
    /// Its objects are the members of an enumeration.
    pub members: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ClassValue<'p> {
    pub file: FileId,
    /// The number of its statement in the file; `None` for what `type(name, bases, names)` makes.
    pub class: Option<usize>,
    pub scope: ScopeId,
    pub bases: Vec<Value<'p>>,
    /// The class of the class, where the project has one.
    pub metaclass: Option<Rc<ClassValue<'p>>>,
    pub dataclass: bool,
    pub fields: FieldRules,
    pub counts_devices: bool,
    pub marks: Rc<DecoratorMarks<'p>>,
}

#[derive(Debug)]
pub struct Instance<'p> {
    pub class: Rc<ClassValue<'p>>,
    pub scope: ScopeId,
}

#[derive(Debug)]
pub(crate) struct LazyImport<'p> {
    pub file: FileId,
    pub level: u32,
    pub module: &'p str,
    /// The name taken from the module by `lazy from m import name`.
    pub name: Option<&'p str>,
    /// `lazy import a.b` without `as` binds `a`.
    pub binds_top: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct Paused<'p> {
    pub closure: Rc<Closure<'p>>,
    pub scope: ScopeId,
}

/// Longer texts and collections are not followed: nothing that chooses a GPU is that long, and a loop would fill the memory.
pub const LONGEST: usize = 4096;

impl<'p> Value<'p> {
    /// Whether one look says that this is not the same as another value.
    pub fn is_plainly_other(&self, other: &Value<'p>) -> bool {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) => one.text != other.text,
            (Value::Int(one, _), Value::Int(other, _)) => one != other,
            (Value::Float(one), Value::Float(other)) => one.to_bits() != other.to_bits(),
            (Value::Bool(one), Value::Bool(other)) => one != other,
            (Value::Outside(one), Value::Outside(other)) => one != other,
            (Value::Function(one), Value::Function(other)) => {
                (one.file, one.function) != (other.file, other.function)
            }
            (Value::Sequence(one), Value::Sequence(other)) => {
                let mut pairs = one.iter().zip(other.iter());
                one.len() != other.len() || pairs.any(|(one, other)| one.is_plainly_other(other))
            }
            // Alternatives have no order.
            (Value::OneOf(one), Value::OneOf(other)) => {
                let is_alone = |one: &Value<'p>| other.iter().all(|other| one.is_plainly_other(other));
                one.len() != other.len() || one.iter().any(is_alone)
            }
            _ => std::mem::discriminant(self) != std::mem::discriminant(other),
        }
    }

    /// The names or contents of an object.
    pub fn own_scope(&self) -> Option<ScopeId> {
        match self {
            Value::Instance(instance) => Some(instance.scope),
            Value::Collection(scope) => Some(*scope),
            _ => None,
        }
    }

    pub fn text(text: impl Into<Cow<'p, str>>, place: Place) -> Self {
        let text = text.into();
        if text.len() > LONGEST {
            Value::Unknown
        } else {
            Value::Text(Rc::new(Text { text, place, member: TextMember::No }))
        }
    }

    pub fn sequence(elements: Vec<Value<'p>>) -> Self {
        if elements.len() > LONGEST { Value::Unknown } else { Value::Sequence(Rc::new(elements)) }
    }

    pub fn mapping(items: Vec<(Value<'p>, Value<'p>)>) -> Self {
        if items.len() > LONGEST { Value::Unknown } else { Value::Mapping(Rc::new(items)) }
    }

    /// The alternatives of a value; a value that is not one of several is its own only alternative.
    pub fn alternatives(&self) -> &[Value<'p>] {
        match self {
            Value::OneOf(values) => values,
            value => std::slice::from_ref(value),
        }
    }

    /// One of `values`, or the value itself when all are the same; unknown when there is none.
    pub fn one_of(values: impl IntoIterator<Item = Value<'p>>) -> Value<'p> {
        let values: Vec<Value<'p>> = values.into_iter().collect();
        Value::one_of_refs(&values).unwrap_or(Value::Unknown)
    }

    /// The same for borrowed values; `None` when there is none.
    pub fn one_of_refs<'v>(values: impl IntoIterator<Item = &'v Value<'p>>) -> Option<Value<'p>>
    where
        'p: 'v,
    {
        /// Beyond this many alternatives nothing useful is known.
        const MOST: usize = 8;
        let mut distinct: SmallVec<[&Value<'p>; 4]> = SmallVec::new();
        for alternative in values.into_iter().flat_map(Value::alternatives) {
            if !distinct.iter().any(|known| known.same(alternative)) {
                distinct.push(alternative);
            }
        }
        let is_partial = distinct.iter().any(|value| matches!(value, Value::Absent));
        Some(match distinct.len() - usize::from(is_partial) {
            0 => return None,
            1 if !is_partial => distinct[0].clone(),
            1..=MOST => Value::OneOf(Rc::new(distinct.into_iter().cloned().collect())),
            _ if is_partial => Value::Unknown.or_absent(),
            _ => Value::Unknown,
        })
    }

    /// The value, or nothing at all.
    pub fn or_absent(self) -> Value<'p> {
        Value::one_of([self, Value::Absent])
    }

    /// The value of a name where it is bound, and whether it may not be.
    pub fn where_bound(self) -> (Value<'p>, bool) {
        match &self {
            Value::OneOf(values) if values.iter().any(|value| matches!(value, Value::Absent)) => {
                let bound = values.iter().filter(|value| !matches!(value, Value::Absent));
                (Value::one_of_refs(bound).unwrap_or(Value::Unknown), true)
            }
            _ => (self, false),
        }
    }

    /// Whether two values are surely the same one.
    pub fn same(&self, other: &Value<'p>) -> bool {
        match (self, other) {
            (Value::Unknown, Value::Unknown)
            | (Value::None, Value::None)
            | (Value::Absent, Value::Absent) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a, at), Value::Int(b, bt)) => a == b && at == bt,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Text(a), Value::Text(b)) => {
                a.text == b.text && a.place == b.place && a.member == b.member
            }
            (Value::Outside(a), Value::Outside(b)) => a == b,
            (Value::Module(a), Value::Module(b)) => a == b,
            (Value::Deferred(a, n), Value::Deferred(b, m)) => a == b && n == m,
            (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b) || same_closure(a, b),
            (Value::Class(a), Value::Class(b)) => a.scope == b.scope,
            (Value::Instance(a), Value::Instance(b)) => a.scope == b.scope,
            (Value::Collection(a), Value::Collection(b)) => a == b,
            (Value::Paused(a), Value::Paused(b)) => a.scope == b.scope,
            (Value::Stream(a), Value::Stream(b)) => a.state == b.state,
            (Value::View(a, one), Value::View(b, other)) => a == b && one == other,
            (Value::Sequence(a), Value::Sequence(b)) => Rc::ptr_eq(a, b) || same_each(a, b),
            (Value::Mapping(a), Value::Mapping(b)) => Rc::ptr_eq(a, b) || same_items(a, b),
            (Value::OneOf(a), Value::OneOf(b)) => Rc::ptr_eq(a, b) || same_each(a, b),
            _ => false,
        }
    }

    /// Truth as Python sees it, when it is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::None => Some(false),
            Value::Bool(value) => Some(*value),
            Value::Int(value, _) => Some(*value != 0),
            Value::Float(value) => Some(*value != 0.0),
            Value::Text(text) => Some(!text.text.is_empty()),
            Value::Sequence(values) => Some(!values.is_empty()),
            Value::Mapping(items) => Some(!items.is_empty()),
            Value::Function(_) | Value::Class(_) | Value::Module(_) | Value::Stream(_) => Some(true),
            Value::OneOf(values) => agreed(values, Value::truth),
            _ => None,
        }
    }

    /// What `str()` makes of a constant.
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Text(text) => Some(Cow::Borrowed(&*text.text)),
            Value::Int(value, _) => Some(Cow::Owned(value.to_string())),
            Value::Float(value) => Some(Cow::Owned(super::floats::written(*value))),
            Value::Bool(value) => Some(Cow::Borrowed(if *value { "True" } else { "False" })),
            Value::None => Some(Cow::Borrowed("None")),
            _ => None,
        }
    }

    /// Where the constant stands that this value comes from.
    pub fn place(&self) -> Option<Place> {
        match self {
            Value::Text(text) => Some(text.place),
            Value::Int(_, place) => Some(*place),
            _ => None,
        }
    }
}

/// What is known of each of several alternatives, where it is the same of all.
pub fn agreed<'p>(values: &[Value<'p>], mut verdict: impl FnMut(&Value<'p>) -> Option<bool>) -> Option<bool> {
    let mut verdicts = values.iter().map(&mut verdict);
    let first = verdicts.next()??;
    verdicts.all(|verdict| verdict == Some(first)).then_some(first)
}

/// Whether two functions were defined as one and hold the same.
fn same_closure<'p>(one: &Closure<'p>, other: &Closure<'p>) -> bool {
    let same = |one: &Option<Value<'p>>, other: &Option<Value<'p>>| match (one, other) {
        (Some(one), Some(other)) => one.same(other),
        (None, None) => true,
        _ => false,
    };
    let part = |one: &Option<Rc<Closure<'p>>>, other: &Option<Rc<Closure<'p>>>| match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other) || same_closure(one, other),
        (None, None) => true,
        _ => false,
    };
    let class = |closure: &Closure<'p>| closure.class.as_ref().map(|class| class.scope);
    (one.file, one.function, one.scope, one.role, one.results, one.dispatch)
        == (other.file, other.function, other.scope, other.role, other.results, other.dispatch)
        && one.counts_devices == other.counts_devices
        && class(one) == class(other)
        && (Rc::ptr_eq(&one.marks, &other.marks) || one.marks.same(&other.marks))
        && same(&one.bound, &other.bound)
        && part(&one.setter, &other.setter)
        && part(&one.deleter, &other.deleter)
        && one.defaults.len() == other.defaults.len()
        && one.defaults.iter().zip(&other.defaults).all(|(one, other)| same(one, other))
        && same_each(&one.held, &other.held)
        && same_each(&one.inside, &other.inside)
}

/// Whether two short lists hold the same values in the same order.
fn same_each<'p>(one: &[Value<'p>], other: &[Value<'p>]) -> bool {
    /// Longer ones are compared too seldom with success to be worth the time.
    const SHORT: usize = 8;
    one.len() == other.len()
        && one.len() <= SHORT
        && one.iter().zip(other).all(|(one, other)| one.same(other))
}

/// Whether two short dictionaries hold the same values under the same keys, in the same order.
fn same_items<'p>(one: &[(Value<'p>, Value<'p>)], other: &[(Value<'p>, Value<'p>)]) -> bool {
    const SHORT: usize = 8;
    one.len() == other.len()
        && one.len() <= SHORT
        && one.iter().zip(other).all(|(one, other)| one.0.same(&other.0) && one.1.same(&other.1))
}
