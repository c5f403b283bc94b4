//! Why a rule is silent at an event, in sentences about what is so there: not what the rule asks for, and no
//! double negatives.

use super::Rule;
use super::conditions::{Verdict, happened, reaching};
use super::evaluate::Scope;
use super::schema::{Condition, EarlierEvent};
use super::wording::{as_code, in_force};
use crate::program::trace::EventId;

/// The first condition of the rule that does not hold at the event, in words. `None` where the event is not what the rule
/// looks for, or all conditions hold.
pub fn why_silent(rule: &Rule, scope: &Scope<'_>, id: EventId) -> Option<String> {
    let event = scope.trace.event(id);
    if !scope.matches(rule, id, event) {
        return None;
    }
    let fails = |condition: &&Condition| !scope.holds(condition, id, event, &mut Verdict::default());
    rule.when.iter().find(fails).map(|condition| scope.told(condition, id, false))
}

/// A part of a condition, with what is so where it holds, and where it does not.
struct DecidedTest {
    condition: Condition,
    so: String,
    not_so: String,
}

impl Scope<'_> {
    /// What makes a condition true at the event, or false.
    fn told(&self, condition: &Condition, id: EventId, holds: bool) -> String {
        let event = self.trace.event(id);
        let is = |condition: &Condition| self.holds(condition, id, event, &mut Verdict::default());
        let mut all = Vec::new();
        for part in self.parts(condition, id) {
            match (is(&part.condition), holds) {
                (false, false) => return part.not_so,
                (true, true) => all.push(part.so),
                _ => {}
            }
        }
        if let Some(inner) = &condition.not
            && is(inner) != holds
        {
            all.push(self.told(inner, id, !holds));
        }
        if !condition.any.is_empty() && condition.any.iter().any(is) == holds {
            let mut alike = condition.any.iter().filter(|inner| is(inner) == holds);
            match holds {
                true => all.extend(alike.next().map(|inner| self.told(inner, id, true))),
                false => all.extend(alike.map(|inner| self.told(inner, id, false))),
            }
        }
        all.extend(
            condition.all.iter().filter(|inner| is(inner) == holds).map(|inner| self.told(inner, id, holds)),
        );
        all.retain(|words| !words.is_empty());
        all.dedup();
        // One that is false is enough.
        if !holds && condition.any.is_empty() {
            all.truncate(1);
        }
        all.join(", and ")
    }

    /// What a condition asks for by itself, piece by piece.
    fn parts(&self, condition: &Condition, id: EventId) -> Vec<DecidedTest> {
        let mut parts = self.parts_about_variables(condition, id);
        parts.extend(parts_about_the_way(condition));
        let known = |package: &str| {
            let range =
                self.program.versions().range(self.program.name_of(self.trace.event(id).place.file), package);
            match range {
                Some(range) => format!("{package} is {range} here"),
                None => format!("nothing says which version of {package} is used"),
            }
        };
        let mut add = |condition: Condition, package: &str| {
            parts.push(DecidedTest { condition, so: known(package), not_so: known(package) });
        };
        for (package, range) in &condition.requires {
            add(
                Condition { requires: [(package.clone(), range.clone())].into(), ..Condition::default() },
                package,
            );
        }
        for (package, range) in &condition.supports {
            add(
                Condition { supports: [(package.clone(), range.clone())].into(), ..Condition::default() },
                package,
            );
        }
        for (package, range) in &condition.may_be {
            add(
                Condition { may_be: [(package.clone(), range.clone())].into(), ..Condition::default() },
                package,
            );
        }
        parts
    }

    fn parts_about_variables(&self, condition: &Condition, id: EventId) -> Vec<DecidedTest> {
        let event = self.trace.event(id);
        let value = |variable: &str| format!("{variable} {}", in_force(reaching(event, variable)));
        let mut parts = Vec::new();
        let mut add = |condition: Condition, so: String, not_so: String| {
            parts.push(DecidedTest { condition, so, not_so })
        };
        let none = Condition::default;
        if let Some(key) = condition.policy {
            let only = Condition { policy: Some(key), ..none() };
            add(only, format!("the policy has {}", key.name()), format!("no policy has {}", key.name()));
        }
        if let Some(variable) = &condition.unset {
            add(Condition { unset: Some(variable.clone()), ..none() }, value(variable), value(variable));
        }
        if let Some(variable) = &condition.removed {
            add(Condition { removed: Some(variable.clone()), ..none() }, value(variable), value(variable));
        }
        if let Some(variable) = &condition.never_later {
            add(
                Condition { never_later: Some(variable.clone()), ..none() },
                format!("{variable} is not set later"),
                format!("{variable} is set later on this way"),
            );
        }
        if let Some(wanted) = &condition.in_force {
            let variable = value(&wanted.variable);
            add(Condition { in_force: Some(wanted.clone()), ..none() }, variable.clone(), variable);
        }
        let happened = |earlier: EarlierEvent| {
            let what = match earlier {
                EarlierEvent::CudaInit => "CUDA was initialised before",
                EarlierEvent::GpuImport => "a GPU library was imported before",
            };
            match happened(event, earlier) {
                Some(first) => format!("{what}, by {}", as_code(&self.trace.event(first.event).what)),
                None => what.replace(" was ", " was not "),
            }
        };
        if let Some(earlier) = condition.after {
            let words = happened(earlier);
            add(Condition { after: Some(earlier), ..none() }, words.clone(), words);
        }
        if let Some(earlier) = condition.new_value_since {
            let same = match happened(earlier).contains("not") {
                true => happened(earlier),
                false => "the value is the one that was in force then".to_owned(),
            };
            add(
                Condition { new_value_since: Some(earlier), ..none() },
                "the value is another than the one that was in force then".to_owned(),
                same,
            );
        }
        if let Some(wanted) = condition.too_late {
            add(
                Condition { too_late: Some(wanted), ..none() },
                "the variable was read before, with another value".to_owned(),
                "the variable was not read before with another value".to_owned(),
            );
        }
        parts
    }
}

/// A flag of a condition: how it is read and set, and the sentences for yes and for no.
type Flag = (fn(&mut Condition) -> &mut Option<bool>, &'static str, &'static str);

const FLAGS: &[Flag] = &[
    (
        |c| &mut c.device_differs,
        "the index is not the one that is allowed",
        "the index is the one that is allowed",
    ),
    (
        |c| &mut c.writes_mask,
        "the call writes the index into CUDA_VISIBLE_DEVICES",
        "the call does not write the index into CUDA_VISIBLE_DEVICES",
    ),
    (|c| &mut c.device_taken, "a call takes the index", "no call takes the index"),
    (
        |c| &mut c.outside_mask,
        "the device index is outside CUDA_VISIBLE_DEVICES",
        "the index is not known to be beyond the GPUs that the mask leaves",
    ),
    (
        |c| &mut c.placed_softly,
        "TensorFlow takes another device where there is none",
        "there is an error where there is no such device",
    ),
    (
        |c| &mut c.named_for_several,
        "the path of the file says that it is for several GPUs, or the statement takes the first one as well",
        "neither the path of the file nor the statement says that it is for several GPUs",
    ),
    (
        |c| &mut c.inside_mask,
        "the mask leaves several GPUs, and the index is one of them",
        "the mask does not leave several GPUs of which the index is one",
    ),
    (
        |c| &mut c.counted,
        "the number of devices was checked on the way",
        "the number of devices was not checked on the way",
    ),
    (
        |c| &mut c.handed_on,
        "the environment is handed to something that is not followed",
        "the GPU is used in the program itself",
    ),
    (
        |c| &mut c.for_child,
        "a process is started before this one uses the GPU again",
        "no process is started before this one uses the GPU again",
    ),
    (
        |c| &mut c.for_test,
        "a test sets it for itself, and no GPU is used after",
        "no test sets it for itself alone",
    ),
    (
        |c| &mut c.led_by_test,
        "a test leads to it, in code that is no test",
        "no test leads to code of a program that sets it",
    ),
    (
        |c| &mut c.told_by_call,
        "the file sets it by a call of the library as well",
        "the file sets it by no call of the library",
    ),
    (
        |c| &mut c.disarming,
        "the function takes functions away from the process, for code that it does not trust",
        "the function takes no functions away from the process",
    ),
    (
        |c| &mut c.forked_use,
        "the copy of the process uses CUDA",
        "no copy of a process that had initialised CUDA uses it",
    ),
    (
        |c| &mut c.released,
        "the memory is given back whatever is raised in the test",
        "the memory is not given back on every way through the test",
    ),
    (
        |c| &mut c.passing,
        "the call reaches the driver on its way, and takes no GPU",
        "the call asks for a GPU or takes one",
    ),
    (
        |c| &mut c.outlives_test,
        "the memory is kept for more than the test",
        "the memory is kept for the test alone",
    ),
    (
        |c| &mut c.validated,
        "the program checks which GPU it got",
        "the program does not check which GPU it got",
    ),
    (
        |c| &mut c.asserts_gpu,
        "the program stops on a GPU with another name or less memory than it wants",
        "the program does not say which GPU it wants",
    ),
    (
        |c| &mut c.own_runner,
        "it runs on a runner of the project's own",
        "it runs on no runner of the project's own",
    ),
    (
        |c| &mut c.counts_anew,
        "the GPUs are counted anew, in a container or a job of a scheduler",
        "the GPUs are those of the machine, in no container and no job of a scheduler",
    ),
    (
        |c| &mut c.whole_machine,
        "the mask names the first eight GPUs of the machine, or more",
        "the mask names some of the GPUs of the machine",
    ),
    (
        |c| &mut c.without_gpu,
        "the program runs in containers that are given no GPU",
        "the program does not only run in containers that are given no GPU",
    ),
    (
        |c| &mut c.despite_cpu_choice,
        "the call needs CUDA, and the program chooses the CPU where there is no GPU",
        "the call does not surely need CUDA, or the program chooses no CPU",
    ),
    (
        |c| &mut c.by_rank,
        "the GPU has the number of this process, which its launcher counts",
        "the GPU has not the number of this process",
    ),
    (|c| &mut c.uses_gpu, "the program uses a GPU", "the program uses no GPU"),
    (|c| &mut c.certain, "it happens on every path", "it happens on some paths only"),
    (|c| &mut c.rival_set, "another name of the setting is set too", "no other name of the setting is set"),
    (
        |c| &mut c.rival_differs,
        "another name of the setting holds another value",
        "no other name of the setting holds another value",
    ),
    (
        |c| &mut c.allocator_missing,
        "nothing sets what the policy wants of torch's allocator",
        "nothing that the policy wants of torch's allocator is missing",
    ),
    (
        |c| &mut c.overrides_launcher,
        "an index takes the place of what a launcher has given",
        "nothing takes the place of what a launcher has given",
    ),
    (
        |c| &mut c.ignores_given_mask,
        "it takes the place of the mask that the command gives",
        "no command is known to give a mask that it takes the place of",
    ),
    (|c| &mut c.imported_later, "a GPU library is imported later", "no GPU library is imported later"),
    (|c| &mut c.cpu_part, "the CPU part is being imported", "it is not the CPU part that is being imported"),
];

fn parts_about_the_way(condition: &Condition) -> Vec<DecidedTest> {
    let mut parts = Vec::new();
    for (flag, yes, no) in FLAGS {
        let Some(wanted) = *flag(&mut condition.clone()) else { continue };
        let mut only = Condition::default();
        *flag(&mut only) = Some(wanted);
        let (so, not_so) = if wanted { (yes, no) } else { (no, yes) };
        parts.push(DecidedTest { condition: only, so: (*so).to_owned(), not_so: (*not_so).to_owned() });
    }
    let kind = Condition {
        variable: condition.variable,
        named: condition.named.clone(),
        observed: condition.observed,
        language: condition.language.clone(),
        value: condition.value.clone(),
        ..Condition::default()
    };
    let asks = kind.variable.is_some()
        || kind.observed.is_some()
        || kind.value.is_some()
        || !(kind.named.is_empty() && kind.language.is_empty());
    if asks {
        // It is something else: whoever asks about it does not wonder why the rule is silent.
        parts.push(DecidedTest { condition: kind, so: String::new(), not_so: String::new() });
    }
    parts
}
