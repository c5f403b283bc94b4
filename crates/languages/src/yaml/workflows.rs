//! Workflows of GitHub: each job is a unit, and each step runs apart with its own variables. What a step writes to
//! `$GITHUB_ENV` is there for the steps behind it.

mod observations;
mod runners;

use super::super::command_lines::{Literal, change_folder};
use super::super::interpreters::{self, Interpreter};
use super::super::runner_devices;
use super::expressions::{in_script, matrix_variable};
use super::reader::{Entry, Node};
use super::values::{References, merged, unknown, value, variables};
use super::{Lowering, set_all};
use crate::code::{Block, Expr, ExprKind, Host, SetVariable, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::sources::Source;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Jobs that a matrix makes of one, beyond which its values are not followed.
const MOST_JOBS: usize = 8;

/// Whether a document is a workflow.
pub fn is_workflow(root: &Node<'_>, name: &str) -> bool {
    let in_folder = name.contains(".github/workflows/") || name.starts_with("workflows/");
    let jobs = root.get("jobs").map_or(&[][..], |jobs| jobs.entries());
    jobs.iter()
        .any(|job| job.value.get("runs-on").is_some() || (in_folder && job.value.get("steps").is_some()))
}

/// Whether a document is a composite action.
pub fn is_action(root: &Node<'_>, file: &str) -> bool {
    matches!(file, "action.yml" | "action.yaml") && root.get("runs").is_some()
}

/// What holds for all steps of a job unless they say otherwise.
struct Job<'s> {
    /// Variables that some step sets anew: each step gets its own value, and none takes another's place.
    changed: Vec<Variable<'s>>,
    interpreter: Interpreter,
    folder: Option<Rc<Node<'s>>>,
}

/// A variable by where it is written, so that it can be lowered once for each step.
#[derive(Clone)]
struct Variable<'s> {
    entry: Entry<'s>,
}

impl<'s> Variable<'s> {
    fn lowered(&self, source: &Source) -> Option<SetVariable<'s>> {
        let map =
            Node { span: self.entry.span(), value: super::reader::Value::Map(vec![self.entry.clone()]) };
        variables(&map, References::Expressions, source).pop()
    }
}

/// Lowers a workflow.
pub fn lower<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    let Some(jobs) = root.get("jobs") else { return };
    for job in jobs.entries() {
        if lowering.spend(job.value.span.range().len()) {
            lower_job(root, job, lowering);
        }
    }
}

fn lower_job<'s>(root: &Node<'s>, entry: &Entry<'s>, lowering: &mut Lowering<'s>) {
    let job = &entry.value;
    if job.get("if").and_then(|test| test.text()) == Some("false") {
        return;
    }
    let matrix = job.get("strategy").and_then(|strategy| strategy.get("matrix"));
    let text = &lowering.source.text[entry.span().range()];
    let runner = runners::of(job, matrix.map(|matrix| &**matrix), text);
    let container = job.get("container");
    let container_env = container.and_then(|container| container.get("env"));
    let levels = [container_env, root.get("env"), job.get("env")];
    let steps = job.get("steps").map_or(&[][..], |steps| steps.items());
    let defaults = |key: &str| {
        let run = |node: &Node<'s>| node.get("defaults")?.get("run")?.get(key).cloned();
        run(job).or_else(|| run(root))
    };
    let interpreter = match defaults("shell").and_then(|shell| shell.text()) {
        Some(shell) => Interpreter::named(shell),
        None if runner.is_windows => Interpreter::PowerShell,
        None => Interpreter::Posix,
    };
    let (mut body, changed) = of_job(&levels, steps, lowering.source);
    let gpus = container.map(|container| runners::given(container)).unwrap_or_default();
    body.extend(gpus.steps(entry.key.span));
    body.extend(observations::of_job(root, entry, runner, lowering.source));
    let context = Job { changed, interpreter, folder: defaults("working-directory") };
    lower_steps(steps, &context, &mut body, lowering);
    let body = for_each_of_matrix(matrix.map(|matrix| &**matrix), job, body, lowering);
    let is_chosen = container_env.is_some_and(|env| env.get("NVIDIA_VISIBLE_DEVICES").is_some());
    let host = match (container, runner.is_hosted, gpus.any) {
        (_, true, false) => Host::NoGpu,
        // A container of the project's own runner is given what its options say.
        (Some(_), false, false) if (runner.is_own || is_for_gpu(job)) && !is_chosen => Host::BareContainer,
        (Some(_), ..) => Host::Container,
        (None, ..) if runner.is_own => Host::Runner,
        (None, ..) => Host::Machine,
    };
    if let Some(container) = container.filter(|_| runner.is_own) {
        lower_cards(container, lowering);
    }
    let name = format!("job `{}`", entry.key());
    lowering.add_unit(entry.key.span, name, host, body);
    for service in job.get("services").map_or(&[][..], |services| services.entries()) {
        lower_service(service, lowering);
    }
}

/// Whether the runner has a label that speaks of GPUs: `linux-amd64-gpu-l4-latest-1`.
fn is_for_gpu(job: &Node<'_>) -> bool {
    let labels = job.get("runs-on");
    let is_it =
        |node: &Node<'_>| node.text().is_some_and(|label| label.split(['-', '_']).any(|part| part == "gpu"));
    labels.is_some_and(|labels| is_it(labels) || labels.items().iter().any(|label| is_it(label)))
}

/// The cards that the runner hands to the container of a job: they are chosen on the machine itself.
fn lower_cards<'s>(container: &Node<'s>, lowering: &mut Lowering<'s>) {
    let source = lowering.source;
    let set = container.get("env").map(|env| variables(env, References::Expressions, source));
    let handed = set.into_iter().flatten().filter(|set| set.name == "NVIDIA_VISIBLE_DEVICES").collect();
    let mut body: Block<'s> = set_all(handed).collect();
    let options = container.get("options").and_then(|options| Some((options.text()?, options.span)));
    body.extend(options.and_then(|(text, span)| runner_devices::of_options(text, span, source)));
    if !body.is_empty() {
        lowering.add_unit(container.span, "container of a job", Host::Runner, body);
    }
}

/// A container beside a job.
fn lower_service<'s>(service: &Entry<'s>, lowering: &mut Lowering<'s>) {
    let Some(environment) = service.value.get("env") else { return };
    let set = variables(environment, References::Expressions, lowering.source);
    let mut gpus = runners::given(&service.value);
    gpus.read_variables(&set);
    let host = gpus.host(&set, Host::NoGpu);
    let mut body = gpus.steps(service.key.span);
    body.extend(set_all(set));
    lowering.add_unit(service.key.span, format!("service `{}`", service.key()), host, body);
}

/// Lowers a composite action: its steps run in the job that uses it.
pub fn lower_action<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    let Some(runs) = root.entries().iter().find(|entry| entry.key() == "runs") else { return };
    let steps = runs.value.get("steps").map_or(&[][..], |steps| steps.items());
    let mut body = Vec::new();
    let context = Job { changed: Vec::new(), interpreter: Interpreter::Posix, folder: None };
    lower_steps(steps, &context, &mut body, lowering);
    // Nobody is known to run it: it says nothing about a GPU then.
    lowering.add_unit(runs.key.span, "action", Host::NoGpu, body);
}

/// The variables of workflow and job, of which the inner win; and those that steps set anew, which are left to
/// the steps.
fn of_job<'s>(
    levels: &[Option<&Rc<Node<'s>>>],
    steps: &[Rc<Node<'s>>],
    source: &Source,
) -> (Block<'s>, Vec<Variable<'s>>) {
    let of_steps = steps.iter().filter_map(|step| step.get("env")).flat_map(|env| env.entries());
    let names: FxHashSet<&str> = of_steps.map(|entry| entry.key()).collect();
    let all = levels.iter().flatten().flat_map(|level| level.entries());
    let changed: Vec<Variable<'s>> = all
        .filter(|entry| names.contains(entry.key()))
        .map(|entry| Variable { entry: entry.clone() })
        .collect();
    let levels = levels.iter().flatten();
    let kept = levels.map(|level| variables(level, References::Expressions, source)).collect();
    let mut kept = merged(kept);
    kept.retain(|variable| !names.contains(&*variable.name));
    (set_all(kept).collect(), changed)
}

fn lower_steps<'s>(steps: &[Rc<Node<'s>>], job: &Job<'s>, body: &mut Block<'s>, lowering: &mut Lowering<'s>) {
    for step in steps {
        if lowering.spend(step.span.range().len()) {
            lower_step(step, job, body, lowering);
        }
    }
}

fn lower_step<'s>(step: &Node<'s>, job: &Job<'s>, body: &mut Block<'s>, lowering: &mut Lowering<'s>) {
    let condition = step.get("if").and_then(|test| test.text());
    if condition == Some("false") {
        return;
    }
    let source = lowering.source;
    let own = step.get("env");
    let changed = job.changed.iter().filter_map(|variable| variable.lowered(source)).collect();
    let own_variables = own.map(|env| variables(env, References::Expressions, source)).unwrap_or_default();
    let mut inner: Block<'s> = set_all(merged(vec![changed, own_variables])).collect();
    let mut later = Vec::new();
    if let Some(run) = step.get("run") {
        if let Some(folder) = step.get("working-directory").or(job.folder.as_ref()) {
            inner.push(change_folder(value(folder, References::Expressions, source)));
        }
        let shell = step.get("shell").and_then(|shell| shell.text());
        let script = lower_script(run, shell.map_or(job.interpreter, Interpreter::named), lowering);
        inner.extend(script.steps);
        later = script.for_later_steps;
        inner = vec![Statement { span: run.span, kind: StatementKind::Apart(inner) }];
    } else if let Some(action) = step.get("uses").filter(|uses| is_local(uses)) {
        let path = Expr { span: action.span, kind: ExprKind::Text(action.text().unwrap_or_default().into()) };
        let run = Statement { span: action.span, kind: StatementKind::Source(path) };
        if inner.is_empty() {
            inner.push(run);
        } else {
            inner.push(run);
            inner = vec![Statement { span: action.span, kind: StatementKind::Apart(inner) }];
        }
    } else {
        return;
    }
    inner.extend(later);
    match condition {
        None | Some("true" | "always()" | "success()" | "${{ always() }}" | "!cancelled()") => {
            body.extend(inner)
        }
        Some(_) => {
            let span = step.span;
            let test = unknown(span);
            body.push(Statement {
                span,
                kind: StatementKind::Branch { test, then: inner, otherwise: Vec::new() },
            });
        }
    }
}

fn is_local(uses: &Node<'_>) -> bool {
    uses.text().is_some_and(|uses| uses.starts_with("./"))
}

fn lower_script<'s>(
    run: &Node<'s>,
    interpreter: Interpreter,
    lowering: &mut Lowering<'s>,
) -> super::super::shell::Script<'s> {
    let text = run.text().unwrap_or_default();
    let script = Literal { text, origin: run.origin(lowering.source) };
    let script = in_script(script, interpreter, lowering.source);
    interpreters::lower(interpreter, &script, lowering.source, &mut lowering.code)
}

/// A job runs once for each value of its matrix. Lists of literals that the job reads are followed, if they are few.
fn for_each_of_matrix<'s>(
    matrix: Option<&Node<'s>>,
    job: &Node<'s>,
    body: Block<'s>,
    lowering: &Lowering<'s>,
) -> Block<'s> {
    let text = &lowering.source.text[job.span.range()];
    let Some(matrix) = matrix.filter(|_| text.contains("matrix.")) else { return body };
    let is_changed = |key: &str| {
        let listed = ["include", "exclude"].iter().filter_map(|list| matrix.get(list));
        listed.flat_map(|list| list.items()).any(|item| item.get(key).is_some())
    };
    if let [include] = matrix.entries()
        && include.key() == "include"
    {
        return for_each_included(include, text, body, lowering);
    }
    let mut body = body;
    let mut jobs = 1;
    for entry in matrix.entries() {
        let (key, values) = (entry.key(), entry.value.items());
        let literal = !values.is_empty() && values.iter().all(|value| value.text().is_some());
        if !literal || is_changed(key) || !text.contains(&format!("matrix.{key}")) {
            continue;
        }
        jobs *= values.len();
        if jobs > MOST_JOBS {
            break;
        }
        let values = values.iter().map(|item| value(item, References::Expressions, lowering.source));
        let iterable = Expr { span: entry.value.span, kind: ExprKind::Sequence(values.collect()) };
        let span: Span = entry.key.span;
        let target = Target::Name(lowering.source.keep(matrix_variable(key)), span);
        let body_of_one = vec![Statement { span, kind: StatementKind::Apart(body) }];
        body = vec![Statement {
            span,
            kind: StatementKind::For { target, iterable, body: body_of_one, otherwise: Vec::new() },
        }];
    }
    body
}

/// A matrix that is only a list of jobs: each has its own value of every key.
fn for_each_included<'s>(
    include: &Entry<'s>,
    text: &str,
    body: Block<'s>,
    lowering: &Lowering<'s>,
) -> Block<'s> {
    let jobs = include.value.items();
    let Some(first) = jobs.first().filter(|_| jobs.len() <= MOST_JOBS) else { return body };
    let is_literal =
        |key: &str| jobs.iter().all(|job| job.get(key).is_some_and(|value| value.text().is_some()));
    let keys = first.entries().iter().map(|entry| entry.key());
    let keys: Vec<&str> =
        keys.filter(|key| text.contains(&format!("matrix.{key}")) && is_literal(key)).collect();
    if keys.is_empty() {
        return body;
    }
    let span = include.key.span;
    let names = keys.iter().map(|key| Target::Name(lowering.source.keep(matrix_variable(key)), span));
    let values_of = |job: &Rc<Node<'s>>| {
        let values = keys.iter().filter_map(|key| job.get(key));
        let values = values.map(|item| value(item, References::Expressions, lowering.source)).collect();
        Expr { span: job.span, kind: ExprKind::Sequence(values) }
    };
    let iterable =
        Expr { span: include.value.span, kind: ExprKind::Sequence(jobs.iter().map(values_of).collect()) };
    let kind = StatementKind::For {
        target: Target::Sequence(names.collect()),
        iterable,
        body: vec![Statement { span, kind: StatementKind::Apart(body) }],
        otherwise: Vec::new(),
    };
    vec![Statement { span, kind }]
}
