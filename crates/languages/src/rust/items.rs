//! Items → definitions: functions, types with their methods, constants, and statics that are made at first use.

use super::Lowering;
use super::names::{Item, Scope};
use super::statements::Sink;
use crate::code::{
    Block, Call, Class, Comparison, CratePath, Expr, ExprKind, Function, Parameter, ParameterKind, Statement,
    StatementKind, Target,
};
use crate::facts::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Types whose value is made when it is first asked for.
const LAZY: &[&str] = &["Lazy", "LazyCell", "LazyLock"];

/// What a type of the file has: its fields and its methods.
#[derive(Default)]
struct Members<'s> {
    span: Span,
    body: Block<'s>,
}

impl<'s> Lowering<'s> {
    pub(super) fn file(&mut self, file: &syn::File) {
        let mut body = Vec::new();
        self.crate_paths(&mut body);
        let items = self.without_twins(file.items.iter().collect());
        self.module(0, "", &items, &mut body);
        let mut main: Block<'s> = Vec::new();
        for item in items {
            match item {
                syn::Item::Fn(function) if function.sig.ident == "main" => {
                    self.code.main_guard = true;
                    let span = self.between(function.sig.ident.span(), function.sig.ident.span());
                    let value = self.call_of("main", span);
                    main.push(Statement { span, kind: StatementKind::Evaluate(value) });
                }
                // `criterion_main!` makes a `main` that calls these.
                syn::Item::Macro(group) if group.mac.path.is_ident("criterion_group") => {
                    self.code.main_guard = true;
                    main.extend(self.benchmarks(&group.mac));
                }
                _ => {}
            }
        }
        if !main.is_empty() {
            body.push(guarded(main));
        }
        self.code.body = body;
        self.code.mentions_gpu = !self.gpu_words.is_empty();
    }

    /// Of two functions of one name, which no build has both, the one for builds without a feature is left out.
    fn without_twins<'i>(&self, items: Vec<&'i syn::Item>) -> Vec<&'i syn::Item> {
        let lacks = |item: &syn::ItemFn| self.lacks_a_feature(&item.attrs);
        let full: FxHashSet<String> = items
            .iter()
            .filter_map(|item| match item {
                syn::Item::Fn(function) if !lacks(function) => Some(function.sig.ident.to_string()),
                _ => None,
            })
            .collect();
        let is_twin = |item: &&syn::Item| match item {
            syn::Item::Fn(function) => lacks(function) && full.contains(&function.sig.ident.to_string()),
            _ => false,
        };
        items.into_iter().filter(|item| !is_twin(item)).collect()
    }

    /// Binds what paths to other files of the package begin with, as far as the file has such paths.
    fn crate_paths(&mut self, body: &mut Block<'s>) {
        let span = Span::new(self.start, self.start);
        let mut bind =
            |bound, path| body.push(Statement { span, kind: StatementKind::Module { bound, path } });
        if self.text.contains("crate:") {
            bind("crate", CratePath::Root);
        }
        if self.text.contains("super:") {
            bind("super", CratePath::Parent);
        }
        if let Some(package) = self.package {
            bind(package, CratePath::Library);
            self.scopes[0].items.insert(package, Item::Bound(package));
        }
    }

    /// `f()`, waited for when it is `async`.
    pub(super) fn call_of(&self, name: &'s str, span: Span) -> Expr<'s> {
        let callee = Expr { span, kind: ExprKind::Name(name) };
        let call = ExprKind::Call(Box::new(Call { callee, arguments: Vec::new() }));
        Expr { span, kind: ExprKind::Await(Box::new(Expr { span, kind: call })) }
    }

    /// Lowers the items of a module, or of the body of a function: names first, so that order does not matter.
    pub(super) fn module(&mut self, scope: usize, prefix: &str, items: &[&syn::Item], body: &mut Block<'s>) {
        for item in items {
            self.declare(scope, prefix, item);
        }
        let outer = std::mem::replace(&mut self.scope, scope);
        let mut types: FxHashMap<&'s str, Members<'s>> = FxHashMap::default();
        let mut later = Vec::new();
        for item in items {
            match item {
                syn::Item::Struct(item) => {
                    let members = types.entry(self.bound_name(&item.ident)).or_default();
                    members.span = self.between(item.struct_token.span, item.ident.span());
                    let mut fields = Vec::new();
                    for field in &item.fields {
                        self.field(field, &mut fields);
                        self.option_default(field, &mut later);
                    }
                    members.body.splice(0..0, fields);
                }
                syn::Item::Enum(item) => {
                    let span = self.between(item.enum_token.span, item.ident.span());
                    types.entry(self.bound_name(&item.ident)).or_default().span = span;
                }
                syn::Item::Impl(item) if !self.is_left_out(&item.attrs) => {
                    let Some(name) = self.type_name(&item.self_ty) else { continue };
                    let name = self.bound_type(name);
                    let methods = self.methods(name, item);
                    let members = types.entry(name).or_default();
                    if members.span == Span::default() {
                        members.span = self.between(item.impl_token.span, item.impl_token.span);
                    }
                    members.body.extend(methods);
                }
                _ => {}
            }
        }
        let mut types: Vec<_> = types.into_iter().collect();
        types.sort_by_key(|(_, members)| members.span);
        for (name, members) in types {
            self.class(name, members, body);
        }
        for item in items {
            self.item(scope, prefix, item, body);
        }
        body.extend(later);
        self.scope = outer;
    }

    /// Makes the name of an item known.
    fn declare(&mut self, scope: usize, prefix: &str, item: &syn::Item) {
        let (ident, attributes) = match item {
            syn::Item::Use(item) => return self.add_use(scope, &item.tree, &mut Vec::new()),
            syn::Item::Fn(item) => (&item.sig.ident, &item.attrs),
            syn::Item::Struct(item) => (&item.ident, &item.attrs),
            syn::Item::Enum(item) => (&item.ident, &item.attrs),
            syn::Item::Const(item) => (&item.ident, &item.attrs),
            syn::Item::Static(item) => (&item.ident, &item.attrs),
            syn::Item::Trait(item) => (&item.ident, &item.attrs),
            syn::Item::Mod(item) => (&item.ident, &item.attrs),
            syn::Item::Macro(item) => {
                for (ident, ..) in self.lazy_items(&item.mac) {
                    let bound = self.qualified(prefix, &ident);
                    let name = self.name(&ident);
                    self.scopes[scope].items.insert(name, Item::Lazy(bound));
                }
                return;
            }
            _ => return,
        };
        if self.is_left_out(attributes) {
            return;
        }
        let bound = self.qualified(prefix, ident);
        let found = match item {
            syn::Item::Mod(item) if item.content.is_some() => {
                let parent = Some(scope);
                self.scopes.push(Scope { parent, ..Scope::default() });
                Item::Module(self.scopes.len() - 1)
            }
            syn::Item::Static(item) if lazy_value(&item.expr).is_some() => Item::Lazy(bound),
            _ => Item::Bound(bound),
        };
        let name = self.name(ident);
        self.scopes[scope].items.insert(name, found);
    }

    /// The name under which an item of a module is bound: items of inner modules have it in front.
    fn qualified(&self, prefix: &str, ident: &syn::Ident) -> &'s str {
        let name = self.name(ident);
        if prefix.is_empty() { name } else { self.source.keep(format!("{prefix}::{name}")) }
    }

    fn bound_name(&self, ident: &syn::Ident) -> &'s str {
        self.bound_type(self.name(ident))
    }

    fn bound_type(&self, name: &'s str) -> &'s str {
        match self.scopes[self.scope].items.get(name) {
            Some(Item::Bound(bound)) => bound,
            _ => name,
        }
    }

    /// The last name of a type: `Gpu` of `impl<T> gpu::Gpu<T>`.
    fn type_name(&self, ty: &syn::Type) -> Option<&'s str> {
        match ty {
            syn::Type::Path(path) => Some(self.name(&path.path.segments.last()?.ident)),
            _ => None,
        }
    }

    fn item(&mut self, scope: usize, prefix: &str, item: &syn::Item, body: &mut Block<'s>) {
        match item {
            syn::Item::Fn(item) if !self.is_left_out(&item.attrs) => {
                let name = self.qualified(prefix, &item.sig.ident);
                let function = self.function(name, &item.sig, &item.block);
                if self.is_test(&item.attrs) {
                    self.code.tests.push(function);
                }
                let span = self.code.functions[function].span;
                let decorators = self.marks(&item.attrs, span);
                body.push(Statement { span, kind: StatementKind::Define { function, decorators } });
            }
            syn::Item::Const(item) if !self.is_left_out(&item.attrs) => {
                let name = self.qualified(prefix, &item.ident);
                self.constant(name, item.const_token.span, &item.ident, &item.expr, body);
            }
            syn::Item::Static(item) if !self.is_left_out(&item.attrs) => {
                let name = self.qualified(prefix, &item.ident);
                match lazy_value(&item.expr) {
                    Some(made) => self.lazy(name, &item.ident, made, body),
                    None => self.constant(name, item.static_token.span, &item.ident, &item.expr, body),
                }
            }
            syn::Item::Macro(item) => {
                for (ident, made) in self.lazy_items(&item.mac) {
                    let name = self.qualified(prefix, &ident);
                    self.lazy(name, &ident, &made, body);
                }
            }
            syn::Item::Mod(item) if !self.is_left_out(&item.attrs) => {
                let Some((_, items)) = &item.content else {
                    let bound = self.qualified(prefix, &item.ident);
                    let span = self.between(item.mod_token.span, item.ident.span());
                    let path = CratePath::Child(self.name(&item.ident));
                    return body.push(Statement { span, kind: StatementKind::Module { bound, path } });
                };
                let Some(Item::Module(inner)) = self.scopes[scope].items.get(self.name(&item.ident)).copied()
                else {
                    return;
                };
                let prefix = self.qualified(prefix, &item.ident);
                let items: Vec<&syn::Item> = items.iter().collect();
                super::super::nesting_room(|| self.module(inner, prefix, &items, body));
            }
            _ => {}
        }
    }

    fn constant(
        &mut self,
        name: &'s str,
        first: proc_macro2::Span,
        ident: &syn::Ident,
        value: &syn::Expr,
        body: &mut Block<'s>,
    ) {
        let span = self.between(first, super::spans::last(value));
        let target = Target::Name(name, self.between(ident.span(), ident.span()));
        let value = Some(self.expr(value));
        self.push(span, StatementKind::Assign { targets: vec![target], value, annotated: false }, body);
        self.lines.push(span);
    }

    /// A static that is made when it is first used is a function that its uses call.
    fn lazy(&mut self, name: &'s str, ident: &syn::Ident, made: &syn::Expr, body: &mut Block<'s>) {
        let value = match made {
            syn::Expr::Closure(closure) => &*closure.body,
            made => made,
        };
        let span = self.span_of(value);
        let steps = self.apart(|lowering| {
            let mut steps = Vec::new();
            lowering.tail(value, Sink::Return, &mut steps);
            steps
        });
        let name_span = self.between(ident.span(), ident.span());
        let function = self.add_function(name, span, name_span, Vec::new(), steps, false);
        body.push(Statement { span, kind: StatementKind::Define { function, decorators: Vec::new() } });
    }

    fn class(&mut self, name: &'s str, members: Members<'s>, body: &mut Block<'s>) {
        let span = members.span;
        self.code.classes.push(Class {
            name,
            span,
            bases: Vec::new(),
            keywords: Vec::new(),
            body: members.body,
        });
        let class = self.code.classes.len() - 1;
        // A value is made by naming its fields, which is what a dataclass is.
        let decorators = vec![Expr { span, kind: ExprKind::Outside("dataclasses.dataclass".into()) }];
        body.push(Statement { span, kind: StatementKind::DefineClass { class, decorators } });
    }

    fn field(&mut self, field: &syn::Field, fields: &mut Block<'s>) {
        let Some(ident) = &field.ident else { return };
        let span = self.between(ident.span(), ident.span());
        let targets = vec![Target::Name(self.name(ident), span)];
        fields
            .push(Statement { span, kind: StatementKind::Assign { targets, value: None, annotated: true } });
    }

    fn methods(&mut self, name: &'s str, item: &syn::ItemImpl) -> Block<'s> {
        let outer = self.own_type.replace(name);
        let mut body = Vec::new();
        for member in &item.items {
            match member {
                syn::ImplItem::Fn(method) if !self.is_left_out(&method.attrs) => {
                    let function = self.function(self.name(&method.sig.ident), &method.sig, &method.block);
                    let span = self.code.functions[function].span;
                    let is_static = method.sig.receiver().is_none();
                    let decorator = Expr { span, kind: ExprKind::Outside("builtins.staticmethod".into()) };
                    let decorators = if is_static { vec![decorator] } else { Vec::new() };
                    body.push(Statement { span, kind: StatementKind::Define { function, decorators } });
                }
                syn::ImplItem::Const(constant) => {
                    let name = self.name(&constant.ident);
                    self.constant(
                        name,
                        constant.const_token.span,
                        &constant.ident,
                        &constant.expr,
                        &mut body,
                    );
                }
                _ => {}
            }
        }
        self.own_type = outer;
        body
    }

    fn function(&mut self, name: &'s str, signature: &syn::Signature, block: &syn::Block) -> usize {
        let span = self.between(signature.fn_token.span, block.brace_token.span.close());
        let name_span = self.between(signature.ident.span(), signature.ident.span());
        let locals = std::mem::take(&mut self.locals);
        let parameters = signature.inputs.iter().map(|input| match input {
            syn::FnArg::Receiver(receiver) => {
                let span = self.between(receiver.self_token.span, receiver.self_token.span);
                self.locals.insert("self");
                Parameter { name: "self", span, kind: ParameterKind::Plain, default: None }
            }
            syn::FnArg::Typed(typed) => match self.target(&typed.pat) {
                Target::Name(name, span) => {
                    Parameter { name, span, kind: ParameterKind::Plain, default: None }
                }
                _ => Parameter { name: "_", span: name_span, kind: ParameterKind::Plain, default: None },
            },
        });
        let parameters: Vec<_> = parameters.collect();
        let body = self.apart(|lowering| lowering.block(block, Sink::Return));
        self.locals = locals;
        self.add_function(name, span, name_span, parameters, body, signature.asyncness.is_some())
    }

    pub(super) fn add_function(
        &mut self,
        name: &'s str,
        span: Span,
        name_span: Span,
        parameters: Vec<Parameter<'s>>,
        body: Block<'s>,
        is_async: bool,
    ) -> usize {
        let mentions_gpu = self.mentions_gpu(span);
        let function =
            Function { name, span, name_span, parameters, body, is_async, is_generator: false, mentions_gpu };
        self.code.functions.push(function);
        self.code.functions.len() - 1
    }

    /// Lowers a body of its own, whose blocks do not run before the statement around it.
    pub(super) fn apart<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::take(&mut self.before);
        let bound = std::mem::take(&mut self.bound);
        let lowered = lower(self);
        self.before = before;
        self.bound = bound;
        lowered
    }
}

/// `if __name__ == "__main__":`, which is what `main` is to others that use the file.
fn guarded(main: Block<'_>) -> Statement<'_> {
    let span = main[0].span;
    let sides = (
        Expr { span, kind: ExprKind::Name("__name__") },
        Expr { span, kind: ExprKind::Text("__main__".into()) },
    );
    let test = Expr { span, kind: ExprKind::Compare(Comparison::Equal, Box::new(sides)) };
    Statement { span, kind: StatementKind::Branch { test, then: main, otherwise: Vec::new() } }
}

/// What `LazyLock::new(|| …)` makes its value of.
fn lazy_value(expr: &syn::Expr) -> Option<&syn::Expr> {
    let syn::Expr::Call(call) = expr else { return None };
    let syn::Expr::Path(path) = &*call.func else { return None };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    let is_new = names.next().is_some_and(|last| last == "new");
    let is_lazy = names.next().is_some_and(|holder| LAZY.iter().any(|name| holder == name));
    call.args.first().filter(|_| is_new && is_lazy)
}
