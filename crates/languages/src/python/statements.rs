//! Python statements → [`Statement`].

use super::Lowering;
use super::expressions::operator;
use super::nesting::MAX_DEPTH;
use crate::code::{
    Block, Class, Expr, ExprKind, Function, Handler, Import, ImportNames, ImportedName, Statement,
    StatementKind, Target,
};
use crate::languages::notebook::{Escape, steps_of};
use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextLen, TextRange};

impl<'s> Lowering<'s, '_> {
    pub(super) fn block(&mut self, statements: &[ast::Stmt]) -> Block<'s> {
        let mut block = Vec::with_capacity(statements.len());
        for statement in statements {
            if self.notebook.is_some() {
                self.escape(statement, &mut block);
            }
            let lowered = self.deeper(|lowering| lowering.step(statement)).flatten();
            if let Some(kind) = lowered {
                block.push(Statement { span: self.span(statement.range()), kind });
            }
        }
        block
    }

    /// The steps of a line that IPython understands, also where its output is assigned: `files = !ls`.
    fn escape(&mut self, statement: &ast::Stmt, block: &mut Block<'s>) {
        let (range, kind) = match statement {
            ast::Stmt::IpyEscapeCommand(line) => (line.range, line.kind),
            ast::Stmt::Assign(assign) => match &*assign.value {
                ast::Expr::IpyEscapeCommand(line) => (line.range, line.kind),
                _ => return,
            },
            _ => return,
        };
        let Some(source) = self.notebook else { return };
        let whole = self.slice(range);
        let behind = whole.strip_prefix(kind.as_str()).unwrap_or_default();
        let start = range.end().to_usize() - behind.trim_start().len();
        let end = start + behind.trim().len();
        let escape = Escape { kind: kind.as_str(), start, end, span: self.span(range) };
        block.extend(steps_of(escape, self.text, self.origin, source, &mut self.code));
    }

    /// `None` for a statement that does nothing: `pass`, a docstring, a bare constant.
    fn step(&mut self, statement: &ast::Stmt) -> Option<StatementKind<'s>> {
        use ast::Stmt as S;
        Some(match statement {
            S::FunctionDef(function) => StatementKind::Define {
                decorators: self.decorators(&function.decorator_list),
                function: self.function(function),
            },
            S::ClassDef(class) => StatementKind::DefineClass {
                decorators: self.decorators(&class.decorator_list),
                class: self.class(class),
            },
            S::Import(import) => return self.import(import),
            S::ImportFrom(import) => StatementKind::Import(self.import_from(import)),
            S::Expr(expression) => match &*expression.value {
                ast::Expr::StringLiteral(text) => {
                    let span = self.span(text.range);
                    self.code.remarks.texts.push(span);
                    return None;
                }
                ast::Expr::EllipsisLiteral(_) => return None,
                value => StatementKind::Evaluate(self.expr(value)),
            },
            S::Assign(assign) => {
                if let [target] = &assign.targets[..] {
                    self.note_kept(target, &assign.value);
                }
                let value = Some(self.expr(&assign.value));
                StatementKind::Assign { value, targets: self.targets(&assign.targets), annotated: false }
            }
            S::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.note_kept(&assign.target, value);
                }
                let value = assign.value.as_ref().map(|value| self.expr(value));
                StatementKind::Assign { value, targets: vec![self.target(&assign.target)], annotated: true }
            }
            S::AugAssign(assign) => StatementKind::Update {
                value: self.expr(&assign.value),
                target: self.target(&assign.target),
                operator: operator(assign.op),
            },
            S::Delete(delete) => StatementKind::Delete(self.targets(&delete.targets)),
            S::If(branch) => self.branch(branch),
            S::Match(choice) => StatementKind::Match {
                subject: self.expr(&choice.subject),
                arms: choice.cases.iter().map(|case| self.arm(case)).collect(),
            },
            S::For(step) => StatementKind::For {
                iterable: self.expr(&step.iter),
                target: self.target(&step.target),
                body: self.block(&step.body),
                otherwise: self.block(&step.orelse),
            },
            S::While(step) => StatementKind::While {
                test: self.expr(&step.test),
                body: self.block(&step.body),
                otherwise: self.block(&step.orelse),
            },
            S::Try(step) => StatementKind::Try {
                body: self.block(&step.body),
                handlers: self.handlers(step),
                otherwise: self.block(&step.orelse),
                finally: self.block(&step.finalbody),
            },
            S::With(step) => {
                let items = step.items.iter().map(|item| {
                    let target = item.optional_vars.as_ref().map(|target| self.target(target));
                    (self.expr(&item.context_expr), target)
                });
                StatementKind::With { items: items.collect(), body: self.block(&step.body) }
            }
            S::Return(step) => StatementKind::Return(step.value.as_ref().map(|value| self.expr(value))),
            S::Raise(step) => StatementKind::Raise {
                exception: step.exc.as_ref().map(|value| self.expr(value)),
                cause: step.cause.as_ref().map(|value| self.expr(value)),
            },
            S::Assert(step) => StatementKind::Assert {
                test: self.expr(&step.test),
                message: step.msg.as_ref().map(|message| self.expr(message)),
            },
            S::Global(step) => StatementKind::Share(self.names(&step.names)),
            S::Nonlocal(step) => StatementKind::Share(self.names(&step.names)),
            S::Break(_) => StatementKind::Break,
            S::Continue(_) => StatementKind::Continue,
            S::Pass(_) | S::TypeAlias(_) | S::IpyEscapeCommand(_) => return None,
        })
    }

    fn names(&self, names: &[ast::Identifier]) -> Vec<&'s str> {
        names.iter().map(|name| self.name(name)).collect()
    }

    fn decorators(&mut self, decorators: &[ast::Decorator]) -> Vec<Expr<'s>> {
        self.exprs(decorators.iter().map(|decorator| &decorator.expression))
    }

    fn function(&mut self, function: &ast::StmtFunctionDef) -> usize {
        let parameters = self.parameters(&function.parameters);
        let outer = std::mem::take(&mut self.marks);
        let body = self.block(&function.body);
        let marks = std::mem::replace(&mut self.marks, outer);
        let span = self.span(function.range);
        self.code.functions.push(Function {
            name: self.name(&function.name),
            span,
            name_span: self.span(function.name.range),
            parameters,
            body,
            is_async: function.is_async,
            is_generator: marks.yields,
            mentions_gpu: self.mentions_gpu(function.range),
        });
        self.code.functions.len() - 1
    }

    /// Cheap test on the text: could running this code alone say anything about a device?
    pub(super) fn mentions_gpu(&self, range: TextRange) -> bool {
        let first = self.gpu_words.partition_point(|&word| word < range.start().to_u32());
        self.gpu_words.get(first).is_some_and(|&word| word < range.end().to_u32())
    }

    fn class(&mut self, class: &ast::StmtClassDef) -> usize {
        let arguments = class.arguments.as_deref();
        let arguments = arguments.map_or(Vec::new(), |arguments| self.arguments(arguments));
        let (keywords, bases): (Vec<_>, Vec<_>) =
            arguments.into_iter().partition(|argument| argument.name.is_some());
        let bases = bases.into_iter().map(|base| base.value).collect();
        let outer = self.class.replace(class.name.as_str().trim_start_matches('_').to_owned());
        let body = self.block(&class.body);
        self.class = outer;
        self.code.classes.push(Class {
            name: self.name(&class.name),
            span: self.span(class.range),
            bases,
            keywords,
            body,
        });
        self.code.classes.len() - 1
    }

    /// `import a, b` becomes one step for each module; more than one is wrapped in a block that always
    /// runs.
    fn import(&mut self, import: &ast::StmtImport) -> Option<StatementKind<'s>> {
        let mut steps = import.names.iter().map(|alias| Statement {
            span: self.span(if import.names.len() == 1 { import.range } else { alias.range }),
            kind: StatementKind::Import(Import {
                level: 0,
                module: self.name(&alias.name),
                names: ImportNames::Module(alias.asname.as_ref().map(|name| self.name(name))),
                lazy: import.is_lazy,
            }),
        });
        let first = steps.next()?;
        let rest: Vec<_> = steps.collect();
        if rest.is_empty() {
            return Some(first.kind);
        }
        let test = Expr { span: first.span, kind: ExprKind::Bool(true) };
        let then = std::iter::once(first).chain(rest).collect();
        Some(StatementKind::Branch { test, then, otherwise: Vec::new() })
    }

    fn import_from(&mut self, import: &ast::StmtImportFrom) -> Import<'s> {
        let star = import.names.iter().any(|alias| alias.name.as_str() == "*");
        let names = if star {
            ImportNames::Star
        } else {
            let names = import.names.iter().map(|alias| {
                let name = self.name(&alias.name);
                let bound = alias.asname.as_ref().map_or(name, |bound| self.name(bound));
                ImportedName { name, bound }
            });
            ImportNames::Names(names.collect())
        };
        let module = import.module.as_ref().map_or("", |module| self.name(module));
        Import { level: import.level, module, names, lazy: import.is_lazy }
    }

    fn branch(&mut self, branch: &ast::StmtIf) -> StatementKind<'s> {
        self.note_main_guard(&branch.test);
        let test = self.expr(&branch.test);
        let then = self.block(&branch.body);
        let mut otherwise = Vec::new();
        // `elif` chains are flat in the tree and nested in the code, innermost last.
        let clauses = &branch.elif_else_clauses;
        if self.depth + self.chained + clauses.len() > MAX_DEPTH {
            self.too_deep = true;
            return StatementKind::Branch { test, then, otherwise };
        }
        self.chained += clauses.len();
        for clause in clauses.iter().rev() {
            let body = self.block(&clause.body);
            otherwise = match &clause.test {
                None => body,
                Some(test) => {
                    let test = self.expr(test);
                    let kind = StatementKind::Branch { test, then: body, otherwise };
                    vec![Statement { span: self.span(clause.range), kind }]
                }
            };
        }
        self.chained -= clauses.len();
        StatementKind::Branch { test, then, otherwise }
    }

    fn note_main_guard(&mut self, test: &ast::Expr) {
        if let ast::Expr::Compare(compare) = test
            && let ([ast::CmpOp::Eq], [right]) = (&*compare.ops, &*compare.comparators)
        {
            let name =
                |side: &ast::Expr| side.as_name_expr().is_some_and(|name| name.id.as_str() == "__name__");
            let main = |side: &ast::Expr| {
                side.as_string_literal_expr().is_some_and(|text| text.value.to_str() == "__main__")
            };
            let (left, right) = (&*compare.left, right);
            self.code.main_guard |= (name(left) && main(right)) || (main(left) && name(right));
        }
    }

    fn handlers(&mut self, step: &ast::StmtTry) -> Vec<Handler<'s>> {
        let handlers: Vec<_> = step.handlers.iter().map(|handler| self.handler(handler)).collect();
        if !step.is_star || handlers.len() < 2 {
            return handlers;
        }
        // Several of `except*` may run, one after the other: they are one handler whose parts run on some ways.
        let mut whole = Handler {
            head: handlers[0].head,
            name: None,
            types: Vec::new(),
            import_errors: handlers.iter().all(|handler| handler.import_errors),
            body: Vec::new(),
        };
        for handler in handlers {
            let span = handler.head;
            let unknown = || Expr { span, kind: ExprKind::Unknown(Vec::new()) };
            let mut then = handler.body;
            if let Some(name) = handler.name {
                let targets = vec![Target::Name(name, span)];
                let kind = StatementKind::Assign { targets, value: Some(unknown()), annotated: false };
                then.insert(0, Statement { span, kind });
            }
            whole.types.extend(handler.types);
            let kind = StatementKind::Branch { test: unknown(), then, otherwise: Vec::new() };
            whole.body.push(Statement { span, kind });
        }
        vec![whole]
    }

    fn handler(&mut self, handler: &ast::ExceptHandler) -> Handler<'s> {
        let ast::ExceptHandler::ExceptHandler(handler) = handler;
        let types = match handler.type_.as_deref() {
            Some(ast::Expr::Tuple(several)) => self.exprs(&several.elts),
            Some(one) => vec![self.expr(one)],
            None => Vec::new(),
        };
        let keyword = TextRange::at(handler.range.start(), "except".text_len());
        let head = handler.type_.as_deref().map_or(keyword, |caught| keyword.cover(caught.range()));
        Handler {
            head: self.span(head),
            name: handler.name.as_ref().map(|name| self.name(name)),
            types,
            import_errors: handler.type_.as_deref().is_some_and(is_import_error),
            body: self.block(&handler.body),
        }
    }
}

fn is_import_error(caught: &ast::Expr) -> bool {
    match caught {
        ast::Expr::Name(name) => matches!(name.id.as_str(), "ImportError" | "ModuleNotFoundError"),
        ast::Expr::Tuple(several) => several.elts.iter().all(is_import_error),
        _ => false,
    }
}
