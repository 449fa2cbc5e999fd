//! Products whose operands' names disagree with what they are multiplied for: weights times keys.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Operator, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::factors::base_name;
use super::named::{is_weights, names_attention};
use super::names_read::{Names, Part};

/// Products whose operands' names disagree with what they are multiplied for.
pub(super) struct Products<'s> {
    /// Whether queries, keys, values are bound here.
    pub(super) has: [bool; 3],
    pub(super) source: &'s str,
    pub(super) found: Vec<(TextRange, String, &'static str)>,
    pub(super) count: usize,
}

impl Products<'_> {
    fn product(&mut self, whole: TextRange, left: &Expr, right: &Expr) {
        self.count += 1;
        let [queries, keys, values] = self.has;
        let (from, to) = (only_part(left), plain_part(right));
        let text = |it: &Expr| &self.source[it.range()];
        let fix = "softmax(queries @ keys.transpose(-2, -1)) @ values";
        // Weights times keys. The scores are queries times keys, and a state is keys times values.
        let is_rotation =
            names_of(left).iter().any(|name| name.to_lowercase().contains("rot") || name == "R");
        // `wk` and `W_key` are matrices that project.
        let is_matrix = names_of(right).iter().any(|name| name.to_lowercase().starts_with('w'));
        let is_weights = is_softmax(left) || !has_part(left, Part::Query);
        let may_be_weights = from.is_none() && !is_matrix && is_weights && !is_rotation;
        if to == Some(Part::Key) && values && queries && may_be_weights {
            let observed = format!(
                "{}: weights are multiplied with {}, not with the values.",
                &self.source[whole],
                text(right)
            );
            self.found.push((whole, observed, fix));
            return;
        }
        let same = plain_part(left) == Some(Part::Query) && only_part(right) == Some(Part::Query);
        if same && keys && queries && names_of(left) == names_of(right) {
            let observed = format!("{}: the product of the queries with themselves.", &self.source[whole]);
            self.found.push((whole, observed, fix));
        }
    }
}

impl Products<'_> {
    /// One weight times a vector: `attention[i] * keys[i]`.
    fn element(&mut self, whole: TextRange, left: &Expr, right: &Expr) {
        let [queries, _, values] = self.has;
        let is_weight = |it: &Expr| {
            let name = base_name(it).filter(|_| matches!(it, Expr::Subscript(_)));
            name.is_some_and(|it| {
                is_weights(it) || names_attention(it) && !it.to_lowercase().contains("score")
            })
        };
        let is_key = |it: &Expr| plain_part(it) == Some(Part::Key);
        let found = is_weight(left) && is_key(right) || is_weight(right) && is_key(left);
        if found && queries && values {
            let observed =
                format!("{}: weights are multiplied with keys, not with values.", &self.source[whole]);
            self.found.push((whole, observed, "the sum over all tokens of weight * value"));
        }
    }
}

impl<'a> Visitor<'a> for Products<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::BinOp(product) if product.op == Operator::MatMult => {
                self.product(product.range(), &product.left, &product.right);
            }
            Expr::BinOp(product) if product.op == Operator::Mult => {
                self.element(product.range(), &product.left, &product.right);
            }
            Expr::Call(call) => {
                let name = match &*call.func {
                    Expr::Attribute(it) => it.attr.as_str(),
                    Expr::Name(it) => it.id.as_str(),
                    _ => "",
                };
                match (name, &*call.arguments.args) {
                    ("matmul" | "bmm", [left, right]) => self.product(call.range(), left, right),
                    ("einsum", [_, left, right]) => self.product(call.range(), left, right),
                    ("scaled_dot_product_attention", [query, key, value, ..]) if self.has[2] => {
                        let twice =
                            plain_part(key) == Some(Part::Key) && plain_part(value) == Some(Part::Key);
                        if twice && plain_part(query) == Some(Part::Query) {
                            let text = &self.source[value.range()];
                            let observed = format!("{text} is passed as keys and as values.");
                            let fix = "F.scaled_dot_product_attention(queries, keys, values)";
                            self.found.push((call.range(), observed, fix));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Whether an expression is the result of a softmax, whatever its scores are called.
fn is_softmax(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    match &*call.func {
        Expr::Attribute(it) => it.attr.as_str() == "softmax",
        Expr::Name(it) => it.id.as_str() == "softmax",
        // nn.Softmax(dim=-1)(scores)
        Expr::Call(made) => matches!(&*made.func, Expr::Attribute(it) if it.attr.as_str() == "Softmax"),
        _ => false,
    }
}

/// What a plain variable is for.
fn plain_part(expression: &Expr) -> Option<Part> {
    match expression {
        Expr::Name(name) => Part::of(name.id.as_str()),
        Expr::Subscript(part) => plain_part(&part.value),
        _ => None,
    }
}

/// What an expression is for whose names say one thing.
fn only_part(expression: &Expr) -> Option<Part> {
    let names = names_of(expression);
    let mut parts = names.iter().filter_map(|name| Part::of(name));
    let first = parts.next()?;
    parts.all(|it| it == first).then_some(first)
}

fn has_part(expression: &Expr, part: Part) -> bool {
    names_of(expression).iter().any(|name| Part::of(name) == Some(part))
}

fn names_of(expression: &Expr) -> Vec<String> {
    let mut names = Names::default();
    names.visit_expr(expression);
    names.read
}
