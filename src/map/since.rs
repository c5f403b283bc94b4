//! What a change of a project means for its cards: programs that take another one than before, and modules whose import loads a
//! GPU library and did not. Two maps are compared, of the state before and of the one after.

use super::machine::Card;
use super::programs::ProgramLine;
use super::sheet::{Marks, Sheet};
use super::{Map, PlaceText};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

/// More rows than these no summary needs.
const MOST_ROWS: usize = 50;

/// What a change came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Since {
    /// The commit, branch or tag that was asked for.
    pub reference: String,
    /// Programs that take other cards, are new, or are gone.
    pub programs: Vec<ProgramChange>,
    /// Modules that were there before, and whose import loads a GPU library now.
    pub imports: Vec<GainedImport>,
}

/// A program that takes other cards than before.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramChange {
    pub path: String,
    pub start: String,
    /// The file of the command that starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launcher: Option<String>,
    /// No card: it used none, or was not there.
    pub before: BTreeSet<Card>,
    /// No card: it uses none, or is gone.
    pub now: BTreeSet<Card>,
    /// It was not there before.
    pub is_new: bool,
    /// It is not there any more.
    pub is_gone: bool,
}

/// A module whose import loads a GPU library and did not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GainedImport {
    pub module: String,
    /// It is a program, or a module of the part that must run without a GPU.
    pub is_entry: bool,
    /// The imports on the shortest way to a library.
    pub hops: Vec<GainedHop>,
}

/// One import on that way.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GainedHop {
    #[serde(flatten)]
    pub spot: PlaceText,
    pub to: String,
}

/// What tells a program from others in both states.
type Key<'m> = (&'m str, &'m str, Option<&'m str>);

impl Since {
    /// `moved` names the file of the state before that a file of the one after was; `existed` are all files of the former.
    pub fn of<'m>(
        reference: &str,
        before: &'m Map,
        now: &'m Map,
        moved: &'m BTreeMap<String, String>,
        existed: &BTreeSet<&str>,
    ) -> Since {
        let old_name = |path: &'m str| moved.get(path).map_or(path, String::as_str);
        let (old, new) = (cards_of(before), cards_of(now));
        let mut programs = Vec::new();
        let mut matched = BTreeSet::new();
        for (&(path, start, launcher), cards) in &new {
            let found = old.get_key_value(&(old_name(path), start, launcher.map(old_name)));
            matched.extend(found.map(|(key, _)| *key));
            let earlier = found.map(|(_, cards)| cards.clone()).unwrap_or_default();
            if &earlier != cards {
                programs.push(ProgramChange {
                    path: path.to_owned(),
                    start: start.to_owned(),
                    launcher: launcher.map(str::to_owned),
                    before: earlier,
                    now: cards.clone(),
                    is_new: found.is_none(),
                    is_gone: false,
                });
            }
        }
        let gone = old.iter().filter(|(key, cards)| !matched.contains(*key) && !cards.is_empty());
        programs.extend(gone.map(|(&(path, start, launcher), cards)| ProgramChange {
            path: path.to_owned(),
            start: start.to_owned(),
            launcher: launcher.map(str::to_owned),
            before: cards.clone(),
            now: BTreeSet::new(),
            is_new: false,
            is_gone: true,
        }));
        let loading = |map: &Map, path: &str| map.module(path).is_some_and(|module| module.loads_gpu_library);
        let mut imports: Vec<GainedImport> = now
            .modules
            .iter()
            .filter(|module| module.loads_gpu_library)
            .filter(|module| {
                let old = old_name(&module.path);
                existed.contains(old) && !loading(before, old)
            })
            .map(|module| GainedImport {
                module: module.path.clone(),
                is_entry: module.start.is_some() || now.chains.iter().any(|chain| chain.entry == module.path),
                hops: way_to_library(now, &module.path),
            })
            .collect();
        // Programs first, and those that are nearest to the library.
        imports.sort_by_key(|gained| (!gained.is_entry, gained.hops.len()));
        Since { reference: reference.to_owned(), programs, imports }
    }

    /// For the summary of a job, or a terminal.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn write(&self, marks: Marks, out: &mut dyn Write) -> io::Result<()> {
        let mut sheet = Sheet::new(marks, out);
        sheet.heading("Cards and GPU imports")?;
        sheet.paragraph(&self.headline())?;
        let programs = self.programs.iter().take(MOST_ROWS).map(|one| {
            let started =
                one.launcher.as_deref().map_or_else(|| marks.prose(&one.start), |path| marks.code(path));
            let (before, now) = (one.words(&one.before, one.is_new), one.words(&one.now, one.is_gone));
            vec![marks.code(&one.path), started, marks.prose(&before), marks.prose(&now)]
        });
        let programs: Vec<Vec<String>> = programs.collect();
        if !programs.is_empty() {
            sheet.table(&["program", "started by", "before", "now"], programs)?;
        }
        let imports = self.imports.iter().take(MOST_ROWS).map(|one| {
            let hops = one
                .hops
                .iter()
                .map(|hop| format!("{} → {}", marks.code(&hop.spot.to_string()), marks.code(&hop.to)));
            let what = if one.is_entry { "program or entry point" } else { "module" };
            vec![marks.code(&one.module), what.to_owned(), hops.collect::<Vec<_>>().join(marks.between())]
        });
        let imports: Vec<Vec<String>> = imports.collect();
        if !imports.is_empty() {
            sheet.table(&["loads a GPU library now", "is a", "by"], imports)?;
        }
        let more = |all: usize| all.saturating_sub(MOST_ROWS);
        match more(self.programs.len()) + more(self.imports.len()) {
            0 => Ok(()),
            more => {
                sheet.paragraph(&format!("And {more} more: `gpulint map --since --format json` has all."))
            }
        }
    }

    /// What changed, in one sentence or two.
    pub fn headline(&self) -> String {
        if self.programs.is_empty() && self.imports.is_empty() {
            return "No program takes another card than before, and no module gains a GPU library at import."
                .to_owned();
        }
        let count = |is: fn(&ProgramChange) -> bool| self.programs.iter().filter(|one| is(one)).count();
        format!(
            "Programs that take another card than before: {}; new ones that use a GPU: {}; ones that are gone: {}. Modules whose import loads a GPU library now and did not: {}.",
            count(|one| !one.is_new && !one.is_gone),
            count(|one| one.is_new),
            count(|one| one.is_gone),
            self.imports.len()
        )
    }
}

impl ProgramChange {
    fn words(&self, cards: &BTreeSet<Card>, is_absent: bool) -> String {
        match (is_absent, cards.is_empty()) {
            (true, _) => "not there".to_owned(),
            (false, true) => "no GPU".to_owned(),
            (false, false) => cards.iter().map(Card::words).collect::<Vec<_>>().join(" or "),
        }
    }
}

/// The cards of each program, however often it is started so.
fn cards_of(map: &Map) -> BTreeMap<Key<'_>, BTreeSet<Card>> {
    let mut cards: BTreeMap<Key<'_>, BTreeSet<Card>> = BTreeMap::new();
    for line in &map.programs {
        let launcher = line.launcher.as_ref().map(|launcher| launcher.path.as_str());
        let known = cards.entry((&line.path, &line.start, launcher)).or_default();
        if ProgramLine::uses_gpu(line) {
            known.extend(line.cards.iter().cloned());
        }
    }
    cards
}

/// The imports from a module to the nearest GPU library that it loads.
fn way_to_library(map: &Map, module: &str) -> Vec<GainedHop> {
    let mut from: BTreeMap<&str, Vec<&super::Edge>> = BTreeMap::new();
    for edge in map.edges.iter().filter(|edge| edge.loads_gpu_library) {
        from.entry(&edge.from.path).or_default().push(edge);
    }
    let mut reached: BTreeMap<&str, Option<&super::Edge>> = [(module, None)].into();
    let mut pending: VecDeque<&str> = [module].into();
    while let Some(path) = pending.pop_front() {
        for edge in from.get(path).into_iter().flatten() {
            if reached.contains_key(edge.to.as_str()) {
                continue;
            }
            reached.insert(&edge.to, Some(edge));
            if map.module(&edge.to).is_some() {
                pending.push_back(&edge.to);
                continue;
            }
            let mut hops = Vec::new();
            let mut at = edge.to.as_str();
            while let Some(Some(edge)) = reached.get(at) {
                hops.insert(0, GainedHop { spot: edge.from.clone(), to: edge.to.clone() });
                at = &edge.from.path;
            }
            return hops;
        }
    }
    Vec::new()
}
