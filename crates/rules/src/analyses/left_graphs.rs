//! Graphs of DGL that nothing moves to the GPU, and that are given features, or go to a model, which lie there.

use super::gpu_values::is_on_gpu_in;
use super::memory::method_of;
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What makes a graph in the memory of the host; without a device they all do.
const MAKERS: &[&str] = &[
    "dgl.DGLGraph",
    "dgl.add_reverse_edges",
    "dgl.add_self_loop",
    "dgl.batch",
    "dgl.from_networkx",
    "dgl.from_scipy",
    "dgl.graph",
    "dgl.heterograph",
    "dgl.knn_graph",
    "dgl.remove_self_loop",
    "dgl.to_bidirected",
    "dgl.to_homogeneous",
    "dgl.unbatch",
];

/// The views of a graph that hold features.
const FEATURES: &[&str] = &["data", "dstdata", "edata", "ndata", "srcdata"];

const MEETS: &str = "is a graph on the CPU, and what it meets here is on the GPU";
const DROPPED: &str = "stays on the CPU: `.to()` gives a copy of the graph, which is dropped here";

/// A name, where it is given or used, and the function around that.
type NamedPlace<'a> = (&'a str, Span, Option<usize>);

/// `graph.ndata["id"] = nodes.to(device)` and `model(graph, features.to(device))`, where `graph = dgl.graph(…)`.
pub(super) fn with_gpu_values(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut made: Vec<NamedPlace<'_>> = Vec::new();
    let mut given_otherwise: Vec<(&str, Option<usize>)> = Vec::new();
    let mut used: Vec<NamedPlace<'_>> = Vec::new();
    let mut dropped: Vec<NamedPlace<'_>> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let home = functions_around(around).next_back();
        match part {
            CodeNode::Statement(step) => {
                if let StatementKind::Evaluate(value) = &step.kind
                    && let Some((object, "to" | "cuda", _)) = method_of(value)
                    && let ExprKind::Name(name) = object.kind
                {
                    dropped.push((name, step.span, home));
                }
                let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
                match targets.as_slice() {
                    [Target::Name(name, _)] if makes_graph(scope, value) => {
                        made.push((name, step.span, home))
                    }
                    [Target::Item(parts)] => {
                        if let Some(name) = graph_of(&parts.0)
                            && is_on_gpu_in(scope, home, value)
                        {
                            used.push((name, step.span, home));
                        }
                    }
                    targets => {
                        let names = targets.iter().flat_map(Target::names);
                        given_otherwise.extend(names.map(|name| (name, home)));
                    }
                }
            }
            CodeNode::Expr(expr) => {
                let ExprKind::Call(call) = &expr.kind else { return };
                let graphs = call.arguments.iter().filter_map(|one| match one.value.kind {
                    ExprKind::Name(name) => Some(name),
                    _ => None,
                });
                let is_model = || {
                    matches!(call.callee.kind, ExprKind::Name(_)) && is_on_gpu_in(scope, home, &call.callee)
                };
                let has_values = || call.arguments.iter().any(|one| is_on_gpu_in(scope, home, &one.value));
                for name in graphs {
                    // Most calls have nothing to do with a graph.
                    if made_as(&made, name, home).is_some() && is_model() && has_values() {
                        used.push((name, expr.span, home));
                    }
                }
            }
            CodeNode::Target(_) => {}
        }
    });
    let mut found: Vec<RawFinding> = Vec::new();
    for (name, span, home) in used {
        let Some((_, first, at)) = made_as(&made, name, home) else { continue };
        let moves = [".to(", ".cuda(", ".int()", ".long()"]
            .iter()
            .any(|word| scope.whole_text().contains(&format!("{name}{word}")));
        if moves
            || given_otherwise.contains(&(name, *at))
            || found.iter().any(|known| known.related[0].place.span == *first)
        {
            continue;
        }
        let raw_finding = RawFinding::at(scope.place(span)).word("name", name).word("fault", MEETS);
        found.push(raw_finding.beside(scope.place(*first), "the graph is made here, on the CPU"));
    }
    for (name, span, home) in dropped {
        if let Some((_, first, _)) =
            made_as(&made, name, home).filter(|_| !given_otherwise.contains(&(name, home)))
        {
            let raw_finding = RawFinding::at(scope.place(span)).word("name", name).word("fault", DROPPED);
            found.push(raw_finding.beside(scope.place(*first), "the graph is made here, on the CPU"));
        }
    }
    found
}

/// The first graph that a name is given where a function sees it: in it, or at the top level.
fn made_as<'m, 'a>(
    made: &'m [NamedPlace<'a>],
    name: &str,
    home: Option<usize>,
) -> Option<&'m NamedPlace<'a>> {
    made.iter().find(|(known, _, at)| *known == name && (at.is_none() || *at == home))
}

/// `dgl.graph(edges)`, and no `dgl.graph(edges, device=device)`.
fn makes_graph(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    scope.names.path(&call.callee).is_some_and(|path| MAKERS.contains(&path))
        && call.arguments.iter().all(|one| !one.unpacked && one.name != Some("device"))
        // A graph of tensors of the GPU lies there.
        && !["cuda", ".to(", "device"].iter().any(|word| scope.text(value.span).contains(word))
}

/// The graph of `graph.ndata`, and of `graph.nodes["user"].data`.
fn graph_of<'e>(view: &'e Expr<'_>) -> Option<&'e str> {
    let ExprKind::Attribute(object, name) = &view.kind else { return None };
    if !FEATURES.contains(name) || method_of(object).is_some() {
        return None;
    }
    let mut object = object;
    loop {
        match &object.kind {
            ExprKind::Name(name) => return Some(name),
            ExprKind::Attribute(inner, "nodes" | "edges") => object = inner,
            ExprKind::Item(parts) => match &parts.0.kind {
                ExprKind::Attribute(inner, "nodes" | "edges") => object = inner,
                _ => return None,
            },
            _ => return None,
        }
    }
}
