//! Names: what `use` brings in, what a file defines, and what a path therefore means.

use super::Lowering;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use rustc_hash::FxHashMap;

/// Crates whose names are known, so that `use cudarc::driver::*` says where `CudaContext` comes from.
pub(super) const KNOWN_CRATES: &[&str] = &[
    "burn",
    "burn_cuda",
    "burn_tch",
    "candle",
    "candle_core",
    "cudarc",
    "cust",
    "nvml_wrapper",
    "ort",
    "rustacuda",
    "tch",
];

/// `use` declarations that lead to each other are followed this far.
const MOST_HOPS: usize = 16;

/// A module of the file, or the body of a function, as far as names go.
#[derive(Default)]
pub(super) struct Scope<'s> {
    pub items: FxHashMap<&'s str, Item<'s>>,
    pub uses: FxHashMap<&'s str, Vec<&'s str>>,
    pub globs: Vec<Vec<&'s str>>,
    pub parent: Option<usize>,
    /// The body of a function sees what is around it; a module does not.
    pub is_function: bool,
}

/// What a name of the file stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'s> {
    /// A function, type or constant, under the name that the program binds.
    Bound(&'s str),
    /// A static that is made when it is first used.
    Lazy(&'s str),
    /// A module of this file.
    Module(usize),
}

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target<'s> {
    /// A bound name, and what is taken from it.
    Bound { name: &'s str, lazy: bool, members: Vec<&'s str> },
    /// Something outside the project.
    Outside(Vec<&'s str>),
}

impl<'s> Lowering<'s> {
    pub(super) fn segments(&self, path: &syn::Path) -> Vec<&'s str> {
        path.segments.iter().map(|segment| self.name(&segment.ident)).collect()
    }

    /// A path as an expression; `called` says that it is one that is called.
    pub(super) fn path(&self, path: &syn::Path, called: bool, span: Span) -> Expr<'s> {
        let kind = match self.resolve(self.scope, &self.segments(path), called, 0) {
            Target::Outside(segments) => ExprKind::Outside(segments.join(".").into()),
            Target::Bound { name, lazy, members } => {
                let mut kind = ExprKind::Name(name);
                if lazy {
                    let callee = Expr { span, kind };
                    kind = ExprKind::Call(Box::new(crate::code::Call { callee, arguments: Vec::new() }));
                }
                for member in members {
                    kind = ExprKind::Attribute(Box::new(Expr { span, kind }), member);
                }
                kind
            }
        };
        Expr { span, kind }
    }

    /// What a path means in a scope.
    pub(super) fn resolve(&self, scope: usize, path: &[&'s str], called: bool, hops: usize) -> Target<'s> {
        let Some((&first, rest)) = path.split_first() else { return Target::Outside(Vec::new()) };
        let bound = |name, lazy| Target::Bound { name, lazy, members: rest.to_vec() };
        if hops > MOST_HOPS {
            return Target::Outside(path.to_vec());
        }
        match first {
            "self" if !rest.is_empty() => return self.resolve(self.module_of(scope), rest, called, hops + 1),
            "super" if !rest.is_empty() => {
                return match self.scopes[self.module_of(scope)].parent {
                    Some(parent) => self.resolve(self.module_of(parent), rest, called, hops + 1),
                    None => bound("super", false),
                };
            }
            "crate" if !rest.is_empty() => {
                return match self.defines(0, rest[0]) {
                    true => self.resolve(0, rest, called, hops + 1),
                    false => bound("crate", false),
                };
            }
            "Self" => return bound(self.own_type.unwrap_or("Self"), false),
            _ => {}
        }
        if rest.is_empty() && self.locals.contains(first) && scope == self.scope {
            return bound(first, false);
        }
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes[number];
            match scope.items.get(first) {
                Some(Item::Bound(name)) => return bound(name, false),
                Some(Item::Lazy(name)) => return bound(name, true),
                Some(Item::Module(module)) if !rest.is_empty() => {
                    return self.resolve(*module, rest, called, hops + 1);
                }
                _ => {}
            }
            if let Some(used) = scope.uses.get(first) {
                let whole: Vec<&'s str> = used.iter().chain(rest).copied().collect();
                // `use cuda::cuda` does not lead to itself.
                if used[0] == first && !scope.items.contains_key(first) {
                    return Target::Outside(whole);
                }
                return self.resolve(number, &whole, called, hops + 1);
            }
            for glob in &scope.globs {
                if let Some(found) = self.in_glob(number, glob, path, called, hops) {
                    return found;
                }
            }
            at = scope.parent.filter(|_| scope.is_function);
        }
        if rest.is_empty() { bound(first, false) } else { Target::Outside(path.to_vec()) }
    }

    /// A name that `use prefix::*` may bring in.
    fn in_glob(
        &self,
        scope: usize,
        glob: &[&'s str],
        path: &[&'s str],
        called: bool,
        hops: usize,
    ) -> Option<Target<'s>> {
        let whole = || glob.iter().chain(path).copied().collect::<Vec<&'s str>>();
        match glob[0] {
            "super" if glob.len() == 1 => {
                let parent = self.module_of(self.scopes[self.module_of(scope)].parent?);
                let known = self.defines(parent, path[0]) || self.scopes[parent].uses.contains_key(path[0]);
                known.then(|| self.resolve(parent, path, called, hops + 1))
            }
            first if KNOWN_CRATES.contains(&first) => {
                // Functions are lower-case, and so are the variables that nobody imports.
                let is_type = path[0].starts_with(|c: char| c.is_ascii_uppercase());
                (is_type || (called && path.len() == 1)).then(|| Target::Outside(whole()))
            }
            _ => None,
        }
    }

    fn defines(&self, scope: usize, name: &str) -> bool {
        self.scopes[scope].items.contains_key(name)
    }

    /// The module that a scope lies in.
    fn module_of(&self, mut scope: usize) -> usize {
        while self.scopes[scope].is_function {
            match self.scopes[scope].parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        scope
    }

    /// Notes what a `use` brings into a scope.
    pub(super) fn add_use(&mut self, scope: usize, tree: &syn::UseTree, prefix: &mut Vec<&'s str>) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(self.name(&path.ident));
                super::super::nesting_room(|| self.add_use(scope, &path.tree, prefix));
                prefix.pop();
            }
            syn::UseTree::Name(name) => {
                let name = self.name(&name.ident);
                self.add_bound(scope, name, name, prefix);
            }
            syn::UseTree::Rename(rename) => {
                let (name, bound) = (self.name(&rename.ident), self.name(&rename.rename));
                self.add_bound(scope, name, bound, prefix);
            }
            syn::UseTree::Glob(_) if !prefix.is_empty() => self.scopes[scope].globs.push(prefix.clone()),
            syn::UseTree::Glob(_) => {}
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    super::super::nesting_room(|| self.add_use(scope, tree, prefix));
                }
            }
        }
    }

    /// `use a::b as c`; `use a::b::{self}` binds `b`.
    fn add_bound(&mut self, scope: usize, name: &'s str, bound: &'s str, prefix: &[&'s str]) {
        let mut path = prefix.to_vec();
        let bound = match (name, bound) {
            ("self", "self") => path.last().copied().unwrap_or(bound),
            _ => bound,
        };
        if name != "self" {
            path.push(name);
        }
        // `use cust;` says nothing.
        if path.len() > 1 || (path.len() == 1 && path[0] != bound) {
            self.scopes[scope].uses.insert(bound, path);
        }
    }
}
