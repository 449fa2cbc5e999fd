//! Layers of one class that take their axes in different orders: one with `batch_first=True`, one without, and nothing that
//! exchanges the axes in between.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt, StmtClassDef};
use ruff_text_size::{Ranged, TextRange};

/// PyTorch's layers whose first axis is that of the tokens unless they are told otherwise.
const LAYERS: [&str; 4] =
    ["MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"];

/// What exchanges axes; einops has names of its own.
const EXCHANGES: [&str; 8] =
    ["transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "rearrange", "t"];

/// The layer without `batch_first=True` in a class that has another one with it, and what was seen.
pub(super) fn mixed_orders(class: &StmtClassDef, source: &str) -> Option<(TextRange, String)> {
    let mut layers = Layers::default();
    class.body.iter().for_each(|statement| layers.visit_stmt(statement));
    let [(with, _), (without, range)] = [layers.with.first()?, layers.without.first()?];
    if layers.exchanges {
        return None;
    }
    let observed = format!(
        "{}: {without} takes (tokens, batch, width), {with} of the same class (batch, tokens, width), and nothing in {} \
         exchanges the axes.",
        &source[*range], class.name
    );
    Some((*range, observed))
}

/// The layers that a class makes: what they are bound to, and where.
#[derive(Default)]
struct Layers {
    with: Vec<(String, TextRange)>,
    without: Vec<(String, TextRange)>,
    exchanges: bool,
}

impl Layers {
    fn made(&mut self, target: &Expr, call: &ExprCall) {
        let name = match target {
            Expr::Attribute(it) => it.attr.to_string(),
            Expr::Name(it) => it.id.to_string(),
            _ => return,
        };
        let is_true = |it: &Expr| matches!(it, Expr::BooleanLiteral(it) if it.value);
        match call.arguments.find_keyword("batch_first").map(|it| is_true(&it.value)) {
            Some(true) => self.with.push((name, call.range())),
            // Another value than True or False is decided elsewhere.
            _ if has_plain_order(call) => self.without.push((name, call.range())),
            _ => {}
        }
    }
}

/// Whether a call leaves the order of the axes as it is, or says `False`.
fn has_plain_order(call: &ExprCall) -> bool {
    let is_literal = |it: &Expr| matches!(it, Expr::BooleanLiteral(_));
    let is_packed = call.arguments.keywords.iter().any(|it| it.arg.is_none());
    !is_packed && call.arguments.find_keyword("batch_first").is_none_or(|it| is_literal(&it.value))
}

fn called(call: &ExprCall) -> &str {
    match &*call.func {
        Expr::Attribute(it) => it.attr.as_str(),
        Expr::Name(it) => it.id.as_str(),
        _ => "",
    }
}

impl<'a> Visitor<'a> for Layers {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assign(assign) = statement {
            for target in &assign.targets {
                let pairs: Vec<(&Expr, &Expr)> = match (target, &*assign.value) {
                    (Expr::Tuple(names), Expr::Tuple(values)) => {
                        names.elts.iter().zip(&values.elts).collect()
                    }
                    (target, value) => vec![(target, value)],
                };
                for (target, value) in pairs {
                    if let Expr::Call(call) = value
                        && LAYERS.contains(&called(call))
                    {
                        self.made(target, call);
                    }
                }
            }
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.exchanges |= EXCHANGES.contains(&called(call));
        }
        if let Expr::Attribute(it) = expression {
            self.exchanges |= matches!(it.attr.as_str(), "T" | "mT");
        }
        walk_expr(self, expression);
    }
}
