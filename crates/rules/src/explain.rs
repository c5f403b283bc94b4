//! Says why a rule does or does not speak at an event: each of its conditions, with what decided it.

use super::Rule;
use super::conditions::Verdict;
use super::evaluate::Scope;
use super::schema::{Condition, EarlierEvent};
use super::wording::{as_code, in_force};
use crate::program::trace::EventId;

/// One condition of a rule at an event.
pub struct Reason {
    pub holds: bool,
    pub words: String,
}

/// The conditions of a rule at an event; `None` when the event is not what the rule looks for.
pub fn reasons(rule: &Rule, scope: &Scope<'_>, id: EventId) -> Option<Vec<Reason>> {
    let event = scope.trace.event(id);
    if !scope.matches(rule, id, event) {
        return None;
    }
    let reason = |condition: &Condition| Reason {
        holds: scope.holds(condition, id, event, &mut Verdict::default()),
        words: scope.words(condition, id),
    };
    Some(rule.when.iter().map(reason).collect())
}

impl Scope<'_> {
    /// A condition in words, with the values that decide it at the event.
    fn words(&self, condition: &Condition, id: EventId) -> String {
        let event = self.trace.event(id);
        let value = |variable: &str| in_force(super::conditions::reaching(event, variable));
        let mut words = Vec::new();
        if let Some(variable) = &condition.unset {
            words.push(format!("{variable} is not set by the program before (it {})", value(variable)));
        }
        if let Some(variable) = &condition.removed {
            words.push(format!("{variable} was set and removed before (it {})", value(variable)));
        }
        if let Some(variable) = &condition.never_later {
            words.push(format!("nothing later on this path sets {variable}"));
        }
        if let Some(wanted) = &condition.in_force {
            let kind = if wanted.differs_from_policy {
                "not the policy's"
            } else {
                "of the kind that the rule asks for"
            };
            words.push(format!(
                "the value of {} is {kind} (it {})",
                wanted.variable,
                value(&wanted.variable)
            ));
        }
        if condition.value.is_some() {
            words.push("the value that is written is one that the rule asks about".to_owned());
        }
        if let Some(earlier) = condition.after.or(condition.new_value_since) {
            let happened = super::conditions::happened(event, earlier);
            let what = match earlier {
                EarlierEvent::CudaInit => "CUDA was initialised before",
                EarlierEvent::GpuImport => "a GPU library was imported before",
            };
            let by = happened.map_or("nothing did".to_owned(), |happened| {
                format!("by `{}`", as_code(&self.trace.event(happened.event).what))
            });
            words.push(format!("{what} ({by})"));
        }
        if condition.too_late.is_some() {
            let by =
                event.before.late.last().map_or("nothing did".to_owned(), |late| format!("by `{}`", late.by));
            words.push(format!("the variable was read before, with another value ({by})"));
        }
        if condition.new_value_since.is_some() {
            words.push("the value was not in force then".to_owned());
        }
        let flags = [
            (condition.device_differs, "the index is not the one that is allowed"),
            (condition.device_taken, "a call takes the index"),
            (condition.writes_mask, "the call writes the index into CUDA_VISIBLE_DEVICES"),
            (condition.outside_mask, "the device index is outside CUDA_VISIBLE_DEVICES"),
            (condition.placed_softly, "TensorFlow takes another device where there is none"),
            (
                condition.named_for_several,
                "the path of the file says that it is for several GPUs, or the statement takes the first one as well",
            ),
            (condition.inside_mask, "the mask leaves several GPUs, and this is one of them"),
            (condition.handed_on, "the environment is handed to something that is not followed"),
            (condition.counted, "the number of devices was checked on the way"),
            (condition.released, "the memory is given back whatever is raised in the test"),
            (condition.passing, "the call reaches the driver on its way, and takes no GPU"),
            (condition.outlives_test, "the memory is kept for more than the test"),
            (condition.without_gpu, "the program runs in containers that are given no GPU"),
            (condition.despite_cpu_choice, "the program chooses the CPU where there is no GPU"),
            (condition.by_rank, "the GPU has the number of this process on its machine"),
            (condition.counts_anew, "the GPUs are counted anew: in a container, in a job of a scheduler"),
            (condition.whole_machine, "the mask names the first eight GPUs of the machine, or more"),
            (condition.validated, "the program checks which GPU it got"),
            (
                condition.asserts_gpu,
                "the program stops on a GPU with another name or less memory than it wants",
            ),
            (condition.certain, "it happens on every path, as far as the conditions are understood"),
            (condition.imported_later, "a GPU library is imported later"),
            (condition.allocator_missing, "nothing sets what the policy wants of torch's allocator"),
            (condition.overrides_launcher, "an index takes the place of what a launcher has given"),
            (condition.ignores_given_mask, "it takes the place of the mask that the command gives"),
            (condition.rival_set, "another name of the setting is set too"),
            (condition.rival_differs, "another name of the setting holds another value"),
            (condition.cpu_part, "the CPU part is being imported"),
            (condition.among_tests, "the module lies among tests, and nothing but tests imports it"),
            (condition.ranks_choose, "several processes of the program take the GPU with their own number"),
            (condition.for_board, "the images of the project are for boards that have one GPU"),
            (condition.for_colab, "the program is a notebook that Colab wrote"),
            (
                condition.for_cpu_of_colab,
                "the program is a notebook that Colab wrote, and asks it for no accelerator",
            ),
            (condition.in_one_test, "one test writes this value and the earlier one"),
            (condition.led_by_test, "a test leads to it, in code that is no test"),
            (condition.told_by_call, "the file sets it by a call of the library as well"),
            (
                condition.disarming,
                "the function takes functions away from the process, for code that it does not trust, or has processes start anew",
            ),
            (condition.for_test, "a test sets it for itself, and no GPU is used after"),
            (condition.for_child, "a process is started before this one uses the GPU again"),
        ];
        for (wanted, sentence) in flags {
            words.extend(
                wanted.map(|wanted| if wanted { sentence.to_owned() } else { format!("not: {sentence}") }),
            );
        }
        if let Some(key) = condition.policy {
            words.push(format!("the policy has {}", key.name()));
        }
        let known = |package: &str| {
            let range = self.program.versions().range(self.program.name_of(event.place.file), package);
            range.map_or("nothing says which version".to_owned(), |range| format!("it may be {range}"))
        };
        for (package, wanted) in &condition.requires {
            words.push(format!("{package} is known to be {wanted} ({})", known(package)));
        }
        for (package, wanted) in &condition.supports {
            words.push(format!("the oldest {package} is {wanted} ({})", known(package)));
        }
        for (package, wanted) in &condition.may_be {
            words.push(format!("{package} may be {wanted} ({})", known(package)));
        }
        if let Some(inner) = &condition.not {
            words.push(format!("not: {}", self.words(inner, id)));
        }
        if !condition.any.is_empty() {
            let each: Vec<_> = condition.any.iter().map(|inner| self.words(inner, id)).collect();
            words.push(each.join(", or "));
        }
        words.extend(condition.all.iter().map(|inner| self.words(inner, id)));
        words.join(", and ")
    }
}
