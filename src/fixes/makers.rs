//! Who makes the edits of each fix. A rule names one by `fix: {by: …}`; each lies in a file of its own below this one.

mod amp;
mod arguments;
mod chosen;
mod clean_up;
mod default_arguments;
mod devices;
mod environ;
mod environment;
mod fixtures;
mod forks;
mod import_guards;
mod imports;
mod kept_answers;
mod launchers;
mod lazy_words;
mod masks;
mod memory;
mod misspelt;
mod ranks;
mod renamed;
mod spellings;
mod subshells;
mod suppressions;
mod test_clean_up;
mod tf32;
mod validation;
mod values;
mod variables;
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
    Maker { name: "amp-with-device", make: amp::renamed },
    Maker { name: "asked-inside", make: default_arguments::asked_inside },
    Maker { name: "asks-the-library", make: import_guards::asks_the_library },
    Maker { name: "cache-emptied-last", make: clean_up::emptied_last },
    Maker { name: "called", make: written::called },
    Maker { name: "card-of-rank", make: ranks::device_made_current },
    Maker { name: "clean-up-in-finally", make: clean_up::in_finally },
    Maker { name: "comment-removed", make: suppressions::removed },
    Maker { name: "device-allowed", make: devices::allowed },
    Maker { name: "device-as-taken", make: arguments::in_its_form },
    Maker { name: "device-chosen", make: chosen::moved },
    Maker { name: "device-inside-mask", make: devices::inside_mask },
    Maker { name: "device-meant", make: misspelt::device },
    Maker { name: "device-order-value", make: spellings::order },
    Maker { name: "environ-for-copy", make: environ::instead_of_copy },
    Maker { name: "environ-for-name", make: values::environ_item },
    Maker { name: "environ-for-putenv", make: environ::instead_of_putenv },
    Maker { name: "environ-for-shell", make: subshells::environ_instead },
    Maker { name: "environ-updated", make: environ::updated },
    Maker { name: "environment-block", make: environment::block },
    Maker { name: "exception-let-through", make: clean_up::let_through },
    Maker { name: "fallback-in-time", make: variables::fallback },
    Maker { name: "fixture-that-releases", make: fixtures::released },
    Maker { name: "import-later", make: imports::later },
    Maker { name: "kept-answer", make: kept_answers::kept_answer },
    Maker { name: "known-variable", make: spellings::known_name },
    Maker { name: "lazy-dropped", make: lazy_words::dropped },
    Maker { name: "loaded-to-device", make: chosen::loaded },
    Maker { name: "meant-mask", make: spellings::meant_mask },
    Maker { name: "memory-in-use", make: memory::allocated },
    Maker { name: "memory-names", make: renamed::memory },
    Maker { name: "number-only", make: memory::number_only },
    Maker { name: "order-beside-mask", make: environment::order },
    Maker { name: "pin-moved-up", make: environment::moved_up },
    Maker { name: "policy-mask", make: spellings::policy_mask },
    Maker { name: "setdefault", make: environ::setdefault },
    Maker { name: "spawned", make: forks::spawned },
    Maker { name: "test-clean-up", make: test_clean_up::by_policy },
    Maker { name: "text-value", make: values::text },
    Maker { name: "tf32-switch", make: tf32::today },
    Maker { name: "validator-called", make: validation::called },
    Maker { name: "variable-that-is-read", make: variables::renamed },
    Maker { name: "without-gradients", make: memory::without_gradients },
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
