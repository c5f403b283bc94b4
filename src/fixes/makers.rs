//! Who makes the edits of each fix. A rule names one by `fix: {by: …}`; each lies in a file of its own below this one.

mod default_arguments;
mod environment;
mod import_guards;
mod imports;
mod kept_answers;
mod lazy_words;
mod written;

use super::Refusal;
use super::site::{Draft, Site};

/// A maker: the finding it is given is one of a rule that names it.
struct Maker {
    /// What rules call it.
    name: &'static str,
    make: fn(&Site<'_>) -> Result<Draft, Refusal>,
}

/// All of them, by name.
const MAKERS: &[Maker] = &[
    Maker { name: "asked-inside", make: default_arguments::asked_inside },
    Maker { name: "asks-the-library", make: import_guards::asks_the_library },
    Maker { name: "called", make: written::called },
    Maker { name: "environment-block", make: environment::block },
    Maker { name: "import-later", make: imports::later },
    Maker { name: "kept-answer", make: kept_answers::kept_answer },
    Maker { name: "lazy-dropped", make: lazy_words::dropped },
    Maker { name: "order-beside-mask", make: environment::order },
];

/// What the maker with this name proposes.
pub fn make(name: &str, site: &Site<'_>) -> Result<Draft, Refusal> {
    let maker = MAKERS.iter().find(|maker| maker.name == name);
    maker.map_or_else(|| Err(format!("there is no maker `{name}`")), |maker| (maker.make)(site))
}

pub fn is_maker(name: &str) -> bool {
    MAKERS.iter().any(|maker| maker.name == name)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    MAKERS.iter().map(|maker| maker.name)
}
