//! What the names of queries, keys, values and masks say, held against what is done with them: a projection that is
//! never called, keys where values belong, a mask that nothing reads.
//! Names are evidence of what is meant; where they say nothing, nothing is reported.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Operator, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

/// What an argument, a variable or a layer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Query,
    Key,
    Value,
}

impl Part {
    const ALL: [Part; 3] = [Part::Query, Part::Key, Part::Value];

    /// What a name says; none where it says nothing, or two things.
    pub(super) fn of(name: &str) -> Option<Part> {
        let name = name.to_lowercase();
        let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
        let is = |letter: &str, singular: &str, plural: &str| {
            let fits = |it: &&str| {
                let plain = it.trim_end_matches(|last: char| last.is_ascii_digit());
                [letter, singular, plural].contains(&plain)
                    || plain.strip_prefix(['x', 'w']) == Some(letter)
                    || plain.strip_suffix("proj").is_some_and(|it| it == letter)
            };
            words.iter().any(fits)
        };
        let found = [
            is("q", "query", "queries").then_some(Part::Query),
            is("k", "key", "keys").then_some(Part::Key),
            is("v", "value", "values").then_some(Part::Value),
        ];
        let mut parts = found.into_iter().flatten();
        parts.next().filter(|_| parts.next().is_none())
    }

    fn plural(self) -> &'static str {
        match self {
            Part::Query => "queries",
            Part::Key => "keys",
            Part::Value => "values",
        }
    }
}

/// What names and use disagree about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Projection,
    Mask,
    Scale,
}

/// Something that names and use disagree about.
pub(super) struct Disagreement {
    pub(super) subject: Subject,
    /// Where it is.
    pub(super) range: TextRange,
    /// The classes and functions around.
    pub(super) within: Vec<String>,
    /// What was seen.
    pub(super) observed: String,
    /// What would be right.
    pub(super) fix: String,
}

/// Looks for disagreements in the statements of a module.
pub(super) fn disagreements(source: &str, body: &[Stmt]) -> Vec<Disagreement> {
    let mut names = Names::default();
    body.iter().for_each(|statement| names.visit_stmt(statement));
    let mut search = Scopes { source, names, within: Vec::new(), found: Vec::new() };
    search.scope(body, &[]);
    body.iter().for_each(|statement| search.visit_stmt(statement));
    search.found
}

/// The names that are bound and read in some statements, those of attributes apart.
#[derive(Default)]
struct Names {
    bound: Vec<(String, TextRange)>,
    read: Vec<String>,
    attributes_bound: Vec<(String, TextRange)>,
    attributes_read: Vec<(String, TextRange)>,
    /// Buffers that are registered, and texts that may name an attribute.
    buffers: Vec<(String, TextRange)>,
    texts: Vec<String>,
    /// What classes are derived from.
    read_as_base: Vec<String>,
}

impl Names {
    fn reads(&self, name: &str) -> bool {
        self.read.iter().any(|it| it == name)
    }

    fn reads_attribute(&self, name: &str) -> bool {
        self.attributes_read.iter().any(|(it, _)| it == name) || self.texts.iter().any(|it| it == name)
    }
}

impl<'a> Visitor<'a> for Names {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Store => {
                self.bound.push((name.id.to_string(), name.range()));
            }
            Expr::Name(name) => self.read.push(name.id.to_string()),
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Store => {
                self.attributes_bound.push((attribute.attr.to_string(), attribute.range()));
            }
            Expr::Attribute(attribute) => {
                self.attributes_read.push((attribute.attr.to_string(), attribute.range()));
            }
            Expr::Call(call) => {
                let is_buffer =
                    matches!(&*call.func, Expr::Attribute(it) if it.attr.as_str() == "register_buffer");
                if let (true, Some(Expr::StringLiteral(name))) = (is_buffer, call.arguments.args.first()) {
                    self.buffers.push((name.value.to_str().to_owned(), call.range()));
                    call.arguments.args.iter().skip(1).for_each(|it| self.visit_expr(it));
                    return;
                }
            }
            Expr::StringLiteral(text) => self.texts.push(text.value.to_str().to_owned()),
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        // `total += x` reads what it binds.
        if let Stmt::AugAssign(assign) = statement
            && let Expr::Name(name) = &*assign.target
        {
            self.read.push(name.id.to_string());
        }
        if let Stmt::ClassDef(StmtClassDef { arguments: Some(arguments), .. }) = statement {
            let bases = arguments.args.iter().filter_map(Expr::as_name_expr);
            self.read_as_base.extend(bases.map(|it| it.id.to_string()));
        }
        walk_stmt(self, statement);
    }
}

struct Scopes<'s> {
    source: &'s str,
    /// Those of the whole module.
    names: Names,
    within: Vec<String>,
    found: Vec<Disagreement>,
}

impl Scopes<'_> {
    fn add(&mut self, subject: Subject, range: TextRange, observed: String, fix: &str) {
        let within = self.within.clone();
        self.found.push(Disagreement { subject, range, within, observed, fix: fix.to_owned() });
    }

    fn text(&self, range: TextRange) -> &str {
        &self.source[range]
    }

    /// The statements of a function with these parameters, or of the module.
    fn scope(&mut self, body: &[Stmt], parameters: &[(String, TextRange)]) {
        let mut own = Names::default();
        body.iter().for_each(|statement| own.visit_stmt(statement));
        let bound = || parameters.iter().chain(&own.bound);
        let has = |part: Part| bound().any(|(name, _)| Part::of(name) == Some(part));
        let before = self.found.len();
        let has_all = Part::ALL.map(has);
        let mut products = Products { has: has_all, source: self.source, found: Vec::new(), count: 0 };
        // Those of functions inside are scopes of their own.
        for statement in body {
            if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                products.visit_stmt(statement);
            }
        }
        let count = products.count;
        for (range, observed, fix) in products.found {
            self.add(Subject::Projection, range, observed, fix);
        }
        for statement in body {
            if let Stmt::Assign(assign) = statement
                && let [target] = assign.targets.as_slice()
            {
                self.mismatched(target, &assign.value);
            }
        }
        // In a function that has all three, one that nothing reads.
        let is_function = !self.within.is_empty();
        let unread = Part::ALL.into_iter().find_map(|part| {
            let of_part = |(name, _): &&(String, TextRange)| Part::of(name) == Some(part) && !own.reads(name);
            let passed = || parameters.iter().filter(|(name, _)| Part::of(name) == Some(part)).count();
            let all_unread =
                bound().filter(|(name, _)| Part::of(name) == Some(part)).all(|(name, _)| !own.reads(name));
            let first = own.bound.iter().find(of_part).filter(|_| passed() == 0).or_else(|| {
                let mut names = bound().filter(of_part);
                names.next().filter(|_| all_unread)
            })?;
            Some((part, first.clone()))
        });
        let uses = own.attributes_read.iter().any(|(name, _)| is_attention(name)) || own.reads("softmax");
        if let (true, true, Some((part, (name, range))), true) =
            (is_function && has_all == [true; 3], self.found.len() == before, unread, uses)
        {
            let observed =
                format!("{name}, the {}, are computed or passed, and nothing reads them.", part.plural());
            self.add(
                Subject::Projection,
                range,
                observed,
                "softmax(queries @ keys.transpose(-2, -1)) @ values",
            );
        }
        if is_function {
            self.unread_masks(&own, parameters, uses || count > 1);
        }
    }

    /// Masks that are made or passed and never read.
    fn unread_masks(&mut self, own: &Names, parameters: &[(String, TextRange)], computes: bool) {
        let fix = "scores = scores.masked_fill(mask, -torch.inf), before the softmax";
        let unread = |name: &str| !own.reads(name) && !name.starts_with('_');
        if !computes {
            // A triangle is a causal mask, whatever the function is called.
            let is_triangle = |range| is_triangle(self.statement_at(range));
            let made = own.bound.iter().find(|(name, range)| unread(name) && is_triangle(*range)).cloned();
            if let Some((name, range)) = made {
                let observed = format!("{name} is made, and nothing reads it.");
                self.add(Subject::Mask, range, observed, fix);
            }
            return;
        }
        let passed = parameters.iter().find(|(name, _)| name.to_lowercase().contains("mask") && unread(name));
        if let Some((name, range)) = passed {
            self.add(Subject::Mask, *range, format!("{name} is a parameter, and nothing reads it."), fix);
        }
        // `x, mask = batch` binds what came with the batch.
        let is_made = |name: &str, range| {
            let statement = self.statement_at(range);
            let is_alone = statement[name.len()..].trim_start().starts_with('=');
            is_alone && is_mask(name) || is_of_mask(statement)
        };
        let made = own.bound.iter().find(|(name, range)| unread(name) && is_made(name, *range));
        if let Some((name, range)) = made {
            let observed = format!("{name} is made, and nothing reads it.");
            self.add(Subject::Mask, *range, observed, fix);
        }
        let scale = own.bound.iter().find(|(name, _)| is_scale(name) && unread(name));
        if let Some((name, range)) = scale {
            let observed = format!("{name} is computed, and nothing reads it: the scores are not scaled.");
            self.add(Subject::Scale, *range, observed, "scores * scale, before the softmax");
        }
    }

    /// The rest of the line of a name that is bound.
    fn statement_at(&self, range: TextRange) -> &str {
        let start = usize::from(range.start());
        self.source[start..].lines().next().unwrap_or("")
    }

    /// `k = self.W_query(x)`: what it is called is not what computes it, and the layer of that name is not called here.
    fn mismatched(&mut self, target: &Expr, value: &Expr) {
        let pairs: Vec<(&Expr, &Expr)> = match (target, value) {
            (Expr::Tuple(targets), Expr::Tuple(values)) => targets.elts.iter().zip(&values.elts).collect(),
            (Expr::Tuple(targets), Expr::Generator(made)) => match made.generators.first().map(|it| &it.iter)
            {
                Some(Expr::Tuple(from)) => targets.elts.iter().zip(&from.elts).collect(),
                Some(Expr::List(from)) => targets.elts.iter().zip(&from.elts).collect(),
                _ => return,
            },
            (Expr::Tuple(targets), Expr::ListComp(made)) => {
                match made.generators.first().map(|it| &it.iter) {
                    Some(Expr::Tuple(from)) => targets.elts.iter().zip(&from.elts).collect(),
                    Some(Expr::List(from)) => targets.elts.iter().zip(&from.elts).collect(),
                    _ => return,
                }
            }
            (target @ Expr::Name(_), value) => vec![(target, value)],
            _ => return,
        };
        for (target, value) in pairs {
            let Expr::Name(name) = target else { continue };
            let Some(part) = Part::of(name.id.as_str()) else { continue };
            let mut called = Names::default();
            called.visit_expr(value);
            let mut layers = called.attributes_read.iter().filter_map(|(layer, range)| {
                let other = Part::of(layer)?;
                self.names
                    .attributes_bound
                    .iter()
                    .any(|(bound, _)| bound == layer)
                    .then_some((layer, other, *range))
            });
            let (Some((layer, other, range)), None) = (layers.next(), layers.next()) else { continue };
            // The layer of that name exists.
            let meant = self.names.attributes_bound.iter().find(|(bound, _)| {
                Part::of(bound) == Some(part)
                    && bound.len() == layer.len() + part_length(bound) - part_length(layer)
            });
            let Some((meant, _)) = meant.filter(|_| other != part) else { continue };
            let observed =
                format!("{} are the result of self.{layer}, and self.{meant} is there for them.", name.id);
            let fix = format!("{} = self.{meant}(...)", name.id);
            self.add(Subject::Projection, range, observed, &fix);
        }
    }

    /// Whether a class reads its buffer, or another class may: one that is derived from it, or one that asks for it by
    /// another name than `self`.
    fn reads_buffer(&self, class: &StmtClassDef, own: &Names, name: &str) -> bool {
        let is_base = self.names.read_as_base.iter().any(|it| it == class.name.as_str());
        let from_outside = self.names.attributes_read.iter().any(|(it, range)| {
            it == name && !self.source[..usize::from(range.end())].ends_with(&format!("self.{name}"))
        });
        own.reads_attribute(name) || from_outside || is_base && self.names.reads_attribute(name)
    }

    /// Layers and buffers of a class that nothing reads.
    fn class(&mut self, class: &StmtClassDef) {
        let mut own = Names::default();
        class.body.iter().for_each(|statement| own.visit_stmt(statement));
        let layers: Vec<(Part, &String, TextRange)> = own
            .attributes_bound
            .iter()
            .filter_map(|(name, range)| Some((Part::of(name)?, name, *range)))
            .collect();
        let is_read = |name: &str| self.names.reads_attribute(name);
        let all = Part::ALL.into_iter().all(|part| layers.iter().any(|(it, ..)| *it == part));
        let unread = layers.iter().find(|(_, name, _)| !is_read(name));
        let others = layers.iter().filter(|(_, name, _)| is_read(name)).count();
        let mut found = Vec::new();
        if let (true, Some((part, name, range))) = (all && others >= 2, unread) {
            // A layer that is called twice is called in its place.
            let twice = layers.iter().find_map(|(_, other, _)| {
                own.attributes_read.iter().filter(|(it, _)| it == *other).nth(1).map(|it| (other, it.1))
            });
            let place = twice.map_or(*range, |(_, place)| place);
            let instead =
                twice.map(|(other, _)| format!(", and self.{other} is called twice")).unwrap_or_default();
            let observed =
                format!("self.{name}, the projection of the {}, is never called{instead}.", part.plural());
            found.push((Subject::Projection, place, observed, format!("self.{name}(...)")));
        }
        for (name, range) in &own.buffers {
            if is_of_mask(self.text(*range)) && !self.reads_buffer(class, &own, name) {
                let observed = format!("self.{name} is registered, and nothing reads it.");
                found.push((
                    Subject::Mask,
                    *range,
                    observed,
                    "scores.masked_fill(mask, -torch.inf)".to_owned(),
                ));
            }
        }
        let scale = own.attributes_bound.iter().find(|(name, _)| is_scale(name) && !is_read(name));
        if let Some((name, range)) = scale {
            let observed =
                format!("self.{name} is computed, and nothing reads it: the scores are not scaled.");
            found.push((
                Subject::Scale,
                *range,
                observed,
                format!("scores * self.{name}, before the softmax"),
            ));
        }
        for (subject, range, observed, fix) in found {
            self.add(subject, range, observed, &fix);
        }
    }
}

impl<'a> Visitor<'a> for Scopes<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(StmtFunctionDef { name, parameters, body, .. }) => {
                self.within.push(name.to_string());
                let parameters: Vec<(String, TextRange)> = parameters
                    .iter_non_variadic_params()
                    .map(|it| (it.parameter.name.to_string(), it.parameter.name.range()))
                    .collect();
                self.scope(body, &parameters);
                walk_stmt(self, statement);
                self.within.pop();
            }
            Stmt::ClassDef(class) => {
                self.within.push(class.name.to_string());
                self.class(class);
                walk_stmt(self, statement);
                self.within.pop();
            }
            _ => walk_stmt(self, statement),
        }
    }
}

/// Products whose operands' names disagree with what they are multiplied for.
struct Products<'s> {
    /// Whether queries, keys, values are bound here.
    has: [bool; 3],
    source: &'s str,
    found: Vec<(TextRange, String, &'static str)>,
    count: usize,
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
        let may_be_weights = from.is_none() && !is_matrix && !has_part(left, Part::Query) && !is_rotation;
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

/// The length of the word in a name that says what it is for.
fn part_length(name: &str) -> usize {
    let name = name.to_lowercase();
    let words = ["queries", "values", "query", "value", "keys", "key"];
    words.iter().find(|word| name.contains(*word)).map_or(1, |word| word.len())
}

fn is_triangle(code: &str) -> bool {
    code.contains("triu") || code.contains("tril")
}

/// Whether code makes a mask.
fn is_of_mask(code: &str) -> bool {
    is_triangle(code) || code.contains("mask(") || code.contains("arange") && code.contains("None")
}

/// Whether a name is that of a mask: `mask_bool`, `causal_mask`.
fn is_mask(name: &str) -> bool {
    name.to_lowercase().split('_').any(|word| matches!(word, "mask" | "masks" | "causal" | "tril" | "triu"))
}

/// Whether a name is that of the factor of scores.
fn is_scale(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "scale" | "scaling" | "softmax_scale" | "sqrt_d" | "scale_factor")
}

/// Whether a function of this name is a part of attention.
fn is_attention(name: &str) -> bool {
    matches!(name, "softmax" | "Softmax" | "scaled_dot_product_attention")
}
