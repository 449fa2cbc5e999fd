//! Changes of the source that may fix a mistake. Whether one does is found out by running the changed source.

use super::mistake::Finding;
use super::scale;
use crate::syntax::{callee, line, parse_module};
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ExprCall, Operator};
use ruff_text_size::{Ranged, TextRange};

/// Sources that may be right, the likeliest first: `source` with one change for the mistake that was found in this line.
pub(crate) fn fixed_sources(source: &str, finding: &Finding, line: usize) -> Vec<String> {
    let Ok(parsed) = parse_module(source) else { return Vec::new() };
    let (mistake, is_twice) = (finding.mistake, finding.fix == scale::ONCE);
    let mut search = Search { source, mistake, line, is_twice, scaled: false, found: Vec::new() };
    parsed.into_syntax().body.iter().for_each(|statement| search.visit_stmt(statement));
    // A mask may be made elsewhere: what is nearest to the line comes first.
    search.found.sort_by_key(|edit| edit.line.abs_diff(line));
    let change = |edit: &Edit| {
        let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
        format!("{}{}{}", &source[..start], edit.text, &source[end..])
    };
    search.found.iter().map(change).filter(|changed| changed != source).take(MOST).collect()
}

/// The most changes that are tried for one finding.
const MOST: usize = 4;

/// A change of the source.
struct Edit {
    line: usize,
    range: TextRange,
    text: String,
}

struct Search<'s> {
    source: &'s str,
    mistake: &'s str,
    line: usize,
    /// Whether scores are divided by the right scale twice.
    is_twice: bool,
    /// Whether the expression is part of a product or a quotient.
    scaled: bool,
    found: Vec<Edit>,
}

impl Search<'_> {
    fn text(&self, of: &impl Ranged) -> &str {
        &self.source[of.range()]
    }

    fn line_of(&self, of: &impl Ranged) -> usize {
        line(self.source, of.range().start().into())
    }

    /// Whether the line of the finding is within an expression.
    fn is_here(&self, of: &impl Ranged) -> bool {
        let first = self.line_of(of);
        (first..=first + self.text(of).matches('\n').count()).contains(&self.line)
    }

    fn edit(&mut self, of: &impl Ranged, text: String) {
        let line = self.line_of(of);
        self.found.push(Edit { line, range: of.range(), text });
    }

    /// A part that is there, in other words.
    fn change(&mut self, part: Option<&Expr>, text: impl FnOnce(&str) -> String) {
        if let Some(part) = part {
            let text = text(self.text(part));
            self.edit(part, text);
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let Some(name) = callee(call) else { return };
        let receiver = call.func.as_attribute_expr().map(|it| &*it.value);
        let here = self.is_here(call);
        let arguments = &call.arguments;
        let keyword = |name: &str| arguments.find_keyword(name).map(|it| &it.value);
        let last = arguments.args.last().filter(|it| is_int(it));
        match (self.mistake, name) {
            ("softmax-over-queries", "softmax" | "Softmax") if here => {
                self.change(keyword("dim").or(last), |_| "-1".to_owned());
            }
            ("softmax-over-queries", "Softmax") => self.change(keyword("dim"), |_| "-1".to_owned()),
            ("mask-off-by-one" | "mask-inverted" | "row-all-hidden", "triu" | "tril") => {
                match (keyword("diagonal").or(last), name) {
                    (Some(diagonal), "triu") => self.edit(diagonal, "1".to_owned()),
                    (Some(diagonal), _) => self.edit(diagonal, "0".to_owned()),
                    (None, "triu") => self.insert_argument(call, "diagonal=1"),
                    (None, _) => {}
                }
            }
            ("mask-inverted" | "row-all-hidden", "masked_fill" | "masked_fill_") if here => {
                self.change(arguments.args.first(), inverted);
            }
            ("mask-inverted", "scaled_dot_product_attention") if here => {
                self.change(keyword("attn_mask"), inverted);
            }
            ("mask-leaks", "masked_fill" | "masked_fill_") if here => {
                self.change(arguments.args.get(1), |_| "float(\"-inf\")".to_owned());
            }
            ("masked-copy-unused", "masked_fill") if here => {
                if let Expr::Attribute(attribute) = &*call.func {
                    self.edit(&attribute.attr, "masked_fill_".to_owned());
                }
            }
            ("heads-by-view-alone", "view" | "reshape") if here => {
                if let ([b, h, t, d], Some(receiver)) = (&*arguments.args, receiver) {
                    let [b, h, t, d] = [b, h, t, d].map(|it| self.text(it));
                    let text = format!("{}.{name}({b}, {t}, {h}, {d}).transpose(1, 2)", self.text(receiver));
                    self.edit(call, text);
                }
            }
            ("heads-joined-by-view-alone", "view" | "reshape") if here => {
                if let Some(receiver) = receiver {
                    let plain = self.text(receiver).trim_end_matches(".contiguous()");
                    let shape: Vec<&str> = arguments.args.iter().map(|it| self.text(it)).collect();
                    let axes = if shape.len() == 2 { "0, 1" } else { "1, 2" };
                    let text = format!("{plain}.transpose({axes}).reshape({})", shape.join(", "));
                    self.edit(call, text);
                }
            }
            ("group-order", "repeat") => {
                if let ([Expr::NumberLiteral(_), times, ..], Some(receiver)) = (&*arguments.args, receiver) {
                    let (keys, times) = (self.text(receiver), self.text(times));
                    self.edit(call, format!("{keys}.repeat_interleave({times}, dim=1)"));
                }
            }
            ("dropout-in-eval", "scaled_dot_product_attention") if here => {
                self.change(keyword("dropout_p"), |p| format!("{p} if self.training else 0.0"));
            }
            ("dropout-in-eval", "dropout") if here => self.insert_argument(call, "training=self.training"),
            ("softmax-before-loss" | "softmax-twice", "softmax") => {
                let is_function =
                    receiver.is_none_or(|it| matches!(self.text(it), "torch" | "F" | "nn.functional"));
                let inner = if is_function { arguments.args.first() } else { receiver };
                if let Some(inner) = inner.map(|it| self.text(it).to_owned()) {
                    self.edit(call, inner);
                }
            }
            _ => {}
        }
    }

    fn insert_argument(&mut self, call: &ExprCall, argument: &str) {
        let text = self.text(call).to_owned();
        let Some(open) = text.strip_suffix(')') else { return };
        let comma = if call.arguments.is_empty() { "" } else { ", " };
        self.edit(call, format!("{open}{comma}{argument})"));
    }

    /// A product or a quotient of scores, and the statement that makes them.
    fn scale(&mut self, expression: &Expr) {
        let Expr::BinOp(operation) = expression else { return };
        let (left, right) = (self.text(&*operation.left).to_owned(), self.text(&*operation.right).to_owned());
        let root = format!("{left} / ({right})**0.5");
        // Divided by the width itself, or multiplied with it.
        let is_width = !is_no_width(&operation.right);
        match operation.op {
            Operator::Mult => {
                self.edit(expression, format!("{left} / {right}"));
                // Multiplied twice.
                self.edit(expression, left.clone());
            }
            Operator::Div => {}
            Operator::MatMult if !self.scaled => {
                self.edit(expression, format!("({}) / {left}.shape[-1]**0.5", self.text(expression)));
                return;
            }
            _ => return,
        }
        if is_width {
            self.edit(expression, root);
        }
        // Divided by a power that divides already.
        if operation.op == Operator::Div && right.replace(' ', "").contains("**-") {
            self.edit(expression, format!("{left} * {right}"));
        }
        // The width of a head is that of the queries in the product.
        if let Expr::BinOp(inner) = &*operation.left
            && inner.op == Operator::MatMult
        {
            self.edit(expression, format!("{left} / {}.shape[-1]**0.5", self.text(&*inner.left)));
        }
        // Elsewhere scores without a divisor have no scale at all, which the doctor allows in a first example.
        if operation.op == Operator::Div && self.is_twice {
            self.edit(expression, left);
        }
    }
}

impl<'a> Visitor<'a> for Search<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if self.mistake == "scale" && self.is_here(expression) {
            self.scale(expression);
        }
        if let Expr::Call(call) = expression {
            self.call(call);
        }
        let outer = self.scaled;
        self.scaled |= matches!(
            expression,
            Expr::BinOp(operation) if matches!(operation.op, Operator::Mult | Operator::Div)
        );
        walk_expr(self, expression);
        self.scaled = outer;
    }
}

/// Whether an expression is no width, whose root would be the scale: it is a root already (`d ** 0.5`, `math.sqrt(d)`), or a plain number.
fn is_no_width(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(_) => true,
        Expr::BinOp(operation) => operation.op == Operator::Pow,
        Expr::Call(call) => callee(call) == Some("sqrt"),
        _ => false,
    }
}

fn is_int(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(_) => true,
        Expr::UnaryOp(operation) => is_int(&operation.operand),
        _ => false,
    }
}

/// The opposite of a mask, as it is written.
fn inverted(mask: &str) -> String {
    if let Some(plain) = mask.strip_prefix('~') {
        return plain.to_owned();
    }
    if let Some((mask, zero)) = mask.rsplit_once(" == ") {
        return format!("{mask} != {zero}");
    }
    let is_plain =
        mask.chars().all(|it| it.is_alphanumeric() || "_.()[]:, ".contains(it)) && !mask.starts_with('(');
    if is_plain { format!("~{mask}") } else { format!("~({mask})") }
}
