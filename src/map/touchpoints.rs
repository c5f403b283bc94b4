//! Touchpoints: places where the project chooses a GPU, imports a library for one, or uses one. Most are events of the
//! programs that were followed; imports in examples of docstrings and compiled caches are read as they are written.

use super::{PlaceText, top_of};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::{FileId, Place, Span};
use crate::program::knowledge::Does;
use crate::program::trace::{Event, EventKind, Trace};
use crate::program::{MASK, ORDER, Program};
use crate::rules::wording::as_code;
use crate::sources::{Language, Sources, file_name_of};
use crate::trace::describe;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

/// What is done at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The mask or the order of the cards is set or removed.
    Pin,
    /// A card is chosen by its index in the code.
    Device,
    ImportEager,
    ImportGuarded,
    ImportLazy,
    ImportFunction,
    ImportTypeChecking,
    ImportDynamic,
    /// It stands in a text for people, and imports nothing.
    ImportDocstring,
    /// The driver is initialised, and no memory is taken.
    CudaInit,
    /// Memory of a GPU is taken.
    Allocation,
    /// It is asked which GPUs there are, and nothing is initialised.
    Query,
    /// Another variable for GPUs is set or removed.
    VariableSet,
    VariableRead,
    /// A constant decides between CPU and GPU.
    Constant,
    /// A program or process is started.
    Launch,
    /// Compiled code that the project carries along.
    Cache,
}

impl Kind {
    /// All of them, in the order in which people are shown them.
    pub const ALL: [Kind; 17] = [
        Kind::Pin,
        Kind::Device,
        Kind::ImportEager,
        Kind::ImportGuarded,
        Kind::ImportLazy,
        Kind::ImportFunction,
        Kind::ImportTypeChecking,
        Kind::ImportDynamic,
        Kind::ImportDocstring,
        Kind::CudaInit,
        Kind::Allocation,
        Kind::Query,
        Kind::VariableSet,
        Kind::VariableRead,
        Kind::Constant,
        Kind::Launch,
        Kind::Cache,
    ];

    pub fn words(self) -> &'static str {
        match self {
            Kind::Pin => "CUDA_VISIBLE_DEVICES or CUDA_DEVICE_ORDER is set or removed",
            Kind::Device => "a card is chosen in the code",
            Kind::ImportEager => "GPU library imported: at once",
            Kind::ImportGuarded => "GPU library imported: under a condition or in a `try`",
            Kind::ImportLazy => "GPU library imported: lazily",
            Kind::ImportFunction => "GPU library imported: in a function",
            Kind::ImportTypeChecking => "GPU library imported: for type checkers only",
            Kind::ImportDynamic => "GPU library imported: by its name as a text",
            Kind::ImportDocstring => "GPU library named in a docstring only",
            Kind::CudaInit => "CUDA is initialised",
            Kind::Allocation => "memory of a GPU is taken",
            Kind::Query => "GPUs are asked for",
            Kind::VariableSet => "another GPU variable is set or removed",
            Kind::VariableRead => "a GPU variable is read",
            Kind::Constant => "a constant decides between CPU and GPU",
            Kind::Launch => "a program or process is started",
            Kind::Cache => "compiled cache in the project",
        }
    }

    /// The word that programs and columns have for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pin => "pin",
            Kind::Device => "device",
            Kind::ImportEager => "import-eager",
            Kind::ImportGuarded => "import-guarded",
            Kind::ImportLazy => "import-lazy",
            Kind::ImportFunction => "import-function",
            Kind::ImportTypeChecking => "import-type-checking",
            Kind::ImportDynamic => "import-dynamic",
            Kind::ImportDocstring => "import-docstring",
            Kind::CudaInit => "cuda-init",
            Kind::Allocation => "allocation",
            Kind::Query => "query",
            Kind::VariableSet => "variable-set",
            Kind::VariableRead => "variable-read",
            Kind::Constant => "constant",
            Kind::Launch => "launch",
            Kind::Cache => "cache",
        }
    }

    /// Whether code that does it is GPU code.
    pub fn is_on_gpu(self) -> bool {
        matches!(self, Kind::CudaInit | Kind::Allocation)
    }
}

/// A touchpoint as it was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Touch {
    pub place: Place,
    pub kind: Kind,
    /// What it is about: a variable, a module, a call.
    pub name: String,
    /// What happens, for people.
    pub text: String,
}

/// A touchpoint as it is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Touchpoint {
    #[serde(flatten)]
    pub spot: PlaceText,
    pub kind: Kind,
    pub name: String,
    pub text: String,
    #[serde(skip)]
    pub place: Place,
}

impl Touch {
    pub fn shown(&self, sources: &Sources) -> Touchpoint {
        Touchpoint {
            spot: PlaceText::of(sources, self.place),
            kind: self.kind,
            name: self.name.clone(),
            text: self.text.clone(),
            place: self.place,
        }
    }
}

/// The touchpoints that a program came to, in files that are reported.
pub(super) fn touches_of(program: &Program<'_>, trace: &Trace) -> Vec<Touch> {
    let is_told = |event: &&Event| program.sources.file(event.place.file).reported;
    let mut touches: Vec<Touch> =
        trace.events.iter().filter(is_told).filter_map(|event| touch(program, event)).collect();
    touches.sort();
    touches.dedup();
    touches
}

fn touch(program: &Program<'_>, event: &Event) -> Option<Touch> {
    let what = &event.what;
    if let Some(variable) = implied(program, event) {
        return (variable == MASK).then(|| Touch {
            place: event.place,
            kind: Kind::Device,
            name: "cards of a container".to_owned(),
            text: "a container is given certain cards".to_owned(),
        });
    }
    let kind = match what {
        EventKind::Write { variable, .. }
        | EventKind::Remove { variable }
        | EventKind::Restore { variable }
        | EventKind::Refuse { variable, .. } => match variable.as_str() {
            MASK | ORDER => Kind::Pin,
            _ => Kind::VariableSet,
        },
        EventKind::Select { .. } => Kind::Device,
        // The others are told as they are written.
        EventKind::Import { touches_cuda, .. } => touches_cuda.then_some(Kind::CudaInit)?,
        EventKind::Call { does, .. } if does.contains(&Does::Allocate) => Kind::Allocation,
        EventKind::Call { does, .. } if does.contains(&Does::CudaInit) => Kind::CudaInit,
        EventKind::Call { does, .. } => {
            does.iter().any(|does| matches!(does, Does::Query | Does::Nvml)).then_some(Kind::Query)?
        }
        EventKind::Spawn { .. } | EventKind::Launch { .. } => Kind::Launch,
        EventKind::Validate { .. }
        | EventKind::Release { .. }
        | EventKind::Observed { .. }
        | EventKind::End => return None,
    };
    Some(Touch { place: event.place, kind, name: as_code(what), text: describe(what) })
}

/// The variable that an event sets and nobody wrote: who is given certain cards has a mask and an order, whatever they are.
pub(super) fn implied<'e>(program: &Program<'_>, event: &'e Event) -> Option<&'e str> {
    match &event.what {
        EventKind::Write { variable, .. } if matches!(variable.as_str(), MASK | ORDER) => {
            (!is_written(program, event.place, variable)).then_some(variable)
        }
        _ => None,
    }
}

/// Whether a name stands at a place, or in the line before or after it, where settings of containers have theirs. Code may
/// name a variable elsewhere.
pub(super) fn is_written(program: &Program<'_>, place: Place, name: &str) -> bool {
    let source = program.sources.file(place.file);
    if source.is_python() || matches!(source.language, Language::Notebook | Language::Rust) {
        return true;
    }
    let text = source.text.as_str();
    let before = text.get(..place.span.start as usize).unwrap_or_default();
    let from = before.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
    let after = text.get(place.span.end as usize..).unwrap_or_default();
    let to = after.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| place.span.end as usize + at);
    text.get(from..to).is_some_and(|lines| lines.contains(name))
}

/// What stands in a file and does nothing that a trace would show.
pub(super) fn written_in(program: &Program<'_>, file: FileId) -> Vec<Touch> {
    let source = program.sources.file(file);
    if source.language == Language::Cache {
        let name = file_name_of(&source.name).to_owned();
        let text = format!("{name} is compiled code, which may be for a GPU");
        return vec![Touch { place: top_of(file), kind: Kind::Cache, name, text }];
    }
    let texts = program.code(file).remarks.texts.iter();
    let mut touches: Vec<Touch> = texts.flat_map(|&span| in_docstring(program, file, span)).collect();
    walk(program.code(file), &mut |part, _| {
        if let CodeNode::Expr(expr) = part {
            touches.extend(in_code(expr).map(|(kind, name)| {
                let text = format!("`{name}`; no program was followed to it");
                Touch { place: Place { file, span: expr.span }, kind, name, text }
            }));
        }
    });
    touches
}

/// A call that takes a GPU or chooses a card, whatever it is called on: `.cuda()`, `.to("cuda:1")`.
fn in_code(expr: &Expr<'_>) -> Option<(Kind, String)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let own = match &call.callee.kind {
        ExprKind::Attribute(_, name) => *name,
        _ => "",
    };
    let number = call.arguments.iter().find_map(|argument| match &argument.value.kind {
        ExprKind::Text(text) => {
            let number = text.strip_prefix("cuda:")?;
            number.parse::<u32>().ok().map(|_| text.to_string())
        }
        ExprKind::Int(index) if own == "cuda" => Some(format!("cuda:{index}")),
        _ => None,
    });
    match number {
        Some(device) => Some((Kind::Device, device)),
        None if own == "cuda" && call.arguments.is_empty() => Some((Kind::Allocation, ".cuda()".to_owned())),
        None => None,
    }
}

/// Leaves out what is read as it is written where a program came to the same line.
pub(super) fn without_followed(followed: &[Touch], written: &mut Vec<Touch>, sources: &Sources) {
    let line = |touch: &Touch| (touch.place.file, sources.position(touch.place).line, touch.kind);
    let known: FxHashSet<_> = followed.iter().map(line).collect();
    written.retain(|touch| {
        !matches!(touch.kind, Kind::Pin | Kind::VariableSet | Kind::Device | Kind::Allocation)
            || !known.contains(&line(touch))
    });
}

/// The imports in an example for people.
fn in_docstring(program: &Program<'_>, file: FileId, docstring: Span) -> Vec<Touch> {
    let mut touches = Vec::new();
    let mut start = docstring.start as usize;
    for line in program.sources.file(file).text[docstring.range()].split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let code = line.trim().trim_start_matches(['"', '\'']).trim_start_matches(">>> ");
        let Some(module) = imported_by(code) else { continue };
        if let Some(name) = super::imports::gpu_library(program, file, module, &[]) {
            let span = Span::new(at, at + line.trim().len());
            let text = format!("`{code}` stands in a text, and imports nothing");
            touches.push(Touch { place: Place { file, span }, kind: Kind::ImportDocstring, name, text });
        }
    }
    touches
}

/// The module that a line of code imports; words that only begin alike import none.
fn imported_by(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_name = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    match words.next()? {
        "import" => {
            let module = words.next().filter(is_name)?;
            matches!(words.next(), None | Some("as" | "#")).then_some(module)
        }
        "from" => {
            let module = words.next().filter(is_name)?;
            (words.next() == Some("import")).then_some(module)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_imports_are_imports() {
        assert_eq!(imported_by("import cupy as cp"), Some("cupy"));
        assert_eq!(imported_by("from torch.cuda import amp"), Some("torch.cuda"));
        for prose in ["import torch before anything else", "from torch on", "imports cupy", "", "import"] {
            assert_eq!(imported_by(prose), None, "{prose}");
        }
    }

    #[test]
    fn every_kind_is_listed_once() {
        let mut all = Kind::ALL.to_vec();
        all.sort();
        all.dedup();
        assert_eq!(all, Kind::ALL);
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
