//! Mistakes that the syntax tree shows by itself: arguments in each other's place, results that nothing takes.
//! For code that ran, only those that no operation shows; for code that cannot run, all of them. What names say is read
//! in [`roles`](super::roles).

use crate::syntax::parse_module;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt, StmtFunctionDef, UnaryOp};
use ruff_text_size::Ranged;

use super::batch_first::mixed_orders;
use super::factors::{base_name, last_name, operand};
use super::mistake::{Detector, Finding, Mistake};
use super::names_read::{Names, Part};
use super::roles::{Subject, disagreements};
use super::scores_read::Masking;
use super::{
    dropout_before_softmax, dropout_in_eval, gradients_not_zeroed, input_unused, mask_inverted, mask_leaks,
    mask_off_by_one, masked_copy_unused, projection_mixed_up, samples_mixed, scale, scores_as_weights,
    softmax_before_loss, softmax_over_queries, softmax_twice, tied_weights_copied,
};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A403",
    name: "arguments-swapped",
    title: "arguments are passed in each other's place",
    why: "Keys and values have the same shape, so nothing raises: the scores are made of the values, and the keys are \
          averaged.",
    implied_by: &[],
    detector: Detector::Syntax,
};

/// How much of the syntax tree's findings is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The code ran: only what operations do not show.
    Ran,
    /// The code cannot run.
    Instead,
}

/// The mistakes that the syntax of several cells shows, read as one program: what one cell makes, another may read. A cell
/// that cannot be parsed is left out.
pub fn read_together(cells: &[(&str, &str)], reading: Reading) -> Vec<Finding> {
    let mut whole = String::new();
    // Each cell with the number of lines before it, and the line of its last statement, whose value a notebook shows.
    let mut places: Vec<(&str, usize, usize)> = Vec::new();
    for (cell, source) in cells {
        if let Ok(parsed) = parse_module(source) {
            let start = parsed.syntax().body.last().map_or(0, |it| usize::from(it.range().start()));
            places.push((cell, whole.matches('\n').count(), 1 + source[..start].matches('\n').count()));
            whole.push_str(source.trim_end_matches('\n'));
            whole.push('\n');
        }
    }
    let mut found = read_program(&whole, reading);
    found.retain_mut(|finding| {
        let Some(line) = finding.line else { return true };
        let Some((cell, before, last)) = places.iter().rev().find(|(_, before, _)| line > *before) else {
            return false;
        };
        finding.cell = Some((*cell).to_owned());
        finding.line = Some(line - before);
        let is_shown = finding.function.is_none() && line - before >= *last;
        !(is_shown && finding.mistake == masked_copy_unused::MISTAKE.name)
    });
    found
}

/// The mistakes that the syntax of a program shows, by its lines.
fn read_program(source: &str, reading: Reading) -> Vec<Finding> {
    let Ok(parsed) = parse_module(source) else { return Vec::new() };
    let body = parsed.into_syntax().body;
    let mut functions = Functions::default();
    body.iter().for_each(|statement| functions.visit_stmt(statement));
    let mut masking = Masking { source, found: Vec::new() };
    body.iter().for_each(|statement| masking.visit_stmt(statement));
    let mut search = Search {
        source,
        reading,
        functions: functions.found,
        masking: masking.found,
        within: Vec::new(),
        found: Vec::new(),
    };
    body.iter().for_each(|statement| search.visit_stmt(statement));
    for found in disagreements(source, &body) {
        search.within = found.within;
        let mistake = match found.subject {
            Subject::Projection => &projection_mixed_up::MISTAKE,
            Subject::Mask => &input_unused::MASK,
            Subject::Scale => &scale::MISTAKE,
            Subject::Weights => &scores_as_weights::MISTAKE,
            Subject::Tied => &tied_weights_copied::MISTAKE,
        };
        search.add(mistake, &found.range, found.observed, &found.fix);
    }
    search.within.clear();
    for found in gradients_not_zeroed::loops(source, &body) {
        search.add(&gradients_not_zeroed::MISTAKE, &found.range, found.observed, &found.fix);
    }
    search.found
}

/// The parts that each function's parameters are for, by the function's name.
#[derive(Default)]
struct Functions {
    found: Vec<(String, Vec<Option<Part>>, Vec<String>)>,
}

impl<'a> Visitor<'a> for Functions {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::FunctionDef(StmtFunctionDef { name, parameters, .. }) = statement {
            let names: Vec<String> = parameters
                .iter_non_variadic_params()
                .map(|it| it.parameter.name.to_string())
                .filter(|name| name != "self" && name != "cls")
                .collect();
            self.found.push((name.to_string(), names.iter().map(|it| Part::of(it)).collect(), names));
        }
        walk_stmt(self, statement);
    }
}

struct Search<'s> {
    source: &'s str,
    reading: Reading,
    functions: Vec<(String, Vec<Option<Part>>, Vec<String>)>,
    /// Those that return a masked copy.
    masking: Vec<String>,
    /// The classes and functions around.
    within: Vec<String>,
    found: Vec<Finding>,
}

impl Search<'_> {
    fn text(&self, of: &impl Ranged) -> &str {
        &self.source[of.range()]
    }

    fn add(&mut self, mistake: &'static Mistake, at: &impl Ranged, observed: String, fix: &str) {
        let before = &self.source[..usize::from(at.range().start())];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        self.found.push(Finding {
            code: mistake.code,
            mistake: mistake.name,
            title: mistake.title,
            cell: None,
            line: Some(line),
            column: Some(column),
            function: (!self.within.is_empty()).then(|| self.within.join(".")),
            observed,
            why: mistake.why.to_owned(),
            fix: fix.to_owned(),
        });
    }

    fn call(&mut self, call: &ExprCall) {
        let name = match &*call.func {
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            Expr::Name(name) => name.id.as_str(),
            _ => return,
        };
        self.swapped(call, name);
        self.named_mask(call, name);
        self.mask_for_another_function(call, name);
        if self.reading == Reading::Ran {
            return;
        }
        let first = call.arguments.args.first();
        let keyword = |name: &str| call.arguments.find_keyword(name).map(|it| &it.value);
        match name {
            "softmax" => {
                let input = operand(call);
                if input.is_some_and(|it| is_call_of(it, "softmax")) {
                    let observed = format!("{}: a softmax of a softmax.", self.text(call));
                    self.add(&softmax_twice::MISTAKE, call, observed, "one softmax");
                }
                if input.is_some_and(|it| is_call_of(it, "dropout")) {
                    let observed = format!("{}: the scores go through dropout.", self.text(call));
                    self.add(
                        &dropout_before_softmax::MISTAKE,
                        call,
                        observed,
                        "dropout(torch.softmax(scores, dim=-1))",
                    );
                }
                let dim = keyword("dim")
                    .or_else(|| call.arguments.args.last().filter(|_| !call.arguments.args.is_empty()));
                let scores = input
                    .is_some_and(|it| is_named(self.text(it), &["score", "attn", "attention", "energy"]));
                if scores && dim.is_some_and(|dim| matches!(self.text(dim), "-2" | "0")) {
                    let observed =
                        format!("{}: the softmax runs along another axis than the last.", self.text(call));
                    self.add(&softmax_over_queries::MISTAKE, call, observed, "torch.softmax(scores, dim=-1)");
                }
            }
            "cross_entropy" if first.is_some_and(|it| is_call_of(it, "softmax")) => {
                let observed = format!("{}: the loss takes the result of a softmax.", self.text(call));
                self.add(
                    &softmax_before_loss::MISTAKE,
                    call,
                    observed,
                    "F.cross_entropy(logits, targets), without the softmax",
                );
            }
            "masked_fill" | "masked_fill_" => {
                let tiny = call.arguments.args.get(1).is_some_and(|it| {
                    matches!(self.text(it), "1e-9" | "1e-10" | "1e-8" | "1e-7" | "1e-6" | "1e-12")
                });
                if tiny {
                    let observed = format!("{}: hidden scores become nearly 0, not -inf.", self.text(call));
                    self.add(&mask_leaks::MISTAKE, call, observed, "scores.masked_fill(mask, -torch.inf)");
                }
            }
            "triu" => {
                let diagonal = keyword("diagonal").or_else(|| call.arguments.args.get(1));
                if diagonal.is_some_and(|it| self.text(it).parse::<i64>().is_ok_and(|it| it >= 2)) {
                    let observed = format!("{} begins above the token after each token.", self.text(call));
                    self.add(
                        &mask_off_by_one::MISTAKE,
                        call,
                        observed,
                        "torch.triu(torch.ones(T, T), diagonal=1).bool()",
                    );
                }
            }
            "scaled_dot_product_attention" => {
                let p = keyword("dropout_p").filter(|it| !matches!(it, Expr::If(_)));
                if p.is_some_and(|it| {
                    is_named(self.text(it), &["drop"]) && !self.text(it).contains("training")
                }) {
                    let observed =
                        format!("{}: dropout_p does not depend on self.training.", self.text(call));
                    self.add(
                        &dropout_in_eval::MISTAKE,
                        call,
                        observed,
                        "dropout_p=self.dropout if self.training else 0.0",
                    );
                }
            }
            _ => {}
        }
    }

    /// A mask that hides what its name calls visible, or shows what its name calls hidden.
    fn named_mask(&mut self, call: &ExprCall, name: &str) {
        let args = &call.arguments.args;
        let (hides, filled) = match (name, &**args) {
            ("masked_fill" | "masked_fill_", [mask, value]) => (mask, value),
            ("where", [condition, value, _]) => (condition, value),
            _ => return,
        };
        let value = self.text(filled);
        let is_hiding =
            ["inf", "min", "max", "-1e"].iter().any(|it| value.contains(it)) && value.contains(['-', 'm']);
        let (mask, is_inverted) = match hides {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Invert => (&*unary.operand, true),
            other => (other, false),
        };
        let Some(mask) = base_name(mask).filter(|_| !matches!(mask, Expr::Call(_))) else { return };
        let says = |words: &[&str]| mask.to_lowercase().split('_').any(|word| words.contains(&word));
        let shown = says(&["visible", "allowed", "keep", "valid", "inside", "real"]);
        let hidden = says(&["hidden", "future", "forbidden", "blocked", "invisible"]);
        if !is_hiding || shown == hidden || is_inverted != hidden {
            return;
        }
        let observed = match hidden {
            true => format!("{}: the keys that {mask} does not name are hidden.", self.text(call)),
            false => format!("{}: the keys that are hidden are those that {mask} names.", self.text(call)),
        };
        let (mask, code) = (mask.to_owned(), self.text(hides).to_owned());
        let fix = if hidden { mask } else { format!("~{code}") };
        self.add(&mask_inverted::MISTAKE, call, observed, &format!("masked_fill({fix}, -torch.inf)"));
        if let Some(found) = self.found.last_mut() {
            found.title = "the mask hides what its name calls visible, or the other way round";
        }
    }

    /// A boolean mask whose name says the opposite of what the function takes it for.
    fn mask_for_another_function(&mut self, call: &ExprCall, function: &str) {
        const SHOWN: [&str; 6] = ["visible", "allowed", "keep", "valid", "real", "inside"];
        const HIDDEN: [&str; 8] =
            ["padding", "pad", "pads", "padded", "hidden", "future", "forbidden", "blocked"];
        let is_fused = function == "scaled_dot_product_attention";
        let keywords =
            ["key_padding_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask"];
        let given = keywords.iter().find_map(|it| call.arguments.find_keyword(it));
        let given = given.filter(|_| !is_fused);
        let given = given.or_else(|| call.arguments.find_keyword("attn_mask").filter(|_| is_fused));
        let Some(given) = given else { return };
        let Expr::UnaryOp(unary) = &given.value else { return };
        if unary.op != UnaryOp::Invert {
            return;
        }
        let mut names = Names::default();
        names.visit_expr(&unary.operand);
        // `padding_mask` may be true for either.
        let says = |name: &String, words: &[&str]| {
            let name = name.to_lowercase();
            let mut parts = name.split('_').filter(|it| *it != "is").peekable();
            parts.peek().is_some() && !name.contains("mask") && parts.all(|word| words.contains(&word))
        };
        let words: &[&str] = if is_fused { &SHOWN } else { &HIDDEN };
        if names.read.is_empty() || !names.read.iter().all(|it| says(it, words)) {
            return;
        }
        let code = self.text(&given.value).to_owned();
        let meaning = match is_fused {
            true => "True means \"keep\" for scaled_dot_product_attention",
            false => "True means \"hide\" for it",
        };
        let observed =
            format!("{code} is passed to {function}: {meaning}, and the name says so without the ~.");
        let fix = self.text(&*unary.operand).to_owned();
        self.add(&mask_inverted::MISTAKE, &given.value, observed, &fix);
        if let Some(found) = self.found.last_mut() {
            found.title = "the mask hides what its name calls visible, or the other way round";
        }
    }

    /// A call whose arguments' names say that two are in each other's place.
    fn swapped(&mut self, call: &ExprCall, name: &str) {
        let args = &call.arguments.args;
        let given: Vec<Option<Part>> = args.iter().map(|it| last_name(it).and_then(Part::of)).collect();
        let own = |of: &str| {
            let mut all = self.functions.iter().filter(move |(known, ..)| known == of);
            all.next()
                .filter(|_| all.next().is_none())
                .map(|(_, parts, names)| (parts.clone(), names.clone()))
        };
        let usual = || {
            let words = ["query", "key", "value"].map(str::to_owned).to_vec();
            (vec![Some(Part::Query), Some(Part::Key), Some(Part::Value)], words)
        };
        let is_attention = ["att", "mha", "retention"].iter().any(|it| name.to_lowercase().contains(it));
        let Some((wanted, names)) = own(name).or_else(|| is_attention.then(usual)) else { return };
        let at = |part: Part, of: &[Option<Part>]| of.iter().position(|it| *it == Some(part));
        let once = |part: Part, of: &[Option<Part>]| of.iter().filter(|it| **it == Some(part)).count() == 1;
        let pairs = [(Part::Key, Part::Value), (Part::Query, Part::Key), (Part::Query, Part::Value)];
        for (a, b) in pairs {
            let all_once = [a, b].iter().all(|it| once(*it, &given) && once(*it, &wanted));
            let (given_a, given_b) = (at(a, &given), at(b, &given));
            if all_once && given_a == at(b, &wanted) && given_b == at(a, &wanted) {
                let (Some(first), Some(second)) = (given_a, given_b) else { continue };
                let observed = format!(
                    "{}: {} is passed as {}, and {} as {}.",
                    self.text(call),
                    self.text(&args[first]),
                    names[first],
                    self.text(&args[second]),
                    names[second]
                );
                let fix = format!(
                    "{name}({})",
                    names.iter().take(args.len()).cloned().collect::<Vec<_>>().join(", ")
                );
                self.add(&MISTAKE, call, observed, &fix);
                return;
            }
        }
    }
}

impl<'a> Visitor<'a> for Search<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let name = match statement {
            Stmt::FunctionDef(function) => Some(function.name.to_string()),
            Stmt::ClassDef(class) => Some(class.name.to_string()),
            _ => None,
        };
        let is_block = name.is_some();
        self.within.extend(name);
        if let Stmt::ClassDef(class) = statement
            && let Some((range, observed)) = mixed_orders(class, self.source)
        {
            self.add(&samples_mixed::MISTAKE, &range, observed, "batch_first=True");
            if let Some(found) = self.found.last_mut() {
                found.title = "the samples of a batch are taken for its tokens";
            }
        }
        if let Stmt::Expr(expression) = statement
            && (is_call_of(&expression.value, "masked_fill")
                || self.masking.iter().any(|it| is_call_of(&expression.value, it)))
        {
            let observed = format!("{}: nothing takes the masked copy.", self.text(&*expression.value));
            self.add(
                &masked_copy_unused::MISTAKE,
                &*expression.value,
                observed,
                "masked_fill_, with the underscore",
            );
        }
        walk_stmt(self, statement);
        if is_block {
            self.within.pop();
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.call(call);
        }
        walk_expr(self, expression);
    }
}

fn is_call_of(expression: &Expr, name: &str) -> bool {
    let Expr::Call(call) = expression else { return false };
    match &*call.func {
        Expr::Attribute(attribute) => attribute.attr.as_str() == name,
        Expr::Name(called) => called.id.as_str() == name,
        _ => false,
    }
}

fn is_named(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}
