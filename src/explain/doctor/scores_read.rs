//! Scores that are multiplied with the values although a softmax has made weights of them, and names of weights that are
//! bound to scores: in statements, where numbers are taken one by one and no operation shows it.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Operator, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::factors::base_name;
use super::named::{is_weights, names_attention};
use super::names_read::{ModuleReads, Names, Part, each_statement};

/// A product that takes scores: where it is, and what was seen.
pub(super) struct ScoresUsed {
    pub(super) range: TextRange,
    pub(super) observed: String,
}

/// Looks for such products in the statements of a module or of a function.
pub(super) fn scores_used(source: &str, body: &[Stmt]) -> Vec<ScoresUsed> {
    let statements = each_statement(body);
    let mut reads = ModuleReads::default();
    body.iter().for_each(|statement| reads.visit_stmt(statement));
    let in_function = |name: &str| reads.found.iter().any(|(it, _, inside)| *inside && it == name);
    let mut found = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let Stmt::Assign(assign) = statement else { continue };
        let [Expr::Name(weights)] = assign.targets.as_slice() else { continue };
        let weights = weights.id.as_str();
        // Sums of rows that are made to divide by them.
        let text = &source[assign.value.range()];
        if weights.to_lowercase().contains("sum") && text.contains(".sum(") && text.contains("keepdim") {
            // Sums that are shown are a check.
            let is_read = reads.found.iter().any(|(it, ..)| it == weights) || {
                let mut own = Names::default();
                body.iter().for_each(|it| own.visit_stmt(it));
                own.reads(weights)
            };
            let what = base_name(&assign.value).filter(|it| it.contains("mask"));
            if let (false, Some(what)) = (is_read, what) {
                let observed = format!("{weights} is computed, and nothing divides {what} by it.");
                found.push(ScoresUsed { range: assign.range(), observed });
            }
        }
        let (scores, is_softmax) = match softmax_input(&assign.value) {
            Some(input) => (scores_of(input), true),
            None => (assign.value.as_name_expr().map(|it| it.id.as_str()), false),
        };
        let Some(scores) = scores.filter(|it| *it != weights && Part::of(it).is_none()) else { continue };
        // A softmax of logits has another purpose.
        if !names_scores(weights) && !names_scores(scores) {
            continue;
        }
        let later = statements[at + 1..].iter().take_while(|it| !binds(it, weights) && !binds(it, scores));
        let later: Vec<&&Stmt> = later.collect();
        if is_softmax {
            let is_used = later.iter().any(|it| uses(it, weights)) || in_function(weights);
            let next = statements[at + 1 + later.len()..].first();
            if is_used || next.is_some_and(|it| uses(it, weights)) {
                continue;
            }
            let product = later.iter().find_map(|it| product_with(it, scores));
            if let Some(range) = product {
                let text = &source[range];
                let observed =
                    format!("{text}: {scores} is multiplied; no product takes {weights}, its softmax.");
                found.push(ScoresUsed { range, observed });
            }
        } else if is_weights(weights) && scores.to_lowercase().contains("score") {
            let is_weighted = |it: &&&Stmt| {
                let mut calls = Softmaxes::default();
                calls.visit_stmt(it);
                let is_block = matches!(it, Stmt::FunctionDef(_) | Stmt::ClassDef(_));
                !is_block && calls.count > 0 && uses(it, weights)
            };
            let product = later.iter().find_map(|it| product_with(it, weights));
            if let Some(range) = product.filter(|_| !later.iter().any(is_weighted)) {
                let observed = format!(
                    "{}: {weights} is another name of {scores}, and no softmax comes in between.",
                    &source[range]
                );
                found.push(ScoresUsed { range, observed });
            }
        }
    }
    found
}

/// Whether a name is one of attention's scores or weights.
fn names_scores(name: &str) -> bool {
    let lower = name.to_lowercase();
    names_attention(name)
        || lower == "wei"
        || ["score", "weight", "energ", "affin", "alpha"].iter().any(|it| lower.contains(it))
}

/// What a softmax takes, if an expression is one.
fn softmax_input(expression: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = expression else { return None };
    let name = called(call)?.to_lowercase();
    if !name.contains("softmax") || name.contains("log") {
        return None;
    }
    super::factors::operand(call).filter(|it| !matches!(it, Expr::Name(name) if name.id.as_str() == "self")).map(
        |operand| match (&*call.func, call.arguments.args.first()) {
            // self.softmax(scores), scipy.special.softmax(scores)
            (Expr::Attribute(function), Some(first)) if base_name(&function.value).is_none() => first,
            (Expr::Attribute(function), Some(first))
                if matches!(&*function.value, Expr::Name(it) if it.id.as_str() == "self") =>
            {
                first
            }
            _ => operand,
        },
    )
}

/// The name of scores that are scaled or put into an array.
fn scores_of(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::BinOp(scaled) if matches!(scaled.op, Operator::Div | Operator::Mult) => scores_of(&scaled.left),
        Expr::Call(call) if matches!(called(call)?, "array" | "tensor" | "stack" | "asarray") => {
            scores_of(call.arguments.args.first()?)
        }
        _ => None,
    }
}

fn called(call: &ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

/// Whether a statement binds a name anew.
fn binds(statement: &Stmt, name: &str) -> bool {
    match statement {
        Stmt::Assign(assign) => {
            let mut names = Names::default();
            assign.targets.iter().for_each(|it| names.visit_expr(it));
            names.bound.iter().any(|(bound, _)| bound == name)
        }
        _ => false,
    }
}

/// Whether a statement does more with a name than show or check it.
fn uses(statement: &Stmt, name: &str) -> bool {
    let is_shown = match statement {
        Stmt::Assert(_) => true,
        Stmt::Expr(shown) => match &*shown.value {
            Expr::Call(call) => {
                let is_print =
                    matches!(called(call), Some("print" | "display" | "imshow" | "matshow" | "heatmap"));
                is_print || base_name(&shown.value) == Some(name)
            }
            other => base_name(other).is_some(),
        },
        _ => false,
    };
    let mut names = Names::default();
    names.visit_stmt(statement);
    !is_shown && names.reads(name)
}

/// Where a statement multiplies this name with something: as a matrix, or one element of it with a vector.
fn product_with(statement: &Stmt, name: &str) -> Option<TextRange> {
    let mut products = ProductsOf { name, found: None };
    match statement {
        Stmt::Assign(assign) => products.visit_expr(&assign.value),
        Stmt::AugAssign(assign) => products.visit_expr(&assign.value),
        Stmt::Expr(shown) => products.visit_expr(&shown.value),
        _ => {}
    }
    products.found
}

struct ProductsOf<'n> {
    name: &'n str,
    found: Option<TextRange>,
}

impl<'a> Visitor<'a> for ProductsOf<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let is_named = |it: &Expr| base_name(it) == Some(self.name);
        let is_element = |it: &Expr| matches!(it, Expr::Subscript(_)) && is_named(it);
        let is_vector = |it: &Expr| !matches!(it, Expr::NumberLiteral(_)) && base_name(it).is_some();
        let is_product = match expression {
            Expr::BinOp(it) if it.op == Operator::MatMult => is_named(&it.left),
            Expr::BinOp(it) if it.op == Operator::Mult => {
                is_element(&it.left) && is_vector(&it.right) || is_element(&it.right) && is_vector(&it.left)
            }
            Expr::Call(call) => {
                let is_method = matches!(called(call), Some("matmul" | "mm" | "bmm" | "dot"));
                let first = super::factors::operand(call).filter(|it| base_name(it).is_some());
                let first = first.or_else(|| call.arguments.args.first());
                is_method && first.is_some_and(is_named)
            }
            _ => false,
        };
        if is_product && self.found.is_none() {
            self.found = Some(expression.range());
        }
        walk_expr(self, expression);
    }
}

#[derive(Default)]
struct Softmaxes {
    count: usize,
}

impl<'a> Visitor<'a> for Softmaxes {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression
            && called(call).is_some_and(|it| it.to_lowercase().contains("softmax") || it == "exp")
        {
            self.count += 1;
        }
        walk_expr(self, expression);
    }
}

/// A function of the module that nothing calls, although attention needs it: a softmax, or one that masks scores.
pub(super) enum Uncalled {
    Softmax(TextRange, String),
    Mask(TextRange, String),
}

/// Looks for such functions in a module.
pub(super) fn uncalled(source: &str, body: &[Stmt], names: &Names) -> Option<Uncalled> {
    let functions = || body.iter().filter_map(Stmt::as_function_def_stmt);
    let is_called = |name: &str| names.reads(name) || names.reads_attribute(name);
    let has = |part: Part| names.bound.iter().any(|(name, _)| Part::of(name) == Some(part));
    let softmaxes = names.read.iter().filter(|it| it.to_lowercase().contains("softmax")).count()
        + names.attributes_read.iter().filter(|(it, _)| it.to_lowercase().contains("softmax")).count();
    if !has(Part::Query) || !has(Part::Key) {
        return None;
    }
    let computes = |of: &StmtFunctionDef, words: &[&str]| {
        let text = &source[of.range()];
        words.iter().any(|word| text.contains(word)) && text.contains("return")
    };
    let is_softmax = |it: &&StmtFunctionDef| {
        let name = it.name.as_str().to_lowercase();
        name.contains("softmax") && !name.contains("log") && computes(it, &["exp("])
    };
    let names_weights = names.bound.iter().any(|(it, _)| names_attention(it) || is_weights(it));
    let softmax = functions().find(|it| is_softmax(it) && !is_called(it.name.as_str()));
    if let Some(it) = softmax.filter(|_| softmaxes == 0 && names_weights) {
        let observed = format!("{} is defined, and nothing calls it: no scores become weights.", it.name);
        return Some(Uncalled::Softmax(it.name.range(), observed));
    }
    let masks = functions().find(|it| is_masking(source, it) && !is_called(it.name.as_str()));
    masks.filter(|_| softmaxes > 0).map(|it| {
        let observed = format!("{} is defined, and nothing calls it: the scores are not masked.", it.name);
        Uncalled::Mask(it.name.range(), observed)
    })
}

/// Whether a function or its class is named for hiding scores, and it returns its argument as it came.
pub(super) fn hides_nothing(
    source: &str,
    within: &[String],
    parameters: &[String],
    body: &[Stmt],
) -> Option<TextRange> {
    let is_named = within.iter().rev().take(2).any(|name| {
        let name = name.to_lowercase();
        ["hide", "mask", "causal"].iter().any(|word| name.contains(word)) && !name.contains("att")
    });
    let (Some(first), Some(last)) = (parameters.iter().find(|it| *it != "self"), body.last()) else {
        return None;
    };
    let Stmt::Return(returned) = last else { return None };
    let is_same =
        returned.value.as_deref().is_some_and(|it| base_name(it) == Some(first) && it.is_name_expr());
    let mut names = Names::default();
    body.iter().for_each(|it| names.visit_stmt(it));
    let text = &source[TextRange::new(body[0].range().start(), last.range().end())];
    let changes =
        names.bound.iter().any(|(it, _)| it == first) || text.contains("_(") || text.contains("] =");
    (is_named && is_same && !changes && body.len() > 1).then(|| returned.range())
}

/// Whether a function is named for a mask and returns a masked copy of what it takes.
pub(super) fn is_masking(source: &str, function: &StmtFunctionDef) -> bool {
    let text = &source[function.range()];
    let takes = function.parameters.args.iter().any(|it| {
        let name = it.parameter.name.as_str();
        text.contains(&format!("{name}.masked_fill("))
            || text.contains("where(") && text.contains("inf") && text.contains(&format!(", {name}"))
    });
    let is_in_place = text.contains("masked_fill_(") || text.contains("] = ");
    function.name.as_str().to_lowercase().contains("mask")
        && takes
        && !is_in_place
        && text.contains("return ")
}

/// The functions of a module that return a masked copy.
#[derive(Default)]
pub(super) struct Masking<'s> {
    pub(super) source: &'s str,
    pub(super) found: Vec<String>,
}

impl<'a> Visitor<'a> for Masking<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::FunctionDef(function) = statement
            && is_masking(self.source, function)
        {
            self.found.push(function.name.to_string());
        }
        walk_stmt(self, statement);
    }
}
