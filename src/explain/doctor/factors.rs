//! What the source calls the operands of a call or a product.

use ruff_python_ast::Expr;

use crate::explain::written_call::operands;
use crate::syntax::parse_expression;

/// What an expression calls the two factors of a product: `a @ b`, `torch.matmul(a, b)`, `a.bmm(b)`, `einsum("..", a, b)`.
pub(super) fn factors(expression: &str) -> [Option<String>; 2] {
    let Ok(parsed) = parse_expression(expression.trim()) else { return [None, None] };
    let name = |it: &Expr| layer_name(it).or_else(|| base_name(it)).map(str::to_owned);
    let listed = |it: &'_ Expr| match it {
        Expr::List(list) => list.elts.iter().map(name).collect(),
        Expr::Tuple(list) => list.elts.iter().map(name).collect(),
        Expr::StringLiteral(_) => Vec::new(),
        other => vec![name(other)],
    };
    let mut all = match &*parsed.syntax().body {
        product @ (Expr::BinOp(_) | Expr::Call(_)) => operands(product),
        _ => Vec::new(),
    }
    .into_iter()
    .flat_map(listed);
    [all.next().flatten(), all.next().flatten()]
}

/// The name of the layer whose result an expression is: `query` of `self.query(x).transpose(1, 2)` and of
/// `self.split(self.query(x))`.
fn layer_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Attribute(attribute) if matches!(attribute.attr.as_str(), "T" | "mT") => {
            layer_name(&attribute.value)
        }
        Expr::Subscript(part) => layer_name(&part.value),
        Expr::Call(call) => {
            let Expr::Attribute(method) = &*call.func else { return None };
            match &*method.value {
                Expr::Name(own) if own.id.as_str() == "self" => {
                    let own = method.attr.as_str();
                    layer_name(call.arguments.args.first()?).or(Some(own))
                }
                receiver => layer_name(receiver),
            }
        }
        _ => None,
    }
}

/// The name that an expression begins with: `weights` of `weights`, `weights[0]`, `weights.transpose(1, 2)`, `self.weights`.
fn base_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => match &*attribute.value {
            Expr::Name(own) if own.id.as_str() == "self" => Some(attribute.attr.as_str()),
            _ if matches!(attribute.attr.as_str(), "T" | "mT") => base_name(&attribute.value),
            _ => None,
        },
        Expr::Subscript(part) => base_name(&part.value),
        Expr::Call(call) => match &*call.func {
            Expr::Attribute(method) => {
                base_name(&method.value).filter(|it| !matches!(*it, "torch" | "F" | "np"))
            }
            _ => None,
        },
        _ => None,
    }
}
