//! A look at every step and expression of a file, with what stands around each: for rules that speak of how code is
//! written, whatever runs it.

use super::{
    Argument, Block, Code, Comprehension, Expr, ExprKind, Handler, Parameter, Statement, StatementKind,
    Target, looks,
};

/// Something that is looked at.
#[derive(Clone, Copy, Debug)]
pub enum CodeNode<'c, 's> {
    Statement(&'c Statement<'s>),
    Expr(&'c Expr<'s>),
    /// The target of an assignment; the parts of its expressions follow.
    Target(&'c Target<'s>),
}

/// What a part stands in. The outermost comes first.
#[derive(Clone, Copy, Debug)]
pub enum Ancestor<'c, 's> {
    /// The body of a function or lambda, by its number.
    Function(usize),
    /// The body of a class, by its number.
    Class(usize),
    /// A decorator of the function or class that the step defines.
    Decorator(&'c Statement<'s>),
    /// The default of a parameter of a function, by its number.
    Default(usize),
    /// The first block of an `if`, with its test; also the right operand of `and`, and the first of `x if test else y`.
    Then(&'c Expr<'s>),
    /// The `else` of an `if`, with its test; also the right operand of `or`, and the last of `x if test else y`.
    Otherwise(&'c Expr<'s>),
    /// The test of an `if`, a `while`, an `assert` or of `x if test else y`.
    Test(&'c Statement<'s>),
    /// The body of a loop.
    Loop(&'c Statement<'s>),
    /// The body of a `try`.
    Try(&'c Statement<'s>),
    /// The body of an `except`, with its `try`.
    Handler(&'c Statement<'s>, &'c Handler<'s>),
    /// The `else` of a `try`.
    TryElse(&'c Statement<'s>),
    /// The `finally` of a `try`.
    Finally(&'c Statement<'s>),
    /// The body of a `with`.
    With(&'c Statement<'s>),
    /// An expression of a `with` before its body.
    WithItem(&'c Statement<'s>),
    /// The elements and conditions of a comprehension.
    Comprehension(&'c Comprehension<'s>),
    /// The function part of a call.
    Callee(&'c Expr<'s>),
    /// An argument of a call.
    Argument(&'c Expr<'s>, &'c Argument<'s>),
}

/// What one look at a file calls for each part, outer parts first.
pub type Visit<'v, 'c, 's> = dyn FnMut(CodeNode<'c, 's>, &[Ancestor<'c, 's>]) + 'v;

/// Looks at everything that a file holds: its body, its functions and classes where they are defined, and the
/// Python and the programs in it.
pub fn walk<'c, 's>(code: &'c Code<'s>, visit: &mut Visit<'_, 'c, 's>) {
    let mut walk = CodeWalker::new(code, visit);
    walk.block(&code.body);
    code.snippets.iter().for_each(|snippet| walk.block(&snippet.body));
    code.units.iter().for_each(|unit| walk.block(&unit.body));
}

/// Looks at one block of a file, and at the functions and classes that are defined in it.
pub fn walk_block<'c, 's>(code: &'c Code<'s>, block: &'c [Statement<'s>], visit: &mut Visit<'_, 'c, 's>) {
    CodeWalker::new(code, visit).block(block);
}

/// Looks at one expression of a file.
pub fn walk_expr<'c, 's>(code: &'c Code<'s>, expr: &'c Expr<'s>, visit: &mut Visit<'_, 'c, 's>) {
    CodeWalker::new(code, visit).expr(expr);
}

/// Looks at what runs when a file is imported: everything but the bodies of functions.
pub fn walk_top<'c, 's>(code: &'c Code<'s>, visit: &mut Visit<'_, 'c, 's>) {
    let mut walk = CodeWalker::new(code, visit);
    walk.enters_functions = false;
    walk.block(&code.body);
}

/// Every block of a file, whatever it belongs to.
pub fn blocks<'c, 's>(code: &'c Code<'s>) -> Vec<&'c Block<'s>> {
    let mut found: Vec<&Block<'s>> = vec![&code.body];
    found.extend(code.functions.iter().map(|function| &function.body));
    found.extend(code.classes.iter().map(|class| &class.body));
    found.extend(code.snippets.iter().map(|snippet| &snippet.body));
    found.extend(code.units.iter().map(|unit| &unit.body));
    let mut next = 0;
    while let Some(&block) = found.get(next) {
        found.extend(block.iter().flat_map(|step| step.kind.blocks()));
        next += 1;
    }
    found
}

/// The innermost function that something stands in, and what stands around it in there.
pub fn within_function<'a, 'c, 's>(
    around: &'a [Ancestor<'c, 's>],
) -> (Option<usize>, &'a [Ancestor<'c, 's>]) {
    for (at, one) in around.iter().enumerate().rev() {
        match one {
            Ancestor::Function(number) => return (Some(*number), &around[at + 1..]),
            Ancestor::Class(_) => return (None, &around[at + 1..]),
            _ => {}
        }
    }
    (None, around)
}

/// The functions that something stands in, the innermost last, whatever classes lie between.
pub fn functions_around(around: &[Ancestor<'_, '_>]) -> impl DoubleEndedIterator<Item = usize> {
    around.iter().filter_map(|one| match one {
        Ancestor::Function(number) => Some(*number),
        _ => None,
    })
}

/// The number of the innermost class that something stands in.
pub fn innermost_class(around: &[Ancestor<'_, '_>]) -> Option<usize> {
    around.iter().rev().find_map(|one| match one {
        Ancestor::Class(number) => Some(*number),
        _ => None,
    })
}

/// The innermost loop of those that something stands in.
pub fn innermost_loop<'c, 's>(around: &[Ancestor<'c, 's>]) -> Option<&'c Statement<'s>> {
    loops_around(around).next_back()
}

/// The loops that something stands in, the outermost first.
pub fn loops_around<'c, 's>(
    around: &[Ancestor<'c, 's>],
) -> impl DoubleEndedIterator<Item = &'c Statement<'s>> {
    around.iter().filter_map(|one| match one {
        Ancestor::Loop(step) => Some(*step),
        _ => None,
    })
}

struct CodeWalker<'w, 'v, 'c, 's> {
    code: &'c Code<'s>,
    visit: &'w mut Visit<'v, 'c, 's>,
    around: Vec<Ancestor<'c, 's>>,
    /// How many expressions stand in each other here.
    depth: usize,
    enters_functions: bool,
    /// How many parts were looked at.
    looks: usize,
}

impl Drop for CodeWalker<'_, '_, '_, '_> {
    fn drop(&mut self) {
        looks::note(self.looks);
    }
}

/// Where expressions stand in each other, every so many of them ask for room on the stack.
const LEVELS: usize = 16;

impl<'w, 'v, 'c, 's> CodeWalker<'w, 'v, 'c, 's> {
    fn new(code: &'c Code<'s>, visit: &'w mut Visit<'v, 'c, 's>) -> CodeWalker<'w, 'v, 'c, 's> {
        CodeWalker { code, visit, around: Vec::new(), depth: 0, enters_functions: true, looks: 0 }
    }

    fn look(&mut self, part: CodeNode<'c, 's>) {
        self.looks += 1;
        (self.visit)(part, &self.around);
    }

    fn inside(&mut self, around: Ancestor<'c, 's>, look: impl FnOnce(&mut Self)) {
        self.around.push(around);
        look(self);
        self.around.pop();
    }

    fn block(&mut self, block: &'c [Statement<'s>]) {
        // Blocks nest as deeply as their front-end lets them.
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || block.iter().for_each(|step| self.step(step)));
    }

    fn block_in(&mut self, around: Ancestor<'c, 's>, block: &'c Block<'s>) {
        self.inside(around, |walk| walk.block(block));
    }

    fn step(&mut self, step: &'c Statement<'s>) {
        self.look(CodeNode::Statement(step));
        match &step.kind {
            StatementKind::Evaluate(value) | StatementKind::Source(value) => self.expr(value),
            StatementKind::Assert { test, message } => {
                self.inside(Ancestor::Test(step), |walk| walk.expr(test));
                self.inside(Ancestor::Otherwise(test), |walk| message.iter().for_each(|one| walk.expr(one)));
            }
            StatementKind::Assign { targets, value, .. } => {
                value.iter().for_each(|value| self.expr(value));
                targets.iter().for_each(|target| self.target(target));
            }
            StatementKind::Update { target, value, .. } => {
                self.expr(value);
                self.target(target);
            }
            StatementKind::Delete(targets) => targets.iter().for_each(|target| self.target(target)),
            StatementKind::Define { function, decorators } => {
                self.inside(Ancestor::Decorator(step), |walk| {
                    decorators.iter().for_each(|one| walk.expr(one))
                });
                self.function(*function);
            }
            StatementKind::DefineClass { class, decorators } => {
                self.inside(Ancestor::Decorator(step), |walk| {
                    decorators.iter().for_each(|one| walk.expr(one))
                });
                let Some(defined) = self.code.classes.get(*class) else { return };
                defined.bases.iter().for_each(|base| self.expr(base));
                defined.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
                self.block_in(Ancestor::Class(*class), &defined.body);
            }
            StatementKind::Branch { test, then, otherwise } => {
                self.inside(Ancestor::Test(step), |walk| walk.expr(test));
                self.block_in(Ancestor::Then(test), then);
                self.block_in(Ancestor::Otherwise(test), otherwise);
            }
            StatementKind::Match { subject, arms } => {
                self.expr(subject);
                for arm in arms {
                    let mut parts = Vec::new();
                    match &arm.pattern {
                        Some(pattern) => pattern.expressions(&mut parts),
                        None => parts.extend(&arm.literals),
                    }
                    parts.into_iter().chain(&arm.guard).for_each(|part| self.expr(part));
                    self.block(&arm.body);
                }
            }
            StatementKind::For { target, iterable, body, otherwise } => {
                self.expr(iterable);
                self.target(target);
                self.block_in(Ancestor::Loop(step), body);
                self.block(otherwise);
            }
            StatementKind::While { test, body, otherwise } => {
                self.inside(Ancestor::Test(step), |walk| walk.expr(test));
                self.block_in(Ancestor::Loop(step), body);
                self.block(otherwise);
            }
            StatementKind::Try { body, handlers, otherwise, finally } => {
                self.block_in(Ancestor::Try(step), body);
                for handler in handlers {
                    handler.types.iter().for_each(|caught| self.expr(caught));
                    self.block_in(Ancestor::Handler(step, handler), &handler.body);
                }
                self.block_in(Ancestor::TryElse(step), otherwise);
                self.block_in(Ancestor::Finally(step), finally);
            }
            StatementKind::With { items, body } => {
                for (item, target) in items {
                    self.inside(Ancestor::WithItem(step), |walk| walk.expr(item));
                    target.iter().for_each(|target| self.target(target));
                }
                self.block_in(Ancestor::With(step), body);
            }
            StatementKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StatementKind::Raise { exception, cause } => {
                exception.iter().chain(cause).for_each(|value| self.expr(value));
            }
            StatementKind::SetVariable(set) => set.value.iter().for_each(|value| self.expr(value)),
            StatementKind::Command(command) => {
                let values = command.environment.iter().filter_map(|set| set.value.as_ref());
                values.chain(&command.words).for_each(|word| self.expr(word));
                self.block(&command.script);
            }
            StatementKind::Apart(block) | StatementKind::WithoutGpu(block) | StatementKind::Child(block) => {
                self.block(block)
            }
            StatementKind::Setting(setting) => self.expr(&setting.value),
            StatementKind::Import(_)
            | StatementKind::Module { .. }
            | StatementKind::Share(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::UnsetVariable(_)
            | StatementKind::ExportAll(_)
            | StatementKind::Extend(_)
            | StatementKind::Image(_)
            | StatementKind::Observe(_) => {}
        }
    }

    fn function(&mut self, number: usize) {
        let Some(function) = self.code.functions.get(number) else { return };
        let defaults =
            function.parameters.iter().filter_map(|parameter: &Parameter<'s>| parameter.default.as_ref());
        for default in defaults {
            self.inside(Ancestor::Default(number), |walk| walk.expr(default));
        }
        if self.enters_functions {
            self.block_in(Ancestor::Function(number), &function.body);
        }
    }

    fn target(&mut self, target: &'c Target<'s>) {
        self.look(CodeNode::Target(target));
        match target {
            Target::Name(..) => {}
            Target::Attribute(object, _) => self.expr(object),
            Target::Item(item) => {
                self.expr(&item.0);
                self.expr(&item.1);
            }
            Target::Sequence(targets) => targets.iter().for_each(|target| self.target(target)),
            Target::Rest(target) => self.target(target),
        }
    }

    fn expr(&mut self, expr: &'c Expr<'s>) {
        self.look(CodeNode::Expr(expr));
        self.depth += 1;
        match self.depth % LEVELS {
            0 => stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.parts_of(expr)),
            _ => self.parts_of(expr),
        }
        self.depth -= 1;
    }

    fn parts_of(&mut self, expr: &'c Expr<'s>) {
        match &expr.kind {
            ExprKind::Unknown(parts) | ExprKind::Sequence(parts) | ExprKind::Join(parts) => {
                parts.iter().for_each(|part| self.expr(part));
            }
            ExprKind::Attribute(inner, _)
            | ExprKind::Not(inner)
            | ExprKind::Negate(inner)
            | ExprKind::Await(inner)
            | ExprKind::Starred(inner)
            | ExprKind::YieldFrom(inner)
            | ExprKind::Bind(_, inner)
            | ExprKind::VariableOr(_, inner) => self.expr(inner),
            ExprKind::Yield(inner) => inner.iter().for_each(|inner| self.expr(inner)),
            ExprKind::Call(call) => {
                self.inside(Ancestor::Callee(expr), |walk| walk.expr(&call.callee));
                for argument in &call.arguments {
                    self.inside(Ancestor::Argument(expr, argument), |walk| walk.expr(&argument.value));
                }
            }
            ExprKind::Item(pair) | ExprKind::Binary(_, pair) | ExprKind::Compare(_, pair) => {
                self.expr(&pair.0);
                self.expr(&pair.1);
            }
            ExprKind::Mapping(entries) => entries.iter().for_each(|(key, value)| {
                key.iter().for_each(|key| self.expr(key));
                self.expr(value);
            }),
            ExprKind::All(operands) => self.operands(operands, Ancestor::Then),
            ExprKind::Any(operands) => self.operands(operands, Ancestor::Otherwise),
            ExprKind::Choice(parts) => {
                let (test, then, otherwise) = &**parts;
                self.expr(test);
                self.inside(Ancestor::Then(test), |walk| walk.expr(then));
                self.inside(Ancestor::Otherwise(test), |walk| walk.expr(otherwise));
            }
            ExprKind::Lambda(function) => self.function(*function),
            ExprKind::Comprehension(comprehension) => {
                for generator in &comprehension.generators {
                    self.expr(&generator.iterable);
                    self.target(&generator.target);
                }
                self.inside(Ancestor::Comprehension(comprehension), |walk| {
                    let conditions =
                        comprehension.generators.iter().flat_map(|generator| &generator.conditions);
                    conditions.chain(&comprehension.elements).for_each(|part| walk.expr(part));
                });
            }
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Text(_)
            | ExprKind::Name(_)
            | ExprKind::Outside(_)
            | ExprKind::Variable(_) => {}
        }
    }

    /// `a and b`: the second is looked at when the first holds.
    fn operands(&mut self, operands: &'c [Expr<'s>], behind: fn(&'c Expr<'s>) -> Ancestor<'c, 's>) {
        let Some((first, rest)) = operands.split_first() else { return };
        self.expr(first);
        let depth = self.around.len();
        let mut before = first;
        for operand in rest {
            self.around.push(behind(before));
            self.expr(operand);
            before = operand;
        }
        self.around.truncate(depth);
    }
}
