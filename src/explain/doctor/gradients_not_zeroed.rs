//! Training loops in which nothing sets the gradients to zero: `backward()` then adds to those of all steps before.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Operator, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::factors::{base_name, last_name};
use super::mistake::{Detector, Mistake};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A804",
    name: "gradients-not-zeroed",
    title: "each step follows the gradients of all steps before",
    why: "backward() adds to the gradients that are there. Without zero_grad() a step follows the sum of all gradients so \
          far: the steps become too long, and the loss swings or grows.",
    implied_by: &[],
    detector: Detector::Syntax,
};

/// A loop of this kind: where it calls `backward`, and what was seen.
pub(super) struct LoopFound {
    pub(super) range: TextRange,
    pub(super) observed: String,
    pub(super) fix: String,
}

/// Looks for such loops in a module. What a called function of the module does counts as done by the loop.
pub(super) fn loops(source: &str, body: &[Stmt]) -> Vec<LoopFound> {
    let mut program = Program::default();
    body.iter().for_each(|statement| program.visit_stmt(statement));
    let functions: Vec<(&str, Done)> =
        program.functions.iter().map(|(name, body)| (*name, Done::of(body, &program.optimizers))).collect();
    let mut found: Vec<LoopFound> = Vec::new();
    for block in &program.loops {
        let mut done = Done::of(block, &program.optimizers);
        let called: Vec<&Done> =
            functions.iter().filter(|(name, _)| done.called.contains(name)).map(|(_, it)| it).collect();
        if done.clears || called.iter().any(|it| it.clears) {
            continue;
        }
        // A function that trains is what the loop repeats.
        if done.backward.is_none() || done.step.is_none() {
            let Some(trains) = called.iter().find(|it| it.backward.is_some() && it.step.is_some()) else {
                continue;
            };
            done = (*trains).clone();
        }
        let (Some(backward), Some((step, optimizer))) = (done.backward, done.step) else { continue };
        // An optimizer, or parameters, made anew in each turn have no gradients yet.
        if optimizer.is_some_and(|it| done.bound.contains(&it)) || found.iter().any(|it| it.range == backward)
        {
            continue;
        }
        let optimizer = &source[step];
        let observed = format!(
            "The loop repeats {} and {optimizer}, and nothing in it sets the gradients to zero.",
            &source[backward]
        );
        let fix = match optimizer.strip_suffix(".step()") {
            Some(name) => format!("{name}.zero_grad() before {}", &source[backward]),
            None => "set each .grad to None after the step".to_owned(),
        };
        found.push(LoopFound { range: backward, observed, fix });
    }
    found
}

/// The innermost loops that train, the functions, and the names of the optimizers of a module.
#[derive(Default)]
struct Program<'a> {
    loops: Vec<&'a [Stmt]>,
    functions: Vec<(&'a str, &'a [Stmt])>,
    optimizers: HashSet<&'a str>,
}

impl<'a> Visitor<'a> for Program<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assign) => {
                if let ([target], Expr::Call(call)) = (assign.targets.as_slice(), &*assign.value)
                    && let (Some(name), Some(made)) = (last_name(target), last_name(&call.func))
                    && (OPTIMIZERS.contains(&made) || made.to_lowercase().contains("optim"))
                {
                    self.optimizers.insert(name);
                }
            }
            Stmt::FunctionDef(function) => self.functions.push((function.name.as_str(), &function.body)),
            _ => {}
        }
        let before = self.loops.len();
        walk_stmt(self, statement);
        let (Stmt::For(ruff_python_ast::StmtFor { body, .. })
        | Stmt::While(ruff_python_ast::StmtWhile { body, .. })) = statement
        else {
            return;
        };
        // The innermost one that has both; one that only calls what has both is looked at too.
        let has_both = |body: &[Stmt]| {
            let done = Done::of(body, &HashSet::new());
            done.backward.is_some() && done.steps
        };
        if !self.loops[before..].iter().any(|inner| has_both(inner)) {
            self.loops.truncate(before);
            self.loops.push(body);
        }
    }
}

/// The optimizers of `torch.optim` whose names do not say that they are some.
const OPTIMIZERS: [&str; 12] = [
    "SGD",
    "Adam",
    "AdamW",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "RMSprop",
    "Rprop",
    "ASGD",
    "SparseAdam",
];

/// What the statements of a loop or function do with gradients.
#[derive(Clone, Default)]
struct Done<'a> {
    backward: Option<TextRange>,
    /// What uses the gradients, and the name that has to be bound before.
    step: Option<(TextRange, Option<&'a str>)>,
    /// Something is called `step`, whosever it is.
    steps: bool,
    clears: bool,
    bound: HashSet<&'a str>,
    called: HashSet<&'a str>,
    optimizers: HashSet<&'a str>,
}

impl<'a> Done<'a> {
    fn of(body: &'a [Stmt], optimizers: &HashSet<&'a str>) -> Done<'a> {
        let mut done = Done { optimizers: optimizers.clone(), ..Done::default() };
        body.iter().for_each(|statement| done.visit_stmt(statement));
        done
    }

    fn call(&mut self, call: &'a ExprCall) {
        let Expr::Attribute(attribute) = &*call.func else {
            self.called.extend(last_name(&call.func));
            return;
        };
        let method = attribute.attr.as_str();
        self.called.insert(method);
        match method {
            "backward" => {
                self.backward.get_or_insert(call.range());
            }
            "zero_grad" => self.clears = true,
            "zero_" | "fill_" | "detach_" if is_gradient(&attribute.value) => self.clears = true,
            "step" => {
                self.steps = true;
                let name = last_name(&attribute.value);
                let is_optimizer =
                    |it: &&str| self.optimizers.contains(it) || it.to_lowercase().starts_with("opt");
                if name.filter(is_optimizer).is_some() {
                    self.step.get_or_insert((call.range(), base_name(&attribute.value)));
                }
            }
            "sub_" | "add_" if call.arguments.args.iter().any(reads_gradient) => {
                self.steps = true;
                self.step.get_or_insert((call.range(), base_name(&attribute.value)));
            }
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Done<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // What a function does is done where it is called.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            Stmt::Assign(assign) => {
                self.clears |= assign.targets.iter().any(is_gradient);
                self.bound.extend(assign.targets.iter().filter_map(last_name));
            }
            Stmt::AugAssign(assign) if is_gradient(&assign.target) => self.clears = true,
            Stmt::AugAssign(assign) if assign.op == Operator::Sub && reads_gradient(&assign.value) => {
                self.steps = true;
                self.step.get_or_insert((assign.range(), base_name(&assign.target)));
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.call(call);
        }
        walk_expr(self, expression);
    }
}

fn is_gradient(expression: &Expr) -> bool {
    expression.as_attribute_expr().is_some_and(|it| it.attr.as_str() == "grad")
}

fn reads_gradient(expression: &Expr) -> bool {
    struct Reads(bool);
    impl<'a> Visitor<'a> for Reads {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.0 |= is_gradient(expression);
            walk_expr(self, expression);
        }
    }
    let mut reads = Reads(false);
    reads.visit_expr(expression);
    reads.0
}
