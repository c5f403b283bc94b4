//! Variables of the environment about GPUs, who sets and who reads each, and switches that decide the same thing beside each
//! other: whoever turns one of them does not know what the others say.

use super::touchpoints::{Kind, Touch, is_written};
use super::{Module, PlaceText};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::{FileId, Place, Span};
use crate::program::{MASK, Names, ORDER, Program, is_gpu_variable};
use crate::rules::{AskedPlace, PolicyRulings, asked_in};
use crate::sources::Sources;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a switch decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decides {
    /// Between CPU and GPU.
    Backend,
    /// Which cards are used.
    Card,
}

/// A variable of the environment that is about GPUs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Variable {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decides: Option<Decides>,
    pub set: Vec<PlaceText>,
    pub read: Vec<PlaceText>,
}

/// Switches of which each decides the same.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RivalSwitches {
    pub decides: Decides,
    pub switches: Vec<Switch>,
}

/// A variable, or a constant of a module.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Switch {
    pub name: String,
    pub is_constant: bool,
    /// Where it is read or set first.
    pub first: PlaceText,
}

/// What the files ask and set, as it is written.
#[derive(Default)]
pub(super) struct Switches {
    found: Vec<Found>,
}

struct Found {
    name: String,
    place: Place,
    does: Does,
    decides: Option<Decides>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Read,
    Set,
    IsConstant,
}

impl Switches {
    pub fn of(
        program: &Program<'_>,
        governed: &PolicyRulings<'_>,
        files: impl Iterator<Item = FileId>,
    ) -> Switches {
        let is_told = |file: &FileId| program.sources.file(*file).reported && program.is_read(*file);
        let mut found = Vec::new();
        for file in files.filter(is_told) {
            for asked in asked_in(program, governed.at(file).policy, file) {
                found.extend(Found::of(asked, file));
            }
            for (name, span) in set_in(program, file) {
                let decides = decides_by_name(&name);
                let place = Place { file, span };
                found.push(Found { name, place, does: Does::Set, decides });
            }
        }
        // A variable is a switch wherever it stands, once it is one somewhere.
        let mut decides: BTreeMap<String, Decides> = BTreeMap::new();
        for one in &found {
            one.decides.into_iter().for_each(|what| _ = decides.insert(one.name.clone(), what));
        }
        found.iter_mut().for_each(|one| one.decides = decides.get(&one.name).copied());
        // Of other variables nothing is told, their names neither.
        found.retain(|one| one.decides.is_some() || is_gpu_variable(&one.name));
        Switches { found }
    }

    /// The places in a list of touchpoints.
    pub fn touches(&self) -> impl Iterator<Item = Touch> {
        self.found.iter().map(|found| {
            let (kind, text) = match found.does {
                Does::Read => (Kind::VariableRead, format!("{} is read", found.name)),
                Does::IsConstant => (Kind::Constant, format!("{} decides between CPU and GPU", found.name)),
                Does::Set if matches!(found.name.as_str(), MASK | ORDER) => {
                    (Kind::Pin, format!("{} is set", found.name))
                }
                Does::Set => (Kind::VariableSet, format!("{} is set", found.name)),
            };
            Touch { place: found.place, kind, name: found.name.clone(), text }
        })
    }

    /// Each variable with all its places, those that programs came to included, and the rivals among the switches.
    pub fn told(&self, sources: &Sources, modules: &[Module]) -> (Vec<Variable>, Vec<RivalSwitches>) {
        let mut variables: BTreeMap<&str, Variable> = BTreeMap::new();
        fn at<'v, 'n>(
            variables: &'v mut BTreeMap<&'n str, Variable>,
            name: &'n str,
            decides: Option<Decides>,
        ) -> &'v mut Variable {
            let new = || Variable { name: name.to_owned(), decides, set: Vec::new(), read: Vec::new() };
            variables.entry(name).or_insert_with(new)
        }
        for found in self.found.iter().filter(|found| found.does != Does::IsConstant) {
            let spot = PlaceText::of(sources, found.place);
            let variable = at(&mut variables, &found.name, found.decides);
            if found.does == Does::Read { &mut variable.read } else { &mut variable.set }.push(spot);
        }
        for touched in modules.iter().flat_map(|module| &module.touchpoints) {
            if matches!(touched.kind, Kind::Pin | Kind::VariableSet) {
                let decides = decides_by_name(&touched.name);
                at(&mut variables, &touched.name, decides).set.push(touched.spot.clone());
            }
        }
        for variable in variables.values_mut() {
            for places in [&mut variable.set, &mut variable.read] {
                places.sort();
                places.dedup();
            }
        }
        let variables: Vec<Variable> = variables.into_values().collect();
        let rivals = [Decides::Backend, Decides::Card].into_iter();
        let rivals = rivals
            .map(|decides| RivalSwitches { decides, switches: self.switches(sources, &variables, decides) });
        let rivals = rivals.filter(|rivals| rivals.switches.len() > 1).collect();
        (variables, rivals)
    }

    fn switches(&self, sources: &Sources, variables: &[Variable], decides: Decides) -> Vec<Switch> {
        let deciding = variables.iter().filter(|variable| variable.decides == Some(decides));
        let mut switches: Vec<Switch> = deciding
            .filter_map(|variable| {
                let first = variable.read.iter().chain(&variable.set).min()?.clone();
                Some(Switch { name: variable.name.clone(), is_constant: false, first })
            })
            .collect();
        let constants = self.found.iter().filter(|found| found.does == Does::IsConstant);
        for found in constants.filter(|found| found.decides == Some(decides)) {
            // One of this name in each of many modules is many switches.
            let first = PlaceText::of(sources, found.place);
            switches.push(Switch { name: found.name.clone(), is_constant: true, first });
        }
        switches
    }
}

impl Decides {
    pub fn words(self) -> &'static str {
        match self {
            Decides::Backend => "between CPU and GPU",
            Decides::Card => "which cards are used",
        }
    }
}

impl Found {
    fn of(asked: AskedPlace, file: FileId) -> Option<Found> {
        let AskedPlace { name, span, is_constant, is_switch } = asked;
        let by_name = || decides_by_name(&name);
        let decides = if is_switch { Some(Decides::Backend) } else { by_name() };
        let does = if is_constant { Does::IsConstant } else { Does::Read };
        Some(Found { name, place: Place { file, span }, does, decides })
    }
}

/// Whether a variable chooses cards, as its name says.
fn decides_by_name(name: &str) -> Option<Decides> {
    const GPU: [&str; 4] = ["GPU", "GPUS", "CUDA", "HIP"];
    const WHICH: [&str; 9] = ["ID", "IDS", "IDX", "INDEX", "INDICES", "DEVICE", "DEVICES", "CARD", "ORDINAL"];
    let upper = name.to_uppercase();
    let has = |list: &[&str]| upper.split('_').any(|word| list.contains(&word));
    let is_card = name == MASK || (has(&GPU) && has(&WHICH) && !has(&["ORDER", "COUNT", "MAX"]));
    is_card.then_some(Decides::Card)
}

/// The variables of the environment that a file sets, as it is written.
fn set_in(program: &Program<'_>, file: FileId) -> Vec<(String, Span)> {
    let code = program.code(file);
    let names = Names::of(program, file);
    let mut set = Vec::new();
    let text = |expr: &Expr<'_>| match &names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        _ => None,
    };
    walk(code, &mut |part, _| match part {
        CodeNode::Target(Target::Item(item)) if names.path(&item.0) == Some("os.environ") => {
            set.extend(text(&item.1).map(|name| (name, item.1.span)));
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) => {
            let path = names.path(&call.callee);
            if matches!(path, Some("os.environ.setdefault" | "os.putenv")) {
                let name = call.arguments.first().and_then(|argument| text(&argument.value));
                set.extend(name.map(|name| (name, *span)));
            }
        }
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::SetVariable(set_variable) if set_variable.export != crate::code::Export::No => {
                set.push((set_variable.name.to_string(), set_variable.span));
            }
            StatementKind::Command(command) => {
                let own = command.environment.iter();
                set.extend(own.map(|one| (one.name.to_string(), one.span)));
            }
            _ => {}
        },
        _ => {}
    });
    set.retain(|(name, span)| {
        !matches!(name.as_str(), MASK | ORDER) || is_written(program, Place { file, span: *span }, name)
    });
    set
}
