//! Whether a rule that could be read makes sense: its languages exist, and its conditions fit what it looks for.

use super::schema::{Condition, Find, Rule};
use super::{FIXERS, analyses, selection};
use crate::sources::Language;

/// What is wrong with a rule, and the word of the file that it is about.
#[derive(Debug)]
pub(super) struct Fault {
    pub word: String,
    pub message: String,
}

impl Rule {
    /// Puts the rule into its family; refuses one that can never do what it says.
    pub(super) fn settle(&mut self, family: &str) -> Result<(), Fault> {
        self.family = family.to_owned();
        if self.languages.first().is_some_and(|first| first == "all") {
            // Prose, lists of packages and caches set no environment, and examples in prose are fragments: a rule
            // about them names them, behind `all`.
            let quiet = [Language::Markdown, Language::Requirements, Language::Cache].map(Language::name);
            let all = Language::names().filter(|name| !quiet.contains(name));
            let all = all.map(str::to_owned).collect::<Vec<_>>();
            self.languages.splice(..1, all);
        }
        if let Some(unknown) = self.languages.iter().find(|name| Language::named(name).is_none()) {
            return Err(fault(
                unknown,
                format!("there is no language `{unknown}`; {}", choices(unknown, Language::names())),
            ));
        }
        let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.id.is_empty() || !self.id.chars().all(is_id) {
            return Err(fault(
                "id",
                format!("the id `{}` has other characters than a-z, 0-9 and -", self.id),
            ));
        }
        if let Some(fix) = &self.fix
            && !FIXERS.contains(&fix.by.as_str())
        {
            let message =
                format!("there is no fixer `{}`; {}", fix.by, choices(&fix.by, FIXERS.iter().copied()));
            return Err(fault("by", message));
        }
        self.find.settle()?;
        self.when.iter().try_for_each(|condition| condition.fits(&self.find))
    }
}

impl Find {
    fn settle(&self) -> Result<(), Fault> {
        let is_one = matches!(
            (&self.event, &self.uses, &self.analysis),
            (Some(_), None, _) | (None, Some(_), None) | (None, None, Some(_))
        );
        if !is_one {
            return Err(fault("find", "`find` needs one of `event`, `uses` and `analysis`".to_owned()));
        }
        if let Some(name) = self.analysis.as_deref()
            && analyses::named(name).is_none()
        {
            let known = analyses::names();
            return Err(fault(
                "analysis",
                format!("there is no analysis `{name}`; {}", choices(name, known)),
            ));
        }
        match &self.uses {
            Some(uses) if uses.names.is_empty() => Err(fault(
                "names",
                "`uses` names nothing; write dotted names such as `torch.cuda.init:`".to_owned(),
            )),
            _ => Ok(()),
        }
    }
}

impl Condition {
    /// Refuses words that have no meaning for what the rule looks for, which would never hold, or always.
    fn fits(&self, find: &Find) -> Result<(), Fault> {
        let misplaced = match find {
            Find { event: Some(_), .. } => self.word_of_uses(),
            Find { uses: Some(_), .. } => self.word_of_events(),
            _ => self.word_of_uses().or(self.word_of_events()),
        };
        if let Some(word) = misplaced {
            let about = if find.event.is_some() { "an event" } else { "written code" };
            return Err(fault(word, format!("the condition `{word}` says nothing about {about}")));
        }
        let inner = self.not.as_deref().into_iter().chain(&self.any).chain(&self.all);
        inner.into_iter().try_for_each(|condition| condition.fits(find))
    }

    fn word_of_uses(&self) -> Option<&'static str> {
        let given = [
            ("argument", self.argument.is_some()),
            ("guarded", self.guarded.is_some()),
            ("in-loop", self.in_loop.is_some()),
            ("also-uses", !self.also_uses.is_empty()),
            ("into-model", self.into_model.is_some()),
            ("into-scheduler", self.into_scheduler.is_some()),
            ("one-of-names", !self.one_of_names.is_empty()),
            ("saved-before", self.saved_before.is_some()),
            ("for-one-rank", self.for_one_rank.is_some()),
            ("gpu-is-there", self.gpu_is_there.is_some()),
            ("asks-for-gpu", self.asks_for_gpu.is_some()),
            ("joins-group", self.joins_group.is_some()),
            ("maps-elsewhere", self.maps_elsewhere.is_some()),
            ("needs-gpu", self.needs_gpu.is_some()),
        ];
        given.into_iter().find_map(|(word, given)| given.then_some(word))
    }

    fn word_of_events(&self) -> Option<&'static str> {
        let given = [
            ("variable", self.variable.is_some()),
            ("named", !self.named.is_empty()),
            ("too-late", self.too_late.is_some()),
            ("allocator-missing", self.allocator_missing.is_some()),
            ("overrides-launcher", self.overrides_launcher.is_some()),
            ("ignores-given-mask", self.ignores_given_mask.is_some()),
            ("rival-differs", self.rival_differs.is_some()),
            ("rival-set", self.rival_set.is_some()),
            ("certain", self.certain.is_some()),
            ("imported-later", self.imported_later.is_some()),
            ("at-most", self.at_most.is_some()),
            ("in-one-test", self.in_one_test.is_some()),
            ("led-by-test", self.led_by_test.is_some()),
            ("told-by-call", self.told_by_call.is_some()),
            ("disarming", self.disarming.is_some()),
            ("passing", self.passing.is_some()),
            ("among-tests", self.among_tests.is_some()),
            ("ranks-choose", self.ranks_choose.is_some()),
            ("for-board", self.for_board.is_some()),
            ("for-colab", self.for_colab.is_some()),
            ("for-cpu-of-colab", self.for_cpu_of_colab.is_some()),
            ("outlives-test", self.outlives_test.is_some()),
            ("without-gpu", self.without_gpu.is_some()),
            ("despite-cpu-choice", self.despite_cpu_choice.is_some()),
            ("by-rank", self.by_rank.is_some()),
            ("counts-anew", self.counts_anew.is_some()),
            ("whole-machine", self.whole_machine.is_some()),
            ("own-runner", self.own_runner.is_some()),
            ("uses-gpu", self.uses_gpu.is_some()),
            ("unset", self.unset.is_some()),
            ("removed", self.removed.is_some()),
            ("value", self.value.is_some()),
            ("never-later", self.never_later.is_some()),
            ("in-force", self.in_force.is_some()),
            ("after", self.after.is_some()),
            ("new-value-since", self.new_value_since.is_some()),
            ("device-differs", self.device_differs.is_some()),
            ("device-taken", self.device_taken.is_some()),
            ("writes-mask", self.writes_mask.is_some()),
            ("outside-mask", self.outside_mask.is_some()),
            ("placed-softly", self.placed_softly.is_some()),
            ("named-for-several", self.named_for_several.is_some()),
            ("inside-mask", self.inside_mask.is_some()),
            ("counted", self.counted.is_some()),
            ("handed-on", self.handed_on.is_some()),
            ("for-child", self.for_child.is_some()),
            ("for-test", self.for_test.is_some()),
            ("validated", self.validated.is_some()),
            ("asserts-gpu", self.asserts_gpu.is_some()),
            ("forked-use", self.forked_use.is_some()),
            ("released", self.released.is_some()),
            ("cpu-part", self.cpu_part.is_some()),
        ];
        given.into_iter().find_map(|(word, given)| given.then_some(word))
    }
}

fn fault(word: &str, message: String) -> Fault {
    Fault { word: word.to_owned(), message }
}

/// "did you mean …?", or all that there are.
fn choices<'c>(word: &str, known: impl Iterator<Item = &'c str>) -> String {
    let known: Vec<&str> = known.collect();
    match selection::nearest(word, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
