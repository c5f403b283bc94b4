//! The statements and calls of a file, for the many who look at little else: one walk over all of its parts does for all of them.

use super::walk::{Ancestor, CodeNode, walk};
use super::{Call, Code, Expr, ExprKind, Import, Statement, StatementKind, looks};

/// The statements, calls and imports of a file in the order of a walk.
pub struct FileParts<'c, 's> {
    pub imports: Vec<&'c Import<'s>>,
    parts: Vec<Part<'c, 's>>,
    /// What stands around each part and not around the one before it.
    around: Vec<Ancestor<'c, 's>>,
}

struct Part<'c, 's> {
    what: StatementOrCall<'c, 's>,
    /// How many of those around the part before stand around this one too.
    shared: u32,
    /// Where its own end in the list of all.
    end: u32,
}

#[derive(Clone, Copy)]
enum StatementOrCall<'c, 's> {
    Statement(&'c Statement<'s>),
    Call(&'c Expr<'s>, &'c Call<'s>),
}

/// What one look at the calls of a file is given for each: the expression, the call, and what stands around it, outer parts first.
pub type VisitCall<'v, 'c, 's> = dyn FnMut(&'c Expr<'s>, &'c Call<'s>, &[Ancestor<'c, 's>]) + 'v;

/// The same for statements.
pub type VisitStatement<'v, 'c, 's> = dyn FnMut(&'c Statement<'s>, &[Ancestor<'c, 's>]) + 'v;

impl<'c, 's> FileParts<'c, 's> {
    pub fn of(code: &'c Code<'s>) -> FileParts<'c, 's> {
        let (mut imports, mut parts, mut all) = (Vec::new(), Vec::new(), Vec::new());
        let mut before: Vec<Ancestor<'c, 's>> = Vec::new();
        walk(code, &mut |part, around| {
            let what = match part {
                CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                    StatementOrCall::Call(expr, call)
                }
                CodeNode::Statement(step) => StatementOrCall::Statement(step),
                _ => return,
            };
            if let CodeNode::Statement(Statement { kind: StatementKind::Import(import), .. }) = part {
                imports.push(import);
            }
            let shared = before.iter().zip(around).take_while(|(one, other)| is_same(one, other)).count();
            before.truncate(shared);
            before.extend(&around[shared..]);
            all.extend(&around[shared..]);
            parts.push(Part { what, shared: shared as u32, end: all.len() as u32 });
        });
        FileParts { imports, parts, around: all }
    }

    /// Looks at each call.
    pub fn each_call(&self, visit: &mut VisitCall<'_, 'c, 's>) {
        self.each(&mut |part, around| {
            if let StatementOrCall::Call(expr, call) = part {
                visit(expr, call, around);
            }
        });
    }

    /// Looks at each statement.
    pub fn each_statement(&self, visit: &mut VisitStatement<'_, 'c, 's>) {
        self.each(&mut |part, around| {
            if let StatementOrCall::Statement(step) = part {
                visit(step, around);
            }
        });
    }

    fn each(&self, visit: &mut dyn FnMut(StatementOrCall<'c, 's>, &[Ancestor<'c, 's>])) {
        let mut around = Vec::new();
        let mut start = 0;
        for part in &self.parts {
            let end = part.end as usize;
            around.truncate(part.shared as usize);
            around.extend(&self.around[start..end]);
            start = end;
            visit(part.what, &around);
        }
        looks::note(self.parts.len());
    }
}

/// Whether both are the same place in the same code.
fn is_same(one: &Ancestor<'_, '_>, other: &Ancestor<'_, '_>) -> bool {
    use Ancestor::*;
    match (one, other) {
        (Function(one), Function(other)) | (Class(one), Class(other)) | (Default(one), Default(other)) => {
            one == other
        }
        (Then(one), Then(other)) | (Otherwise(one), Otherwise(other)) | (Callee(one), Callee(other)) => {
            std::ptr::eq(*one, *other)
        }
        (Decorator(one), Decorator(other))
        | (Test(one), Test(other))
        | (Loop(one), Loop(other))
        | (Try(one), Try(other))
        | (TryElse(one), TryElse(other))
        | (Finally(one), Finally(other))
        | (With(one), With(other))
        | (WithItem(one), WithItem(other)) => std::ptr::eq(*one, *other),
        (Handler(_, one), Handler(_, other)) => std::ptr::eq(*one, *other),
        (Comprehension(one), Comprehension(other)) => std::ptr::eq(*one, *other),
        (Argument(_, one), Argument(_, other)) => std::ptr::eq(*one, *other),
        _ => false,
    }
}
