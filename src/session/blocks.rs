//! A cell's syntax tree, made such that the interpreter compiles and runs it right.
//!
//! After a `with` block that never reaches its end, as `with suppress(KeyError): raise KeyError`, the generator takes the
//! statements that follow for a part of the handler that calls `__exit__`. An error in them is then unwound to a depth
//! that the stack does not have, which stops the process. A block that may be left out reaches its end.
//!
//! `[*x]` and `f(*x)` take nothing of an object that says it is longer than any list. What has a star is checked first, by
//! [`sizes`](super::sizes).

use std::mem;

use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{Transformer, walk_expr, walk_stmt};
use ruff_python_ast::{
    Arguments, CmpOp, Expr, ExprCall, ExprCompare, ExprContext, ExprName, ExprNumberLiteral, ExprStarred,
    Int, ModModule, Number, Stmt, StmtIf, StmtWith,
};
use ruff_text_size::{Ranged, TextRange};

use super::sizes::CHECK_STARRED;

/// Gives each `with` block of a program an end that the code generator considers reachable, and checks each `*x`.
pub(super) fn prepare(module: &mut ModModule) {
    module.body.iter_mut().for_each(|statement| Prepared.visit_stmt(statement));
}

struct Prepared;

impl Transformer for Prepared {
    fn visit_expr(&self, expression: &mut Expr) {
        walk_expr(self, expression);
        if let Expr::Starred(ExprStarred { value, ctx: ExprContext::Load, .. }) = expression {
            let range = value.range();
            let name = ExprName {
                id: Name::new_static(CHECK_STARRED),
                ctx: ExprContext::Load,
                range,
                node_index: Default::default(),
            };
            let inner = mem::replace(&mut **value, Expr::Name(name.clone()));
            **value = Expr::Call(ExprCall {
                func: Box::new(Expr::Name(name)),
                arguments: Arguments {
                    args: Box::new([inner]),
                    keywords: Box::new([]),
                    range,
                    node_index: Default::default(),
                },
                range,
                node_index: Default::default(),
            });
        }
    }

    fn visit_stmt(&self, statement: &mut Stmt) {
        walk_stmt(self, statement);
        if let Stmt::With(StmtWith { body, range, .. }) = statement
            && !body.iter().all(is_plain)
        {
            let (test, inner) = (Box::new(always(*range)), mem::take(body));
            let whole = StmtIf {
                test,
                body: inner,
                range: *range,
                elif_else_clauses: Vec::new(),
                node_index: Default::default(),
            };
            body.push(Stmt::If(whole));
        }
    }
}

/// Whether what follows the statement runs, unless the statement raises an exception that its form does not show.
fn is_plain(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::Expr(_)
            | Stmt::Assign(_)
            | Stmt::AugAssign(_)
            | Stmt::AnnAssign(_)
            | Stmt::Pass(_)
            | Stmt::FunctionDef(_)
            | Stmt::For(_)
    )
}

/// `1 == 1`, which the code generator does not compute.
fn always(range: TextRange) -> Expr {
    let one = || {
        let value = Number::Int(Int::ONE);
        Expr::NumberLiteral(ExprNumberLiteral { value, range, node_index: Default::default() })
    };
    Expr::Compare(ExprCompare {
        left: Box::new(one()),
        ops: Box::new([CmpOp::Eq]),
        comparators: Box::new([one()]),
        range,
        node_index: Default::default(),
    })
}
