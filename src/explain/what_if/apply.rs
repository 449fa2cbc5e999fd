//! Changes made while cells run: code that reads otherwise, and values set right after they are made.
//! Lines keep their numbers: a cell is run in parts, each where it stands.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextRange};

use super::change::{indices, root_of};
use super::{Change, Names, Setting};
use crate::explain::terms::figure;
use crate::session::{Outcome, Session};

/// The changes on their way through the cells.
pub(super) struct Applied {
    changes: Vec<(Change, Setting)>,
    /// The cells' names, and their sources as edited.
    cells: Vec<(String, String)>,
}

impl Applied {
    /// Makes the edits; settings wait for the cells that make what they set. Errors: an edit that fits nowhere.
    pub(super) fn new(changes: &[Change], cells: &[(String, String)]) -> Result<Applied, String> {
        let mut applied = Applied { changes: Vec::new(), cells: cells.to_vec() };
        for change in changes {
            let setting = match change {
                Change::Seed(seed) => applied.seed(*seed)?,
                Change::Edit { cell, old, new } => applied.edit(cell.as_deref(), old, new)?,
                Change::Set { target, .. } => Setting { place: target.clone(), ..Setting::default() },
                // Resolved before.
                Change::Token { .. } | Change::Drop(_) => Setting::default(),
            };
            applied.changes.push((change.clone(), setting));
        }
        Ok(applied)
    }

    fn seed(&mut self, seed: i64) -> Result<Setting, String> {
        let mut setting =
            Setting { place: "torch.manual_seed".to_owned(), after: seed.to_string(), ..Setting::default() };
        let mut before: Vec<String> = Vec::new();
        for (name, source) in &mut self.cells {
            let Ok(parsed) = parse_module(source) else { continue };
            let mut seeds = Seeds(Vec::new());
            seeds.visit_body(&parsed.syntax().body);
            if !seeds.0.is_empty() {
                setting.at.push(name.clone());
            }
            // From the last to the first, so that places stay good.
            for range in seeds.0.into_iter().rev() {
                before.push(source[range].to_owned());
                source.replace_range(std::ops::Range::<usize>::from(range), &seed.to_string());
            }
        }
        before.sort();
        before.dedup();
        setting.before = before.join(", ");
        match setting.at.is_empty() {
            true => Err(format!("--seed {seed} changes nothing: no torch.manual_seed runs here")),
            false => Ok(setting),
        }
    }

    fn edit(&mut self, cell: Option<&str>, old: &str, new: &str) -> Result<Setting, String> {
        let named = |name: &str| cell.is_none_or(|cell| name == cell);
        let found: Vec<(usize, usize)> = self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| named(name))
            .map(|(at, (_, source))| (at, source.matches(old).count()))
            .filter(|(_, count)| *count > 0)
            .collect();
        let places = || {
            let place = |(at, count): &(usize, usize)| match count {
                1 => self.cells[*at].0.clone(),
                many => format!("{} ({many} times)", self.cells[*at].0),
            };
            found.iter().map(place).collect::<Vec<_>>().join(", ")
        };
        let ran = || self.cells.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        match (found.as_slice(), cell) {
            ([], Some(cell)) if self.cells.iter().all(|(name, _)| name != cell) => {
                Err(format!("no cell called {cell} runs here; there are: {}", ran()))
            }
            ([], Some(cell)) => Err(format!("`{old}` does not stand in {cell}")),
            ([], None) => Err(format!("`{old}` stands in none of the cells that run: {}", ran())),
            ([(at, 1)], _) => {
                let (name, source) = &mut self.cells[*at];
                *source = source.replacen(old, new, 1);
                Ok(Setting {
                    place: "code".to_owned(),
                    before: old.to_owned(),
                    after: new.to_owned(),
                    at: vec![name.clone()],
                    ..Setting::default()
                })
            }
            _ => Err(format!(
                "`{old}` stands in several places: {}. Name the cell, and enough of the code: {}: {old} => {new}",
                places(),
                found.first().map_or("", |(at, _)| &self.cells[*at].0)
            )),
        }
    }

    /// Runs one cell with the changes. Errors: a setting that does not fit what it sets.
    pub(super) fn run(
        &mut self,
        at: usize,
        session: &mut Session,
        names: &dyn Names,
    ) -> Result<Outcome, String> {
        let (name, source) = self.cells[at].clone();
        let roots: Vec<String> = self.changes.iter().filter_map(|(change, _)| root(change)).collect();
        let mut whole = Outcome::default();
        for part in parts(&source, &roots) {
            let outcome = session.run(&part.source, &name);
            whole.stdout.push_str(&outcome.stdout);
            whole.stderr.push_str(&outcome.stderr);
            whole.result = outcome.result;
            whole.elapsed += outcome.elapsed;
            whole.error = outcome.error;
            if whole.error.is_some() {
                return Ok(whole);
            }
            for (change, setting) in &mut self.changes {
                if let Some(line) = root(change).and_then(|root| part.makes(&root)) {
                    set(change, setting, &name, line, session, names)?;
                }
            }
        }
        Ok(whole)
    }

    /// Errors: a setting whose variable nobody makes; `near` gives the nearest names.
    pub(super) fn all_made(&self, near: &dyn Fn(&str) -> Vec<String>) -> Result<(), String> {
        for (change, setting) in &self.changes {
            let Some(root) = root(change).filter(|_| setting.at.is_empty()) else { continue };
            let inside = self.cells.iter().find_map(|(_, source)| function_binding(source, &root));
            let near = near(&root);
            let near = match near.as_slice() {
                [] => String::new(),
                names => format!("; the nearest: {}", names.join(", ")),
            };
            return Err(match inside {
                Some(function) => format!(
                    "{root} is bound only inside {function}, where it is made anew with each call: change the code \
                     there (--edit 'OLD => NEW'){near}"
                ),
                None => format!("no cell that runs here binds {root}{near}"),
            });
        }
        Ok(())
    }

    /// The changes as they took effect.
    pub(super) fn settings(&self) -> Vec<Setting> {
        self.changes.iter().map(|(_, setting)| setting.clone()).collect()
    }

    /// The token that was left out: where, and of how many.
    pub(super) fn dropped(&self) -> Option<(usize, usize)> {
        self.changes.iter().find_map(|(change, _)| match change {
            Change::Set { drops, .. } => *drops,
            _ => None,
        })
    }
}

fn root(change: &Change) -> Option<String> {
    match change {
        Change::Set { root, .. } => Some(root.clone()),
        _ => None,
    }
}

/// Sets a value in the session. Errors: it does not fit, the first time.
fn set(
    change: &Change,
    setting: &mut Setting,
    cell: &str,
    line: usize,
    session: &mut Session,
    names: &dyn Names,
) -> Result<(), String> {
    let Change::Set { target, root, value, listed, drops } = change else { return Ok(()) };
    let before = session.tensor(target).ok().flatten();
    let shown = |session: &mut Session| text_of(target, session);
    let old = shown(session);
    let value = match (listed, &before) {
        (true, Some(_)) => format!("__import__('torch').tensor({value}).to({target}.dtype)"),
        _ => value.clone(),
    };
    let code = format!("with __import__('torch').no_grad():\n    {target} = {value}");
    let outcome = session.run(&code, "what-if");
    if let Some(raised) = outcome.error {
        let shape = session
            .tensor(root)
            .ok()
            .flatten()
            .map(|tensor| crate::tensor::show::shape_in_formula(tensor.shape()));
        let shape = shape.map(|shape| format!("; {root} is {shape} there")).unwrap_or_default();
        let words =
            format!("{target} = {value} does not fit in {cell}: {}: {}{shape}", raised.kind, raised.message);
        if setting.at.is_empty() {
            return Err(words);
        }
        setting.remarks.push(words);
        return Ok(());
    }
    if setting.at.is_empty() {
        setting.before = old;
        setting.after = shown(session);
        let naming = session.tensor(root).ok().flatten().map(|tensor| names.naming(root, tensor.shape()));
        setting.words = match (drops, naming) {
            (Some((at, _)), _) => {
                names.tokens().get(*at).map_or_else(String::new, |word| format!("without \"{word}\""))
            }
            (None, Some(naming)) => naming.place(&indices(target)),
            _ => String::new(),
        };
    }
    match setting.at.last() {
        Some(last) if last == cell => {}
        Some(last) => {
            setting
                .remarks
                .push(format!("{cell}, line {line}, makes {root} anew: {target} is set there again"));
            let _ = last;
            setting.at.push(cell.to_owned());
        }
        None => setting.at.push(cell.to_owned()),
    }
    Ok(())
}

/// A value in short: a number, a few numbers, a shape.
fn text_of(target: &str, session: &mut Session) -> String {
    if let Ok(Some(tensor)) = session.tensor(target) {
        let values = tensor.to_f64_vec();
        return match (tensor.ndim(), values.len()) {
            (0, _) => figure(values[0]),
            (_, 2..) if values.iter().all(|value| *value == values[0]) => {
                format!("all {}", figure(values[0]))
            }
            (1, ..=6) => {
                format!("[{}]", values.iter().map(|value| figure(*value)).collect::<Vec<_>>().join(", "))
            }
            _ => crate::tensor::show::shape_in_formula(tensor.shape()),
        };
    }
    let text = session.evaluate(target, |value, vm| value.repr(vm).map(|text| text.to_string()).ok());
    let text = text.ok().flatten().unwrap_or_default();
    match text.chars().count() {
        ..=40 => text,
        _ => format!("{}…", text.chars().take(40).collect::<String>()),
    }
}

/// A part of a cell that is run on its own.
struct Part {
    /// Empty lines, then the code: its lines have the numbers they have in the cell.
    source: String,
    /// The variables that its last statements make, with the line.
    made: Vec<(String, usize)>,
}

impl Part {
    fn makes(&self, root: &str) -> Option<usize> {
        self.made.iter().find(|(made, _)| made == root).map(|(_, line)| *line)
    }
}

/// A cell parted after each statement that makes or writes one of these variables.
fn parts(source: &str, roots: &[String]) -> Vec<Part> {
    let whole = |made| vec![Part { source: source.to_owned(), made }];
    let Ok(parsed) = parse_module(source) else {
        // Lines of the notebook's own language: what the cell makes is set when it has run.
        let mentioned = roots.iter().filter(|root| source.contains(root.as_str()));
        return whole(mentioned.map(|root| (root.clone(), 1)).collect());
    };
    let line_of = |offset: usize| source[..offset].matches('\n').count();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut made: Vec<(String, usize)> = Vec::new();
    let body = &parsed.syntax().body;
    for (at, statement) in body.iter().enumerate() {
        let first = line_of(statement.start().to_usize());
        made.extend(roots.iter().filter(|root| makes(statement, root)).map(|root| (root.clone(), first + 1)));
        let end = statement.end().to_usize();
        let next = body.get(at + 1).map(|next| next.start().to_usize());
        let on_its_own = next.is_none_or(|next| line_of(next) > line_of(end));
        if !made.is_empty() && on_its_own {
            let stop = match next {
                Some(_) => source[end..].find('\n').map_or(source.len(), |to| end + to + 1),
                None => source.len(),
            };
            parts.push(Part { source: placed(source, start, stop), made: std::mem::take(&mut made) });
            start = stop;
        }
    }
    if start < source.len() || parts.is_empty() {
        parts.push(Part { source: placed(source, start, source.len()), made });
    }
    parts
}

fn placed(source: &str, start: usize, stop: usize) -> String {
    "\n".repeat(source[..start].matches('\n').count()) + &source[start..stop]
}

/// Whether a statement binds a variable of the cell, or writes into it.
fn makes(statement: &Stmt, root: &str) -> bool {
    let target = |target: &Expr| bound_in(target, root);
    let any = |body: &[Stmt]| body.iter().any(|inner| makes(inner, root));
    match statement {
        Stmt::Assign(assign) => assign.targets.iter().any(target),
        Stmt::AugAssign(assign) => target(&assign.target),
        Stmt::AnnAssign(assign) => assign.value.is_some() && target(&assign.target),
        Stmt::For(looped) => target(&looped.target) || any(&looped.body) || any(&looped.orelse),
        Stmt::While(looped) => any(&looped.body) || any(&looped.orelse),
        Stmt::If(branch) => {
            any(&branch.body) || branch.elif_else_clauses.iter().any(|clause| any(&clause.body))
        }
        Stmt::With(block) => {
            block.items.iter().filter_map(|item| item.optional_vars.as_deref()).any(target)
                || any(&block.body)
        }
        Stmt::Try(block) => any(&block.body) || any(&block.orelse) || any(&block.finalbody),
        Stmt::FunctionDef(function) => function.name.as_str() == root,
        Stmt::ClassDef(class) => class.name.as_str() == root,
        // `x.fill_(0)` writes into x.
        Stmt::Expr(expression) => match &*expression.value {
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) => {
                    let name = method.attr.as_str();
                    name.ends_with('_')
                        && !name.starts_with('_')
                        && root_of(&method.value).as_deref() == Some(root)
                }
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

fn bound_in(target: &Expr, root: &str) -> bool {
    match target {
        Expr::Tuple(tuple) => tuple.elts.iter().any(|element| bound_in(element, root)),
        Expr::List(list) => list.elts.iter().any(|element| bound_in(element, root)),
        Expr::Starred(starred) => bound_in(&starred.value, root),
        other => root_of(other).as_deref() == Some(root),
    }
}

/// The first arguments of calls of `manual_seed`.
struct Seeds(Vec<TextRange>);

impl<'a> Visitor<'a> for Seeds {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let seeds = match &*call.func {
                Expr::Attribute(method) => method.attr.as_str() == "manual_seed",
                Expr::Name(name) => name.id.as_str() == "manual_seed",
                _ => false,
            };
            let seed = call.arguments.args.first().map(Ranged::range);
            self.0.extend(seed.filter(|_| seeds));
        }
        walk_expr(self, expression);
    }
}

/// The function or class method that binds a name of its own.
fn function_binding(source: &str, name: &str) -> Option<String> {
    fn within(body: &[Stmt], name: &str, path: &str) -> Option<String> {
        body.iter().find_map(|statement| match statement {
            Stmt::ClassDef(class) => within(&class.body, name, &format!("{path}{}.", class.name)),
            Stmt::FunctionDef(function) => {
                let parameter = function.parameters.iter().any(|parameter| parameter.name().as_str() == name);
                let binds = parameter || function.body.iter().any(|inner| makes(inner, name));
                binds.then(|| format!("{path}{}", function.name))
            }
            _ => None,
        })
    }
    within(&parse_module(source).ok()?.syntax().body, name, "")
}

/// Names that these cells bind as the variables of their loops and nowhere else: they are no results.
pub(super) fn counters(cells: &[(String, String)]) -> Vec<String> {
    let mut counters = Vec::new();
    let mut others = Vec::new();
    for (_, source) in cells {
        let Ok(parsed) = parse_module(source) else { continue };
        for statement in &parsed.syntax().body {
            looped(statement, &mut counters, &mut others);
        }
    }
    counters.retain(|name| !others.contains(name));
    counters
}

fn looped(statement: &Stmt, counters: &mut Vec<String>, others: &mut Vec<String>) {
    match statement {
        Stmt::For(block) => {
            names_in(&block.target, counters);
            block.body.iter().for_each(|inner| looped(inner, counters, others));
        }
        Stmt::Assign(assign) => assign.targets.iter().for_each(|target| names_in(target, others)),
        Stmt::With(block) => block.body.iter().for_each(|inner| looped(inner, counters, others)),
        Stmt::If(block) => block.body.iter().for_each(|inner| looped(inner, counters, others)),
        _ => {}
    }
}

fn names_in(target: &Expr, names: &mut Vec<String>) {
    match target {
        Expr::Name(name) => names.push(name.id.to_string()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| names_in(element, names)),
        Expr::List(list) => list.elts.iter().for_each(|element| names_in(element, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_parted_after_what_makes_a_variable() {
        let source = "a = 1\nb = [\n  2,\n]; c = 3\nfor i in b:\n    a = i\nprint(a)";
        let made = |roots: &[&str]| {
            let roots: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
            let parts = parts(source, &roots);
            parts.iter().map(|part| (part.source.clone(), part.made.len())).collect::<Vec<_>>()
        };
        assert_eq!(made(&["z"]), [(source.to_owned(), 0)]);
        let expected = [
            ("a = 1\n".to_owned(), 1),
            ("\nb = [\n  2,\n]; c = 3\nfor i in b:\n    a = i\n".to_owned(), 1),
            ("\n\n\n\n\n\nprint(a)".to_owned(), 0),
        ];
        assert_eq!(made(&["a"]), expected);
        // Two statements on one line stay together.
        assert_eq!(made(&["b"])[0].0, "a = 1\nb = [\n  2,\n]; c = 3\n");
    }
}
