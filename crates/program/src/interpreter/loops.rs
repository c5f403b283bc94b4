//! Loops: each pass over a known collection is followed, and of other loops one or two passes that stand for all.

mod turns;

pub(super) use turns::weight_of_call;

use super::calls::{Arg, Args};
use super::generators::YieldConsumer;
use super::iterators::IteratorPosition;
use super::jumps::Landing;
use super::type_tests::may_be_range;
use super::{Flow, Interpreter};
use crate::code::{Block, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::Value;

/// Literal collections up to this length are followed element by element; a longer one is as good as one
/// element that is not known.
pub(super) const MOST_ELEMENTS: usize = 32;

/// So many passes of loops that lie in each other are followed, element by element.
const MOST_PASSES: usize = 1024;

/// So many numbers of a range are gone over one by one, whatever the loop does with each.
pub(super) const FEW_NUMBERS: usize = 8;
/// What the passes over a longer one may come to.
const PASSES_WEIGH: usize = 1_024;

/// Of so many lists of which one is gone over each is followed.
const MOST_LISTS: usize = 4;

/// Where `continue` and `break` lead in the arms of branches.
#[derive(Clone, Copy)]
pub(super) struct Loop {
    /// The end of each pass.
    pub next: Landing,
    /// Behind the loop and its `else`.
    pub behind: Landing,
    /// How many passes are followed of it in all, with those of the loops around it in the same function.
    passes: usize,
}

impl<'p> Interpreter<'p> {
    pub(super) fn for_each(
        &mut self,
        target: &'p Target<'p>,
        iterable: &'p Expr<'p>,
        body: &'p Block<'p>,
        otherwise: &'p Block<'p>,
    ) {
        let (value, counted, start) = self.eval_counted(target, iterable);
        if self.flow != Flow::Next {
            return;
        }
        if let (Some((number, element)), Some(generator)) =
            (counted, self.generator_behind(&value, iterable.span))
        {
            self.assign(number, Value::Unknown);
            return self.for_each_yielded(element, &generator, iterable, body, otherwise);
        }
        let value = match counted {
            Some(_) => {
                let mut args = Args::positional(vec![value], iterable.span);
                args.items.extend(start);
                self.call_builtin("enumerate", &args, iterable.span).unwrap_or(Value::Unknown)
            }
            None => value,
        };
        if let Some(generator) = self.generator_behind(&value, iterable.span) {
            return self.for_each_yielded(target, &generator, iterable, body, otherwise);
        }
        let value = self.iterator_behind(value, iterable.span);
        if self.has_turns(&value) {
            return self.for_each_turn((target, body, otherwise), &value, iterable.span);
        }
        let pass = move |run: &mut Self, element: Value<'p>| {
            run.assign(target, element);
            run.block(body);
        };
        if self.for_each_next(&value, iterable.span, otherwise, body, &pass) {
            return;
        }
        if let Some(names) = self.in_environment(&value, iterable.span) {
            // Each may be there, and others too.
            let rest = [Value::Unknown];
            return self.looping(1, Some(otherwise), |run| {
                for element in names.into_iter().chain(rest) {
                    let pass = |run: &mut Self| {
                        run.assign(target, element);
                        run.block(body);
                    };
                    run.on_some_ways(|run| run.pass(pass, true));
                    if run.flow != Flow::Next {
                        break;
                    }
                }
            });
        }
        let asked = value.clone();
        let value = match &iterable.kind {
            ExprKind::Variable(name) => self.words_of(name, value),
            // `for gpu in ${GPUS//,/ }`
            _ if !self.is_python_here() && matches!(value, Value::Text(_)) => self.words_of("", value),
            _ => self.iterate(value, iterable.span),
        };
        // Nobody fills a tuple or a range.
        if let (Value::Sequence(_), Value::Sequence(values)) = (&asked, &value)
            && values.is_empty()
            && self.is_python_here()
        {
            return self.block(otherwise);
        }
        // What it goes over is one of several lists.
        if let Value::OneOf(lists) = &value
            && lists.len() <= MOST_LISTS
            && let Some(lists) = lists.iter().map(|list| self.elements_told(list)).collect::<Option<Vec<_>>>()
            && lists.iter().all(|elements| self.may_follow_each(elements.len()))
        {
            let pass = &pass;
            let each = |elements: Vec<Value<'p>>| -> super::branches::ArmRun<'_, 'p> {
                let asked = Value::sequence(elements.clone());
                Box::new(move |run| {
                    run.looping(elements.len(), Some(otherwise), |run| {
                        run.for_each_element(elements, &asked, body, pass);
                    });
                })
            };
            return self.exec_branches(lists.into_iter().map(each).collect());
        }
        match self.elements(&value) {
            Some(elements)
                if self.may_follow_each(elements.len()) && self.may_count_along(&elements, body) =>
            {
                let others = match self.is_out_of_order(&asked) {
                    true => elements[..elements.len() - 1].to_vec(),
                    false => Vec::new(),
                };
                self.looping(elements.len(), Some(otherwise), |run| {
                    run.for_each_element(elements, &asked, body, &pass);
                    // Which pass is the last one is not known.
                    for element in others {
                        if run.flow == Flow::Next {
                            run.on_some_ways(|run| run.pass(|run| pass(run, element), true));
                        }
                    }
                })
            }
            Some(_) => {
                self.looping(1, Some(otherwise), |run| run.passes(body, |run| pass(run, Value::Unknown)))
            }
            // It may run no pass at all.
            None => {
                let behind = otherwise_inside(body, otherwise);
                self.exec_branches(vec![
                    Box::new(|run| {
                        run.looping(1, behind, |run| run.passes(body, |run| pass(run, Value::Unknown)))
                    }),
                    Box::new(|run| behind.into_iter().for_each(|otherwise| run.block(otherwise))),
                ]);
                if behind.is_none() && self.flow == Flow::Next {
                    self.block(otherwise);
                }
                if self.flow == Flow::Next {
                    self.run_generators_in(&asked, iterable.span);
                }
            }
        }
    }

    /// What a loop goes over. Of `for number, element in enumerate(values, start)` these are the values, which may be given one
    /// by one, with the two targets and the start.
    fn eval_counted(
        &mut self,
        target: &'p Target<'p>,
        iterable: &'p Expr<'p>,
    ) -> (Value<'p>, Option<(&'p Target<'p>, &'p Target<'p>)>, Option<Arg<'p>>) {
        if let (ExprKind::Call(call), Target::Sequence(targets)) = (&iterable.kind, target)
            && let ([number, element], [argument, others @ ..]) = (&targets[..], &call.arguments[..])
            && others.len() < 2
            && others.iter().all(|other| !other.unpacked)
            && matches!(call.callee.kind, ExprKind::Name("enumerate"))
            && argument.name.is_none()
            && !argument.unpacked
            && self.look_up(self.here.scope, "enumerate").is_none()
        {
            let value = self.eval(&argument.value);
            let start = others.first().map(|start| Arg {
                name: start.name.map(Into::into),
                value: self.eval(&start.value),
                span: start.value.span,
            });
            return (value, Some((number, element)), start);
        }
        (self.eval(iterable), None, None)
    }

    /// The generator of the project that a loop asks for its values, if it can be followed.
    fn generator_behind(&mut self, value: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let iterator = match value {
            Value::Instance(instance) => match self.class_attribute(&instance.class, "__iter__") {
                Value::Function(method) if self.function_of(&method).is_generator => {
                    self.special(value, "__iter__", Vec::new(), span)?
                }
                _ => return None,
            },
            value => value.clone(),
        };
        self.may_be_resumed(&iterator).then_some(iterator)
    }

    /// What `__iter__` of an object gives that is no generator.
    pub(super) fn iterator_behind(&mut self, value: Value<'p>, span: Span) -> Value<'p> {
        let Value::Instance(instance) = &value else { return value };
        match self.class_attribute(&instance.class, "__iter__") {
            Value::Function(_) => self.special(&value, "__iter__", Vec::new(), span).unwrap_or(value),
            _ => value,
        }
    }

    /// A loop over what a generator of the project gives: its body runs where that yields.
    fn for_each_yielded(
        &mut self,
        target: &'p Target<'p>,
        generator: &Value<'p>,
        iterable: &'p Expr<'p>,
        block: &'p Block<'p>,
        otherwise: &'p Block<'p>,
    ) {
        static NOTHING: Block<'static> = Block::new();
        let Value::Paused(paused) = generator else { return };
        match self.position(paused.scope) {
            IteratorPosition::At(_) => {}
            IteratorPosition::UsedUp => return self.block(otherwise),
            IteratorPosition::Unknown => {
                // From where it goes on is not known.
                self.on_some_ways(|run| {
                    run.begin_anew(paused.scope);
                    run.for_each_yielded(target, generator, iterable, block, &NOTHING);
                });
                self.set_position(paused.scope, IteratorPosition::Unknown);
                return if self.flow == Flow::Next {
                    self.in_an_arm(|run| run.block(otherwise))
                };
            }
        }
        let of_loop = self.ways_out.of_loop;
        let ends = self.new_loop(1);
        let has_else = !otherwise.is_empty();
        let is_held = has_name(iterable);
        let pass = YieldConsumer::Each { target, block, ends, has_else, is_held };
        self.wait_for(generator, pass, iterable.span);
        self.ways_out.of_loop = of_loop;
        self.block_unless(ends.behind, otherwise);
        self.land(ends.behind);
    }

    /// The `else` of a loop, which a `break` leads past.
    fn block_unless(&mut self, behind: Landing, otherwise: &'p Block<'p>) {
        match !otherwise.is_empty() && self.leads_to(&[behind]) {
            true => self.in_an_arm(|run| run.block(otherwise)),
            false => self.block(otherwise),
        }
    }

    /// A loop of which so many passes are followed.
    fn new_loop(&mut self, passes: usize) -> Loop {
        let passes = passes.max(1) * self.passes_around();
        Loop { next: self.new_landing(), behind: self.new_landing(), passes }
    }

    fn passes_around(&self) -> usize {
        self.here.loops.last().map_or(1, |around| around.passes)
    }

    /// Whether a loop over so many elements is followed element by element.
    pub(super) fn may_follow_each(&self, elements: usize) -> bool {
        elements <= MOST_ELEMENTS && elements * self.passes_around() <= MOST_PASSES
    }

    /// Whether a loop over these elements is followed one by one although they are many numbers of a range.
    fn may_count_along(&self, elements: &[Value<'p>], body: &'p Block<'p>) -> bool {
        elements.len() <= FEW_NUMBERS
            || !may_be_range(elements)
            || self.weight_of(body) * elements.len() <= PASSES_WEIGH
    }

    /// Runs the passes of a loop, of which so many are followed, and its `else` when they come to an end without a `break`.
    pub(super) fn looping(
        &mut self,
        count: usize,
        otherwise: Option<&'p Block<'p>>,
        passes: impl FnOnce(&mut Self),
    ) {
        let of_loop = self.ways_out.of_loop;
        let running = self.new_loop(count);
        self.here.loops.push(running);
        passes(self);
        self.here.loops.pop();
        self.ways_out.of_loop = of_loop;
        otherwise.into_iter().for_each(|otherwise| self.block_unless(running.behind, otherwise));
        self.land(running.behind);
    }

    /// Runs the body of a loop once; `continue` leads to its end. A `break` leads behind the loop, or is left to who follows
    /// the loop.
    pub(super) fn pass(&mut self, body: impl FnOnce(&mut Self), breaks: bool) {
        body(self);
        let Some(innermost) = self.here.loops.last().copied() else { return };
        match self.flow {
            Flow::Continue => self.flow = Flow::Next,
            Flow::Break if breaks => {
                self.jump(innermost.behind);
                self.flow = Flow::Unreachable;
            }
            Flow::Break => {
                let landed = self.landing(innermost.next);
                if !landed.is_empty() {
                    self.jump(innermost.behind);
                    self.flow = Flow::Next;
                    self.join(landed);
                }
                return;
            }
            Flow::Next | Flow::Return | Flow::Raise | Flow::Unreachable => {}
        }
        self.land(innermost.next);
    }

    /// What a loop counts is not known in a pass that stands for all.
    pub(super) fn havoc_counters(&mut self, block: &'p Block<'p>) {
        self.counters(block).into_iter().for_each(|name| self.bind(name, Value::Unknown));
    }

    /// Names that each pass of a loop makes from what the pass before left: `n += 1`, `n = n + 1`, `text = f"{text}1"`.
    fn counters(&self, block: &'p Block<'p>) -> Vec<&'p str> {
        let mut names = Vec::new();
        for step in block {
            let counter = match &step.kind {
                StatementKind::Update { target: Target::Name(name, _), .. } => Some(*name),
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    match (&targets[..], &value.kind) {
                        ([Target::Name(name, _)], ExprKind::Binary(_, sides)) => {
                            (is_name(&sides.0, name) || is_name(&sides.1, name)).then_some(*name)
                        }
                        ([Target::Name(name, _)], ExprKind::Join(parts)) => {
                            parts.iter().any(|part| is_name(part, name)).then_some(*name)
                        }
                        _ => None,
                    }
                }
                kind => {
                    names.extend(kind.blocks().into_iter().flat_map(|block| self.counters(block)));
                    None
                }
            };
            let counts = |value: &Value<'_>| {
                value.alternatives().iter().all(|value| {
                    matches!(
                        value,
                        Value::Int(..)
                            | Value::Float(_)
                            | Value::Text(_)
                            | Value::Sequence(_)
                            | Value::Mapping(_)
                            | Value::Collection(_)
                    )
                })
            };
            names.extend(counter.filter(|name| self.look_up(self.here.scope, name).is_some_and(counts)));
        }
        names
    }
}

fn is_name(expr: &Expr<'_>, name: &str) -> bool {
    matches!(expr.kind, ExprKind::Name(other) if other == name)
}

/// The `else` of a loop, where something may break out of its body: then it runs on some ways only.
fn otherwise_inside<'p>(body: &'p Block<'p>, otherwise: &'p Block<'p>) -> Option<&'p Block<'p>> {
    fn breaks(block: &Block<'_>) -> bool {
        let inner = |step: &Statement<'_>| match &step.kind {
            StatementKind::Break => true,
            StatementKind::For { otherwise, .. } | StatementKind::While { otherwise, .. } => {
                breaks(otherwise)
            }
            kind => kind.blocks().into_iter().any(breaks),
        };
        block.iter().any(inner)
    }
    (!otherwise.is_empty() && breaks(body)).then_some(otherwise)
}

/// Whether what a loop goes over has a name: `for value in values`, `for number, value in enumerate(values)`.
fn has_name(iterable: &Expr<'_>) -> bool {
    match &iterable.kind {
        ExprKind::Name(_) => true,
        ExprKind::Call(call) => {
            matches!(call.callee.kind, ExprKind::Name("enumerate"))
                && call
                    .arguments
                    .first()
                    .is_some_and(|argument| matches!(argument.value.kind, ExprKind::Name(_)))
        }
        _ => false,
    }
}
