//! Where tensors lie that a function makes and moves, statement by statement: what it indexes, hands to a model and stores in an array.

use super::dropped_moves::makes_on_cpu;
use super::gpu_values::{SET_DEFAULT, names_gpu};
use super::host_arrays::is_module_name;
use super::memory::method_of;
use super::tensor_sides::{SAME_SIDE, Side, hosts_of, places_of};
use super::unmoved_tensors::{is_cpu_tensor, is_moved_somewhere, methods_of};
use crate::code::walk::{Ancestor, CodeNode, walk_block, walk_top};
use crate::code::{Block, Call, Class, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a tensor on the wrong side meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// A tensor on the CPU is indexed by one on the device.
    Indexed,
    /// A model gets a tensor on the CPU beside one on the device.
    Handed,
    /// An array of NumPy gets a tensor on the device.
    Stored,
}

/// A tensor on the wrong side.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) struct Found {
    fault: Fault,
    tensor: Span,
    /// Where it shows.
    whole: Span,
}

/// `table[index]`, where the table stays on the CPU and the index is on the device.
pub(super) fn indexed_from_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let finding = |found: &Found| {
        let raw_finding = RawFinding::at(scope.place(found.whole)).word("text", scope.text(found.whole));
        raw_finding.word("table", scope.text(found.tensor))
    };
    faults(scope, Fault::Indexed).map(finding).collect()
}

/// `model(tokens, state)`, where the state was moved to the device and the tokens were not.
pub(super) fn handed_to_models(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let finding = |found: &Found| {
        let raw_finding = RawFinding::at(scope.place(found.tensor)).word("text", scope.text(found.tensor));
        raw_finding.beside(scope.place(found.whole), "it meets what lies on the device here")
    };
    faults(scope, Fault::Handed).map(finding).collect()
}

/// `losses[n] = loss.data`, where `losses` is an array of NumPy.
pub(super) fn stored_in_arrays(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let finding =
        |found: &Found| RawFinding::at(scope.place(found.tensor)).word("text", scope.text(found.tensor));
    faults(scope, Fault::Stored).map(finding).collect()
}

/// The faults of one kind. Three rules ask for them, and the file is gone through once.
fn faults<'a>(scope: &'a FileScope<'_>, fault: Fault) -> impl Iterator<Item = &'a Found> {
    let all = scope.answers.tensors.get_or_init(|| in_file(scope));
    all.iter().filter(move |found| found.fault == fault)
}

fn in_file(scope: &FileScope<'_>) -> Vec<Found> {
    let text = scope.whole_text();
    if !text.contains("torch")
        || SET_DEFAULT.iter().any(|word| text.contains(word))
        || text.contains("with torch.device(")
        || scope.program.is_of_tests(scope.file)
        || !is_moved_somewhere(scope)
    {
        return Vec::new();
    }
    let no_hosts = FxHashSet::default();
    let outside = |part| in_part(scope, None, &no_hosts, FxHashMap::default(), part).found;
    let mut found = outside(Part::TopLevel);
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    for class in &scope.code.classes {
        let hosts = hosts_of(scope, class);
        let methods = methods_of(scope, class);
        let in_method = |body, known| in_part(scope, Some(class), &hosts, known, Part::Block(body));
        // What a method is given, by what the class hands it.
        let mut given: FxHashMap<(&str, usize), Option<Side>> = FxHashMap::default();
        for method in &methods {
            seen.insert(method.span);
            for (name, at, side) in in_method(&method.body, FxHashMap::default()).handed {
                given
                    .entry((name, at))
                    .and_modify(|known| *known = known.filter(|known| Some(*known) == side))
                    .or_insert(side);
            }
        }
        for method in &methods {
            let parameters = method.parameters.iter().skip(1).enumerate();
            let known = parameters.filter_map(|(at, one)| {
                let side = given.get(&(method.name, at)).copied().flatten()?;
                (side == Side::Device).then_some((one.name, side))
            });
            found.extend(in_method(&method.body, known.collect()).found);
        }
    }
    let functions = scope.code.functions.iter().filter(|function| !seen.contains(&function.span));
    found.extend(functions.flat_map(|function| outside(Part::Block(&function.body))));
    let mut told: FxHashSet<Span> = FxHashSet::default();
    found.retain(|found| told.insert(found.whole));
    found
}

/// What is known of the names of a block while it is read.
struct Flow<'a, 's> {
    scope: &'a FileScope<'s>,
    class: Option<&'a Class<'s>>,
    /// Attributes that keep a tensor on the CPU.
    hosts: &'a FxHashSet<&'s str>,
    sides: FxHashMap<&'a str, Side>,
    found: Vec<Found>,
    /// What methods of the class are given, by position.
    handed: Vec<(&'a str, usize, Option<Side>)>,
}

/// What is gone through at a time.
#[derive(Clone, Copy)]
enum Part<'a, 's> {
    TopLevel,
    Block(&'a Block<'s>),
}

fn in_part<'a, 's>(
    scope: &'a FileScope<'s>,
    class: Option<&'a Class<'s>>,
    hosts: &'a FxHashSet<&'s str>,
    sides: FxHashMap<&'a str, Side>,
    part: Part<'a, 's>,
) -> Flow<'a, 's> {
    let mut flow = Flow { scope, class, hosts, sides, found: Vec::new(), handed: Vec::new() };
    // A statement takes effect behind what it computes.
    let mut pending: Option<(Span, &'a [Target<'s>], &'a Expr<'s>, bool)> = None;
    let mut visit = |part: CodeNode<'a, 's>, around: &[Ancestor<'a, 's>]| {
        let span = match &part {
            CodeNode::Statement(step) => step.span,
            CodeNode::Expr(expr) => expr.span,
            CodeNode::Target(_) => return,
        };
        if let Some((_, targets, value, in_branch)) = pending.take_if(|(of, ..)| !of.holds(span)) {
            flow.assign(targets, value, in_branch);
        }
        let is_elsewhere = |one: &Ancestor<'_, '_>| {
            matches!(one, Ancestor::Function(_) | Ancestor::Class(_) | Ancestor::Try(_))
        };
        if around.iter().any(is_elsewhere) {
            return;
        }
        match part {
            CodeNode::Statement(step) => {
                if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind {
                    let in_branch = around.iter().any(|one| {
                        matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_) | Ancestor::Handler(..))
                    });
                    flow.look_at_store(targets, value);
                    pending = Some((step.span, targets, value, in_branch));
                }
            }
            CodeNode::Expr(expr) => flow.look_at(expr),
            CodeNode::Target(_) => {}
        }
    };
    match part {
        Part::TopLevel => walk_top(scope.code, &mut visit),
        Part::Block(block) => walk_block(scope.code, block, &mut visit),
    }
    flow
}

impl<'a, 's> Flow<'a, 's> {
    fn assign(&mut self, targets: &'a [Target<'s>], value: &'a Expr<'s>, in_branch: bool) {
        let side = self.side(value, 0);
        for target in targets {
            match (target, &value.kind) {
                (Target::Sequence(names), ExprKind::Sequence(values)) if names.len() == values.len() => {
                    // All are computed before one is bound.
                    let sides: Vec<_> = values.iter().map(|value| self.side(value, 0)).collect();
                    for (name, side) in names.iter().zip(sides) {
                        self.bind(name, side, in_branch);
                    }
                }
                _ => self.bind(target, side, in_branch),
            }
        }
    }

    fn bind(&mut self, target: &'a Target<'s>, side: Option<Side>, in_branch: bool) {
        for name in target.names() {
            // On the other way it is what it was.
            let is_sure = |side: &Side| !in_branch || self.sides.get(name) == Some(side);
            match side.filter(is_sure) {
                Some(side) => self.sides.insert(name, side),
                None => self.sides.remove(name),
            };
        }
    }

    fn look_at_store(&mut self, targets: &'a [Target<'s>], value: &'a Expr<'s>) {
        let is_array = |target: &Target<'_>| {
            let Target::Item(item) = target else { return false };
            let ExprKind::Call(call) = &self.scope.names.meant(&item.0).kind else { return false };
            let path = self.scope.names.path(&call.callee).and_then(|path| path.strip_prefix("numpy."));
            path.is_some_and(|name| matches!(name, "zeros" | "empty" | "ones" | "full"))
        };
        if targets.iter().any(is_array) && self.side(value, 0) == Some(Side::Device) {
            self.found.push(Found { fault: Fault::Stored, tensor: value.span, whole: value.span });
        }
    }

    fn look_at(&mut self, expr: &'a Expr<'s>) {
        match &expr.kind {
            ExprKind::Item(parts) => {
                let keys: Vec<&Expr<'s>> = match &parts.1.kind {
                    ExprKind::Sequence(keys) => keys.iter().collect(),
                    _ => vec![&parts.1],
                };
                let is_there = keys.into_iter().any(|key| self.side(key, 0) == Some(Side::Device));
                if is_there && self.side(&parts.0, 0) == Some(Side::Host) {
                    self.found.push(Found { fault: Fault::Indexed, tensor: parts.0.span, whole: expr.span });
                }
            }
            ExprKind::Call(call) => self.look_at_call(expr.span, call),
            _ => {}
        }
    }

    fn look_at_call(&mut self, span: Span, call: &'a Call<'s>) {
        if let ExprKind::Attribute(object, name) = &call.callee.kind
            && matches!(object.kind, ExprKind::Name("self"))
            && self.class.is_some()
        {
            for (at, one) in call.arguments.iter().enumerate() {
                let side = self.side(&one.value, 0).filter(|_| one.name.is_none() && !one.unpacked);
                self.handed.push((*name, at, side));
            }
        }
        if !self.is_model(&call.callee) {
            return;
        }
        let sides: Vec<_> =
            call.arguments.iter().map(|one| (one.value.span, self.side(&one.value, 0))).collect();
        let host = sides.iter().find(|(_, side)| *side == Some(Side::Host));
        // One is told of a block: what comes behind it is the same fault.
        let is_first = self.found.iter().all(|found| found.fault != Fault::Handed);
        if let Some((tensor, _)) = host.filter(|_| is_first)
            && sides.iter().any(|(_, side)| *side == Some(Side::Device))
        {
            self.found.push(Found { fault: Fault::Handed, tensor: *tensor, whole: span });
        }
    }

    /// Whether people call so what is a model, and the file defines nothing else of that name.
    fn is_model(&self, callee: &Expr<'_>) -> bool {
        let name = match &callee.kind {
            ExprKind::Name(name) => *name,
            ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name("self")) => *name,
            _ => return false,
        };
        is_module_name(name)
            && self.scope.code.functions.iter().all(|function| function.name != name)
            && self.scope.code.classes.iter().all(|class| class.name != name)
    }

    fn side(&self, expr: &Expr<'s>, depth: usize) -> Option<Side> {
        /// Calls of calls of calls are not followed for ever.
        const DEEPEST: usize = 12;
        if depth > DEEPEST {
            return None;
        }
        let deeper = |expr: &Expr<'s>| self.side(expr, depth + 1);
        match &expr.kind {
            ExprKind::Name(name) => self.sides.get(name).copied(),
            ExprKind::Attribute(object, "T" | "data" | "mT" | "values" | "indices") => deeper(object),
            ExprKind::Attribute(object, name) => {
                let is_own = matches!(object.kind, ExprKind::Name("self"));
                (is_own && self.hosts.contains(name)).then_some(Side::Host)
            }
            ExprKind::Item(parts) => deeper(&parts.0),
            ExprKind::Binary(_, sides) => match (deeper(&sides.0), deeper(&sides.1)) {
                (Some(Side::Device), _) | (_, Some(Side::Device)) => Some(Side::Device),
                (Some(Side::Host), Some(Side::Host)) => Some(Side::Host),
                _ => None,
            },
            ExprKind::Compare(_, sides) => {
                let either = [deeper(&sides.0), deeper(&sides.1)];
                either.contains(&Some(Side::Device)).then_some(Side::Device)
            }
            ExprKind::Call(call) => self.side_of_call(expr, call, depth),
            _ => None,
        }
    }

    fn side_of_call(&self, expr: &Expr<'s>, call: &Call<'s>, depth: usize) -> Option<Side> {
        let deeper = |expr: &Expr<'s>| self.side(expr, depth + 1);
        let told = argument(&call.arguments, None, Some("device"));
        let path = self
            .scope
            .names
            .path(&call.callee)
            .filter(|path| path.starts_with("torch.") && !path.contains('('));
        if let Some(path) = path {
            if let Some(device) = told {
                return self.side_of_device(device);
            }
            let name = path.rsplit('.').next().unwrap_or_default();
            if makes_on_cpu(self.scope, expr) {
                let first = call.arguments.first().map(|first| &first.value.kind);
                let is_list = matches!(first, Some(ExprKind::Sequence(_) | ExprKind::Comprehension(_)));
                let is_it = match name {
                    "tensor" | "as_tensor" => is_list,
                    "from_numpy" => true,
                    _ => is_cpu_tensor(self.scope, expr, 0),
                };
                return is_it.then_some(Side::Host);
            }
            if call.arguments.iter().any(|one| one.unpacked) {
                return None;
            }
            let lists = places_of(self.scope, self.class, call);
            let sides: Vec<Option<Side>> = call.arguments.iter().map(|one| deeper(&one.value)).collect();
            if sides.contains(&Some(Side::Device)) {
                return Some(Side::Device);
            }
            let keeps = ["reshape", "flatten", "squeeze", "unsqueeze", "transpose", "clone"].contains(&name);
            return match sides.first().copied().flatten() {
                Some(side) if keeps => Some(side),
                _ => lists,
            };
        }
        if let Some((object, name, call)) = method_of(expr)
            && !matches!(object.kind, ExprKind::Name("self"))
        {
            let first = call.arguments.first().map(|first| &first.value);
            return match name {
                "cpu" => Some(Side::Host),
                "cuda" => Some(Side::Device),
                "to" => {
                    let given = told.or(first)?;
                    let is_type =
                        || self.scope.names.path(given).is_some_and(|path| path.starts_with("torch."));
                    self.side_of_device(given).or_else(|| deeper(object).filter(|_| is_type()))
                }
                _ if SAME_SIDE.contains(&name) => deeper(object),
                _ => None,
            };
        }
        let gives = self.is_model(&call.callee);
        let is_there = || call.arguments.iter().any(|one| deeper(&one.value) == Some(Side::Device));
        (gives && is_there()).then_some(Side::Device)
    }

    /// The side that a device is: what has its name may be the CPU as well, on a machine without a GPU.
    fn side_of_device(&self, device: &Expr<'s>) -> Option<Side> {
        if names_gpu(self.scope, device, 0) {
            return Some(Side::Device);
        }
        if self.scope.text(self.scope.names.meant(device).span).contains("cpu") {
            return Some(Side::Host);
        }
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &device.kind else { return None };
        if let ExprKind::Attribute(object, "device") = &device.kind
            && let Some(side) = self.side(object, 0)
        {
            return Some(side);
        }
        let is_device = *name == "device" || name.ends_with("_device") || name.eq_ignore_ascii_case("device");
        is_device.then_some(Side::Device)
    }
}
