//! Python as it is written: every node of the syntax tree and every token with its place. Fixes look at it to know where to
//! write, and it proves that nothing else changed.

use super::{nesting, older};
use crate::facts::Span;
use crate::languages::Refusal;
use crate::sources::Source;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal, walk_expr, walk_stmt};
use ruff_python_ast::{AnyNodeRef, Expr, NodeKind, PySourceType, Stmt};
use ruff_text_size::Ranged;
use std::ops::Range;

/// The nodes and the tokens of a file, in the order of the text. A notebook has a module for each cell.
#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub tokens: Vec<Token>,
    /// Keywords that begin a further suite of a statement: `else` and `finally`.
    further: Vec<u32>,
}

/// A node of the syntax tree, by its position among them.
pub type NodeId = u32;

/// One node. Two nodes are of one sort when their `kind` and `detail` are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub kind: Kind,
    pub detail: Detail,
    pub span: Span,
    /// `None` for a module.
    pub parent: Option<NodeId>,
}

/// What a node is, as far as fixes tell nodes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Module,
    Function,
    Class,
    Return,
    Assign,
    For,
    While,
    If,
    With,
    Match,
    Try,
    Import,
    /// `from … import …`
    ImportFrom,
    Share,
    /// An expression that stands alone.
    Evaluate,
    Pass,
    OtherStatement,
    Call,
    Attribute,
    Name,
    Text,
    Number,
    Dict,
    Subscript,
    Lambda,
    Yield,
    Await,
    OtherExpression,
    Arguments,
    /// `name=value` of a call.
    Keyword,
    Parameters,
    Parameter,
    Decorator,
    /// `name as bound` of an import.
    Alias,
    /// `elif …:` or `else:` of an `if`.
    Otherwise,
    Handler,
    Case,
    Identifier,
    Other,
}

/// What tells nodes of one kind apart: of an operation its operator too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail(NodeKind, u8);

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: CodeTokenKind,
    pub span: Span,
}

/// What a token is, as far as fixes tell tokens apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeTokenKind {
    Comment,
    /// The end of a logical line.
    Newline,
    /// An indent, a dedent, or a line end inside of brackets.
    Layout,
    Word(TokenKind),
}

impl Token {
    /// Whether it is part of the code, and no comment or line end.
    pub fn is_word(&self) -> bool {
        matches!(self.kind, CodeTokenKind::Word(_))
    }

    /// Whether it is a name or a keyword.
    pub fn is_name(&self) -> bool {
        matches!(self.kind, CodeTokenKind::Word(TokenKind::Name))
    }

    /// Whether it is text between the values of an f-string: what is put in before it becomes a part of it.
    pub fn is_middle(&self) -> bool {
        matches!(self.kind, CodeTokenKind::Word(TokenKind::FStringMiddle | TokenKind::TStringMiddle))
    }

    /// Whether it is a text in quotes, or a piece of an f-string between its quotes and braces.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, CodeTokenKind::Word(TokenKind::String | TokenKind::FStringMiddle))
    }
}

impl Kind {
    pub fn is_statement(self) -> bool {
        use Kind as K;
        matches!(
            self,
            K::Function | K::Class | K::Return | K::Assign | K::For | K::While | K::If | K::With | K::Match
        ) || matches!(
            self,
            K::Try | K::Import | K::ImportFrom | K::Share | K::Evaluate | K::Pass | K::OtherStatement
        )
    }

    pub fn is_expression(self) -> bool {
        use Kind as K;
        matches!(self, K::Call | K::Attribute | K::Name | K::Text | K::Number | K::Dict | K::Subscript)
            || matches!(self, K::Lambda | K::Yield | K::Await | K::OtherExpression)
    }
}

impl Tree {
    /// The tree of a file of Python or of a notebook. A cell that cannot be read has no nodes.
    ///
    /// # Errors
    /// When the file is not Python, or cannot be read as such.
    pub fn of(source: &Source) -> Result<Tree, Refusal> {
        let mut tree = Tree::default();
        match &source.cells {
            None => {
                let text = source.text.strip_prefix('\u{feff}').unwrap_or(&source.text);
                tree.add(text, source.text.len() - text.len(), PySourceType::Python)?;
            }
            Some(Ok(cells)) => {
                return Ok(Tree::of_cells(&source.text, cells.iter().map(|cell| cell.range.clone())));
            }
            Some(Err(reason)) => return Err(reason.clone()),
        }
        Ok(tree)
    }

    /// The trees of the cells of a notebook; one that cannot be read has no nodes.
    pub fn of_cells(text: &str, cells: impl Iterator<Item = Range<usize>>) -> Tree {
        let mut tree = Tree::default();
        for cell in cells {
            let _ = tree.add(&text[cell.clone()], cell.start, PySourceType::Ipynb);
        }
        tree
    }

    fn add(&mut self, text: &str, at: usize, source_type: PySourceType) -> Result<(), Refusal> {
        nesting::check(text)?;
        let Some(parsed) = older::parse(text, source_type) else {
            return Err("not a Python module".to_owned());
        };
        if let Some(error) = parsed.errors().first() {
            let before = &text.as_bytes()[..error.location.start().to_usize()];
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            let reason = format!("syntax error on line {line}: {}", error.error);
            nesting::release(parsed, text.len());
            return Err(reason);
        }
        let mut reader = Reader { tree: self, at: at as u32, around: Vec::new() };
        let module = AnyNodeRef::ModModule(parsed.syntax());
        reader.enter_node(module);
        reader.visit_body(&parsed.syntax().body);
        for token in parsed.tokens() {
            let span = reader.span(token.range());
            let kind = match token.kind() {
                TokenKind::Comment => CodeTokenKind::Comment,
                TokenKind::Newline => CodeTokenKind::Newline,
                TokenKind::NonLogicalNewline | TokenKind::Indent | TokenKind::Dedent => CodeTokenKind::Layout,
                TokenKind::EndOfFile => continue,
                kind => CodeTokenKind::Word(kind),
            };
            if let CodeTokenKind::Word(TokenKind::Else | TokenKind::Finally) = kind {
                reader.tree.further.push(span.start);
            }
            reader.tree.tokens.push(Token { kind, span });
        }
        nesting::release(parsed, text.len());
        Ok(())
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// All nodes with their numbers.
    pub fn numbered(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(id, node)| (id as NodeId, node))
    }

    /// The nodes directly below a node, in order.
    pub fn children(&self, id: NodeId) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        let end = self.end_of(id);
        let below = id + 1..end;
        below.map(|id| (id, self.node(id))).filter(move |(_, node)| node.parent == Some(id))
    }

    /// All nodes below a node.
    pub fn below(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        (id + 1..self.end_of(id)).map(|id| (id, self.node(id)))
    }

    /// The number behind the last node below a node.
    fn end_of(&self, id: NodeId) -> NodeId {
        let is_outside = |node: &Node| node.parent.is_none_or(|parent| parent < id);
        let behind = &self.nodes[id as usize + 1..];
        behind.iter().position(is_outside).map_or(self.nodes.len(), |at| at + id as usize + 1) as NodeId
    }

    /// The node and those around it, outwards to the module.
    pub fn outwards(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let numbers = std::iter::successors(Some(id), |&id| self.node(id).parent);
        numbers.map(|id| (id, self.node(id)))
    }

    /// The innermost node of this kind that holds a place.
    pub fn innermost(&self, place: Span, is_meant: impl Fn(Kind) -> bool) -> Option<NodeId> {
        let holds = |node: &Node| node.span.start <= place.start && place.end <= node.span.end;
        let mut around = self.numbered().filter(|(_, node)| holds(node) && is_meant(node.kind));
        around.next_back().map(|(id, _)| id)
    }

    /// The node of this kind that stands exactly at a place; the outermost where several do.
    pub fn exactly(&self, place: Span, is_meant: impl Fn(Kind) -> bool) -> Option<NodeId> {
        self.numbered().find(|(_, node)| node.span == place && is_meant(node.kind)).map(|(id, _)| id)
    }

    /// The innermost statement that holds a place.
    pub fn statement_at(&self, place: Span) -> Option<NodeId> {
        self.innermost(place, Kind::is_statement)
    }

    /// The statement of the top level that holds a place.
    pub fn top_statement_at(&self, place: Span) -> Option<NodeId> {
        let statement = self.statement_at(place)?;
        let top = self.outwards(statement).filter(|(_, node)| node.kind.is_statement()).last()?;
        Some(top.0)
    }

    /// The statements of the suite that a statement stands in, in order.
    pub fn suite_of(&self, statement: NodeId) -> Vec<NodeId> {
        let node = self.node(statement);
        let Some(parent) = node.parent else { return vec![statement] };
        let mut suite: Vec<NodeId> = Vec::new();
        let mut is_whole = false;
        for (id, sibling) in self.children(parent).filter(|(_, sibling)| sibling.kind.is_statement()) {
            if let Some(&last) = suite.last() {
                // An `else` or `finally` of the parent stands between two of its statements.
                let between = self.node(last).span.end..sibling.span.start;
                if self.further.iter().any(|at| between.contains(at)) {
                    if is_whole {
                        break;
                    }
                    suite.clear();
                }
            }
            is_whole |= id == statement;
            suite.push(id);
        }
        suite
    }

    /// Whether a statement is nothing but a text, as a docstring is.
    pub fn is_text_alone(&self, statement: NodeId) -> bool {
        self.node(statement).kind == Kind::Evaluate
            && self.children(statement).next().is_some_and(|(_, value)| value.kind == Kind::Text)
    }

    /// The statements of the top level.
    pub fn top(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        let is_top = |node: &Node| {
            node.kind.is_statement()
                && node.parent.is_some_and(|parent| self.node(parent).kind == Kind::Module)
        };
        self.numbered().filter(move |(_, node)| is_top(node))
    }

    /// The function or lambda around a node, without itself.
    pub fn function_around(&self, id: NodeId) -> Option<NodeId> {
        let mut around = self.outwards(id).skip(1);
        around.find(|(_, node)| matches!(node.kind, Kind::Function | Kind::Lambda)).map(|(id, _)| id)
    }

    pub fn comments(&self) -> impl Iterator<Item = Span> {
        self.tokens.iter().filter(|token| token.kind == CodeTokenKind::Comment).map(|token| token.span)
    }

    /// Whether a byte lies inside a token, and not at its ends. An indent may be cut: it has no other parts.
    pub fn is_inside_token(&self, at: u32) -> bool {
        let before = self.tokens.partition_point(|token| token.span.start < at);
        let token = before.checked_sub(1).map(|before| self.tokens[before]);
        token.is_some_and(|token| token.kind != CodeTokenKind::Layout && at < token.span.end)
    }
}

struct Reader<'t> {
    tree: &'t mut Tree,
    /// Where the text stands in the file.
    at: u32,
    around: Vec<NodeId>,
}

impl Reader<'_> {
    fn span(&self, range: ruff_text_size::TextRange) -> Span {
        Span { start: self.at + range.start().to_u32(), end: self.at + range.end().to_u32() }
    }
}

impl<'a> SourceOrderVisitor<'a> for Reader<'_> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        let id = self.tree.nodes.len() as NodeId;
        self.tree.nodes.push(Node {
            kind: kind_of(node.kind()),
            detail: Detail(node.kind(), operator_of(node)),
            span: self.span(node.range()),
            parent: self.around.last().copied(),
        });
        self.around.push(id);
        TraversalSignal::Traverse
    }

    fn leave_node(&mut self, _node: AnyNodeRef<'a>) {
        self.around.pop();
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        nesting::with_room(|| walk_stmt(self, statement));
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        nesting::with_room(|| walk_expr(self, expression));
    }
}

/// Tells apart what only an operator or a keyword does: `a + b` and `a - b`, `def` and `async def`.
fn operator_of(node: AnyNodeRef<'_>) -> u8 {
    match node {
        AnyNodeRef::ExprBinOp(operation) => operation.op as u8,
        AnyNodeRef::ExprUnaryOp(operation) => operation.op as u8,
        AnyNodeRef::ExprBoolOp(operation) => operation.op as u8,
        AnyNodeRef::StmtAugAssign(statement) => statement.op as u8,
        AnyNodeRef::StmtFunctionDef(function) => function.is_async.into(),
        AnyNodeRef::StmtFor(statement) => statement.is_async.into(),
        AnyNodeRef::StmtWith(statement) => statement.is_async.into(),
        AnyNodeRef::Comprehension(part) => part.is_async.into(),
        AnyNodeRef::StmtTry(statement) => statement.is_star.into(),
        AnyNodeRef::StmtImport(statement) => statement.is_lazy.into(),
        AnyNodeRef::StmtImportFrom(statement) => statement.is_lazy.into(),
        _ => 0,
    }
}

fn kind_of(kind: NodeKind) -> Kind {
    use NodeKind as N;
    match kind {
        N::ModModule | N::ModExpression => Kind::Module,
        N::StmtFunctionDef => Kind::Function,
        N::StmtClassDef => Kind::Class,
        N::StmtReturn => Kind::Return,
        N::StmtAssign | N::StmtAnnAssign | N::StmtAugAssign => Kind::Assign,
        N::StmtFor => Kind::For,
        N::StmtWhile => Kind::While,
        N::StmtIf => Kind::If,
        N::StmtWith => Kind::With,
        N::StmtMatch => Kind::Match,
        N::StmtTry => Kind::Try,
        N::StmtImport => Kind::Import,
        N::StmtImportFrom => Kind::ImportFrom,
        N::StmtGlobal | N::StmtNonlocal => Kind::Share,
        N::StmtExpr => Kind::Evaluate,
        N::StmtPass => Kind::Pass,
        N::StmtDelete | N::StmtTypeAlias | N::StmtRaise | N::StmtAssert | N::StmtBreak | N::StmtContinue => {
            Kind::OtherStatement
        }
        N::StmtIpyEscapeCommand => Kind::OtherStatement,
        N::ExprCall => Kind::Call,
        N::ExprAttribute => Kind::Attribute,
        N::ExprName => Kind::Name,
        N::ExprStringLiteral => Kind::Text,
        N::ExprNumberLiteral => Kind::Number,
        N::ExprDict => Kind::Dict,
        N::ExprSubscript => Kind::Subscript,
        N::ExprLambda => Kind::Lambda,
        N::ExprYield | N::ExprYieldFrom => Kind::Yield,
        N::ExprAwait => Kind::Await,
        N::ExprBoolOp | N::ExprNamed | N::ExprBinOp | N::ExprUnaryOp | N::ExprIf | N::ExprSet => {
            Kind::OtherExpression
        }
        N::ExprListComp | N::ExprSetComp | N::ExprDictComp | N::ExprGenerator | N::ExprCompare => {
            Kind::OtherExpression
        }
        N::ExprFString
        | N::ExprTString
        | N::ExprBytesLiteral
        | N::ExprBooleanLiteral
        | N::ExprNoneLiteral => Kind::OtherExpression,
        N::ExprEllipsisLiteral | N::ExprStarred | N::ExprList | N::ExprTuple | N::ExprSlice => {
            Kind::OtherExpression
        }
        N::ExprIpyEscapeCommand => Kind::OtherExpression,
        N::Arguments => Kind::Arguments,
        N::Keyword => Kind::Keyword,
        N::Parameters => Kind::Parameters,
        N::Parameter => Kind::Parameter,
        N::Decorator => Kind::Decorator,
        N::Alias => Kind::Alias,
        N::ElifElseClause => Kind::Otherwise,
        N::ExceptHandlerExceptHandler => Kind::Handler,
        N::MatchCase => Kind::Case,
        N::Identifier => Kind::Identifier,
        _ => Kind::Other,
    }
}
