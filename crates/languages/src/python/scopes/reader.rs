//! Reads the tree of a file into scopes and mentions.

use super::{Mention, NameUse, Scope, ScopeId, ScopeSort, Scopes};
use crate::facts::Span;
use crate::languages::python::nesting;
use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{
    CmpOp, Comprehension, ExceptHandler, Expr, ExprContext, Identifier, Parameters, Pattern, Stmt,
};
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHashSet;

/// What the statements of a file do with names; whose names they are is not known yet.
pub(super) fn read(body: &[Stmt], whole: Span) -> Scopes {
    let scopes = Scopes::default();
    let mut reader = Reader { scopes, at: whole.start, around: vec![0], annotation: None, started: None };
    reader.scopes.scopes.push(Scope::new(ScopeSort::Module, whole, 0));
    reader.visit_body(body);
    reader.scopes
}

struct Reader {
    scopes: Scopes,
    /// Where the text stands in the file.
    at: u32,
    around: Vec<ScopeId>,
    /// Inside of an annotation: what mentions are there.
    annotation: Option<NameUse>,
    started: Option<Span>,
}

impl Reader {
    fn span(&self, range: TextRange) -> Span {
        Span { start: self.at + range.start().to_u32(), end: self.at + range.end().to_u32() }
    }

    fn here(&self) -> ScopeId {
        self.around.last().copied().unwrap_or_default()
    }

    fn mention(&mut self, name: &str, range: TextRange, what: NameUse) {
        let (scope, span) = (self.here(), self.span(range));
        let home = 0;
        let name = name.to_owned();
        self.scopes.mentions.push(Mention { name, span, what, scope, home, started: self.started });
    }

    /// A name that the innermost scope binds.
    fn bind(&mut self, name: &str, range: TextRange) {
        let here = self.here() as usize;
        self.scopes.scopes[here].bound.insert(name.to_owned());
        self.mention(name, range, NameUse::Bound);
    }

    fn bind_identifier(&mut self, name: &Identifier) {
        self.bind(name.as_str(), name.range());
    }

    fn inside(&mut self, sort: ScopeSort, range: TextRange, look: impl FnOnce(&mut Self)) -> ScopeId {
        let id = self.scopes.scopes.len() as ScopeId;
        self.scopes.scopes.push(Scope::new(sort, self.span(range), self.here()));
        let annotation = self.annotation.take();
        self.around.push(id);
        look(self);
        self.around.pop();
        self.annotation = annotation;
        id
    }

    fn annotation(&mut self, annotation: &Expr, what: NameUse) {
        let outer = self.annotation.replace(what);
        self.visit_expr(annotation);
        self.annotation = outer;
    }

    /// Defaults and annotations belong to what is around the function.
    fn parameters_outside(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter() {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
            if let Some(annotation) = &parameter.as_parameter().annotation {
                self.annotation(annotation, NameUse::Annotation);
            }
        }
    }

    fn parameters_inside(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter() {
            self.bind_identifier(&parameter.as_parameter().name);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(def) => {
                def.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                def.type_params.iter().for_each(|params| self.visit_type_params(params));
                self.parameters_outside(&def.parameters);
                if let Some(returns) = &def.returns {
                    self.annotation(returns, NameUse::Annotation);
                }
                self.bind_identifier(&def.name);
                let id = self.inside(ScopeSort::Function, def.range, |reader| {
                    reader.parameters_inside(&def.parameters);
                    reader.visit_body(&def.body);
                });
                let decorators = def.decorator_list.iter().map(|one| self.span(one.expression.range()));
                self.scopes.scopes[id as usize].decorators = decorators.collect();
            }
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                class.type_params.iter().for_each(|params| self.visit_type_params(params));
                class.arguments.iter().for_each(|arguments| self.visit_arguments(arguments));
                self.bind_identifier(&class.name);
                let id = self.inside(ScopeSort::Class, class.range, |reader| reader.visit_body(&class.body));
                let decorators = class.decorator_list.iter().map(|one| self.span(one.expression.range()));
                self.scopes.scopes[id as usize].decorators = decorators.collect();
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.bind(name.split('.').next().unwrap_or(name), alias.range);
                }
            }
            Stmt::ImportFrom(import) => {
                let is_future = import.module.as_ref().is_some_and(|module| module.as_str() == "__future__");
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.scopes.star |= name == "*";
                    self.scopes.later_annotations |= is_future && name == "annotations";
                    self.bind(name, alias.range);
                }
            }
            Stmt::Global(global) => self.share(&global.names, true),
            Stmt::Nonlocal(nonlocal) => self.share(&nonlocal.names, false),
            Stmt::AnnAssign(assign) => {
                assign.value.iter().for_each(|value| self.visit_expr(value));
                self.visit_expr(&assign.target);
                let is_local = self.scopes.scope(self.here()).sort == ScopeSort::Function;
                let what = match is_local && assign.simple {
                    true => NameUse::Unevaluated,
                    false => NameUse::Annotation,
                };
                self.annotation(&assign.annotation, what);
            }
            Stmt::If(branch) if self.around.len() == 1 && is_main_test(&branch.test) => {
                self.visit_expr(&branch.test);
                let span = self.span(branch.range);
                let outer = self.started.replace(span);
                self.visit_body(&branch.body);
                self.started = outer;
                branch.elif_else_clauses.iter().for_each(|clause| self.visit_elif_else_clause(clause));
            }
            other => walk_stmt(self, other),
        }
    }

    fn share(&mut self, names: &[Identifier], is_global: bool) {
        let here = self.here() as usize;
        for name in names {
            self.scopes.scopes[here].shared.insert(name.to_string(), is_global);
            self.mention(name.as_str(), name.range, NameUse::Shared);
        }
    }

    fn comprehension(&mut self, range: TextRange, generators: &[Comprehension], elements: &[&Expr]) {
        let first = generators.first().map(|generator| &generator.iter);
        first.into_iter().for_each(|iterable| self.visit_expr(iterable));
        let annotation = self.annotation;
        self.inside(ScopeSort::Comprehension, range, |reader| {
            reader.annotation = annotation;
            for (number, generator) in generators.iter().enumerate() {
                reader.visit_expr(&generator.target);
                if number > 0 {
                    reader.visit_expr(&generator.iter);
                }
                generator.ifs.iter().for_each(|condition| reader.visit_expr(condition));
            }
            elements.iter().for_each(|element| reader.visit_expr(element));
        });
    }

    fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::Name(name) => match (name.ctx, self.annotation) {
                (ExprContext::Store, _) => self.bind(name.id.as_str(), name.range),
                (ExprContext::Del, _) => {
                    self.bind(name.id.as_str(), name.range);
                    if let Some(mention) = self.scopes.mentions.last_mut() {
                        mention.what = NameUse::Deleted;
                    }
                }
                (_, what) => self.mention(name.id.as_str(), name.range, what.unwrap_or(NameUse::Read)),
            },
            Expr::StringLiteral(text) if self.annotation.is_some() => {
                let is_part = |character: char| character.is_alphanumeric() || character == '_';
                let words: FxHashSet<&str> = text.value.to_str().split(|c| !is_part(c)).collect();
                for word in words.into_iter().filter(|word| !word.is_empty()) {
                    self.mention(word, text.range, NameUse::Unevaluated);
                }
            }
            Expr::Lambda(lambda) => {
                let parameters = lambda.parameters.as_deref();
                parameters.into_iter().for_each(|parameters| self.parameters_outside(parameters));
                self.inside(ScopeSort::Lambda, lambda.range, |reader| {
                    parameters.into_iter().for_each(|parameters| reader.parameters_inside(parameters));
                    reader.visit_expr(&lambda.body);
                });
            }
            Expr::ListComp(comp) => self.comprehension(comp.range, &comp.generators, &[&comp.elt]),
            Expr::SetComp(comp) => self.comprehension(comp.range, &comp.generators, &[&comp.elt]),
            Expr::Generator(comp) => self.comprehension(comp.range, &comp.generators, &[&comp.elt]),
            Expr::DictComp(comp) => {
                let elements: Vec<&Expr> = comp.key.iter().chain([&comp.value]).map(|part| &**part).collect();
                self.comprehension(comp.range, &comp.generators, &elements);
            }
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                // It binds in what is around the comprehension.
                let is_open = |id: &ScopeId| self.scopes.scope(*id).sort != ScopeSort::Comprehension;
                let depth = self.around.iter().rposition(is_open).unwrap_or_default();
                let inner = self.around.split_off(depth + 1);
                self.visit_expr(&named.target);
                self.around.extend(inner);
            }
            other => walk_expr(self, other),
        }
    }
}

impl<'a> Visitor<'a> for Reader {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.around.len() == 1 {
            exported_by(statement, &mut self.scopes.exported);
        }
        nesting::with_room(|| self.statement(statement));
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        nesting::with_room(|| self.expression(expression));
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        inner.name.iter().for_each(|name| self.bind_identifier(name));
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let bound = match pattern {
            Pattern::MatchAs(pattern) => &pattern.name,
            Pattern::MatchStar(pattern) => &pattern.name,
            Pattern::MatchMapping(pattern) => &pattern.rest,
            _ => &None,
        };
        bound.iter().for_each(|name| self.bind_identifier(name));
        walk_pattern(self, pattern);
    }
}

/// `__name__ == "__main__"`
fn is_main_test(test: &Expr) -> bool {
    let Expr::Compare(compare) = test else { return false };
    let mut sides = std::iter::once(&compare.left).map(|side| &**side).chain(&compare.comparators);
    let is_side = |side: &Expr| match side {
        Expr::Name(name) => name.id.as_str() == "__name__",
        Expr::StringLiteral(text) => text.value.to_str() == "__main__",
        _ => false,
    };
    compare.ops.len() == 1 && compare.ops[0] == CmpOp::Eq && sides.all(is_side)
}

/// Collects what a statement of the top level puts into `__all__`.
fn exported_by(statement: &Stmt, exported: &mut Vec<String>) {
    struct Texts<'e> {
        names_all: bool,
        texts: &'e mut Vec<String>,
    }
    impl<'a> Visitor<'a> for Texts<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Name(name) => self.names_all |= name.id.as_str() == "__all__",
                Expr::StringLiteral(text) => self.texts.push(text.value.to_str().to_owned()),
                other => nesting::with_room(|| walk_expr(self, other)),
            }
        }
    }
    if matches!(statement, Stmt::Assign(_) | Stmt::AugAssign(_) | Stmt::AnnAssign(_) | Stmt::Expr(_)) {
        let mut texts = Vec::new();
        let mut look = Texts { names_all: false, texts: &mut texts };
        walk_stmt(&mut look, statement);
        if look.names_all {
            exported.append(&mut texts);
        }
    }
}
