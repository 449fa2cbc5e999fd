//! What the names of queries, keys, values and masks say, held against what is done with them: a projection that is
//! never called, keys where values belong, a mask that nothing reads.
//! Names are evidence of what is meant; where they say nothing, nothing is reported.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::factors::base_name;
use super::names_read::{ModuleReads, Names, Part, each_statement};
use super::products::Products;
use super::scores_read::{Uncalled, hides_nothing, scores_used, uncalled};

/// What names and use disagree about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Projection,
    Mask,
    Scale,
    Weights,
    Tied,
}

/// Something that names and use disagree about.
pub(super) struct Disagreement {
    pub(super) subject: Subject,
    pub(super) range: TextRange,
    /// The classes and functions around.
    pub(super) within: Vec<String>,
    pub(super) observed: String,
    /// What would be right.
    pub(super) fix: String,
}

/// Looks for disagreements in the statements of a module.
pub(super) fn disagreements(source: &str, body: &[Stmt]) -> Vec<Disagreement> {
    let mut names = Names::default();
    body.iter().for_each(|statement| names.visit_stmt(statement));
    let mut search = Scopes { source, names, within: Vec::new(), found: Vec::new() };
    match uncalled(source, body, &search.names) {
        Some(Uncalled::Softmax(range, observed)) => {
            search.add(Subject::Weights, range, observed, "weights = softmax(scores)");
        }
        Some(Uncalled::Mask(range, observed)) => {
            search.add(Subject::Mask, range, observed, "mask the scores, before the softmax");
        }
        None => {}
    }
    search.scope(body, &[]);
    body.iter().for_each(|statement| search.visit_stmt(statement));
    search.found
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
        for statement in each_statement(body) {
            match statement {
                Stmt::Assign(assign) => {
                    if let [target] = assign.targets.as_slice() {
                        self.mismatched(target, &assign.value);
                        self.stored(target, &assign.value);
                    }
                }
                Stmt::For(loop_) => self.other_items(&loop_.target, &loop_.iter),
                _ => {}
            }
        }
        for it in scores_used(self.source, body) {
            self.add(
                Subject::Weights,
                it.range,
                it.observed,
                "weights @ values, where weights = softmax(scores)",
            );
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
        // Two products or more, and one of the three in none of them: linear attention has no softmax.
        let multiplies = uses || count > 1;
        if let (true, true, Some((part, (name, range))), true) =
            (is_function && has_all == [true; 3], self.found.len() == before, unread, multiplies)
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
            let given: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
            if let Some(range) = hides_nothing(self.source, &self.within, &given, body) {
                let observed =
                    format!("{}: it returns what it takes, and hides nothing.", self.within.join("."));
                self.add(Subject::Mask, range, observed, "return scores.masked_fill(mask, -torch.inf)");
            }
            self.unread_masks(&own, parameters, uses || count > 1 || has_all == [true; 3]);
        } else if uses {
            self.unread_triangles(body);
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
            let is_masked =
                name.contains("mask") && (statement.contains("masked_fill") || statement.contains("where("));
            let is_masked = is_masked || name.starts_with("masked");
            is_alone && is_mask(name) || is_of_mask(statement) || is_alone && is_masked
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

    /// Triangles that statements of the module bind, and that nothing reads before their name is bound anew.
    fn unread_triangles(&mut self, body: &[Stmt]) {
        let mut reads = ModuleReads::default();
        body.iter().for_each(|statement| reads.visit_stmt(statement));
        let mut bound: Vec<(String, TextRange)> = Vec::new();
        for statement in body {
            if let Stmt::Assign(assign) = statement {
                let names = assign.targets.iter().filter_map(Expr::as_name_expr);
                bound.extend(names.map(|name| (name.id.to_string(), assign.range())));
            }
        }
        for (at, (name, range)) in bound.iter().enumerate() {
            let next = bound[at + 1..].iter().find(|(other, _)| other == name).map(|(_, range)| range.end());
            let is_read = reads.found.iter().any(|(read, place, in_function)| {
                let after = range.end() <= *place && next.is_none_or(|next| *place < next);
                read == name && (*in_function || after)
            });
            let text = self.text(*range);
            let hides = ["masked_fill(", "where(", "mask("].iter().any(|it| text.contains(it));
            let is_masked =
                name.contains("mask") && text.contains("masked_fill(") || name.starts_with("masked") && hides;
            let is_visible =
                matches!(name.as_str(), "visible" | "allowed" | "future") && text.contains("None");
            if !is_read && (is_triangle(text) && is_mask_name(name) || is_masked || is_visible) {
                let observed = format!("{name} is made, and nothing reads it.");
                let fix = "scores = scores.masked_fill(mask, -torch.inf), before the softmax";
                self.add(Subject::Mask, *range, observed, fix);
            }
        }
    }

    /// The rest of the line of a name that is bound.
    fn statement_at(&self, range: TextRange) -> &str {
        let start = usize::from(range.start());
        self.source[start..].lines().next().unwrap_or("")
    }

    /// `for key in queries`: what the items are called is not what they are, and there is a list of that name.
    fn other_items(&mut self, target: &Expr, items: &Expr) {
        let (Expr::Name(target), Expr::Name(items)) = (target, items) else { return };
        let (target, name) = (target.id.as_str(), items.id.as_str());
        let (Some(part), Some(other)) = (Part::of(target), Part::of(name)) else { return };
        let rest = |it: &str| it.len() - part_length(it);
        let is_meant = |bound: &str| Part::of(bound) == Some(part) && rest(bound) == rest(name);
        let meant = self.names.bound.iter().map(|(bound, _)| bound).find(|bound| is_meant(bound)).cloned();
        if let Some(meant) = meant.filter(|_| part != other) {
            let observed = format!("{target} runs through {name}, and {meant} is there for it.");
            self.add(Subject::Projection, items.range(), observed, &format!("for {target} in {meant}"));
        }
    }

    /// `cache_v[..] = k`: what is stored is not what the place is called. And `head.weight = nn.Parameter(emb.weight.clone())`:
    /// weights that are to be shared are copied.
    fn stored(&mut self, target: &Expr, value: &Expr) {
        // `keys[k] = v` fills a dictionary.
        let is_item = |at: &Expr| at.as_name_expr().is_some_and(|it| Part::of(it.id.as_str()).is_some());
        if let (Expr::Subscript(place), Expr::Name(stored)) = (target, value)
            && !is_item(&place.slice)
            && let Some(place) = base_name(&place.value)
            && let (Some(part), Some(other)) = (Part::of(place), Part::of(stored.id.as_str()))
            && part != other
        {
            let observed = format!("{}, the {}, are stored in {place}.", stored.id, other.plural());
            let fix = format!("{place}[...] = the {}", part.plural());
            self.add(Subject::Projection, value.range(), observed, &fix);
        }
        let Expr::Attribute(weight) = target else { return };
        let owner = last_word(&weight.value);
        let text = self.text(value.range());
        let is_copy = ["clone()", "deepcopy(", "Parameter("].iter().any(|it| text.contains(it));
        let is_head =
            |name: &str| ["head", "out", "decoder", "generator", "proj"].iter().any(|it| name.contains(it));
        let is_table =
            |name: &str| ["emb", "wte", "tok"].iter().any(|it| name.contains(it)) && !name.contains("pos");
        let mut read = Names::default();
        read.visit_expr(value);
        let reads_weight = read.attributes_read.iter().any(|(it, _)| it == "weight");
        let table =
            read.attributes_read.iter().map(|(it, _)| it).find(|it| is_table(&it.to_lowercase())).cloned();
        if let (true, true, true, Some(table)) =
            (weight.attr.as_str() == "weight", is_head(&owner.to_lowercase()), is_copy && reads_weight, table)
        {
            let observed = format!("{owner}.weight is a copy of {table}.weight, and not the same parameter.");
            let fix = format!("{}.weight = self.{table}.weight", self.text(weight.value.range()));
            self.add(Subject::Tied, value.range(), observed, &fix);
        }
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
            let (Some((layer, other, range)), None) = (layers.next(), layers.next()) else {
                self.mismatched_matrix(name.id.as_str(), part, value, &called);
                continue;
            };
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

    /// `V = x @ W_K`, or `v = key(x)`: the same for matrices and layers that are variables of the module.
    fn mismatched_matrix(&mut self, name: &str, part: Part, value: &Expr, called: &Names) {
        let is_called = |matrix: &str| self.text(value.range()).starts_with(&format!("{matrix}("));
        let is_matrix = |matrix: &str| {
            let words = ["omega", "beta", "proj", "weight", "linear"];
            let name = matrix.to_lowercase();
            name.starts_with('w') || words.iter().any(|it| name.contains(it)) || is_called(matrix)
        };
        // A matrix and a bias may be of the same part.
        let mut of_parts: Vec<(&String, Part)> =
            called.read.iter().filter_map(|it| Some((it, Part::of(it)?))).collect();
        of_parts.sort_by_key(|(it, _)| !is_matrix(it));
        let Some(&(matrix, other)) = of_parts.first() else { return };
        if of_parts.iter().any(|(it, part)| *part != other || of_parts.len() > 1 && !is_matrix(it)) {
            return;
        }
        let rest = |it: &str| it.len() - part_length(it);
        let is_meant = |bound: &str| Part::of(bound) == Some(part) && rest(bound) == rest(matrix);
        let meant =
            self.names.bound.iter().map(|(bound, _)| bound).find(|bound| *bound != name && is_meant(bound));
        let is_bound = self.names.bound.iter().any(|(bound, _)| bound == matrix);
        let (Some(meant), true, true) = (meant.cloned(), is_bound && is_matrix(matrix), other != part) else {
            return;
        };
        let observed = format!("{name} are computed with {matrix}, and {meant} is there for them.");
        let fix = format!("{name} = {}", self.text(value.range()).replace(matrix.as_str(), &meant));
        self.add(Subject::Projection, value.range(), observed, &fix);
    }

    /// Whether a class reads its layer or buffer, or another class may: one that is derived from it, or one that asks for it by
    /// another name than `self`.
    fn reads_own(&self, class: &StmtClassDef, own: &Names, name: &str) -> bool {
        let is_base = self.names.read_as_base.iter().any(|it| it == class.name.as_str());
        let from_outside = self.names.objects_read.iter().any(|(it, range)| {
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
        let is_read = |name: &str| self.reads_own(class, &own, name);
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
            if is_of_mask(self.text(*range)) && !self.reads_own(class, &own, name) {
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

/// The last word of `self.head` or `head`.
fn last_word(expression: &Expr) -> String {
    match expression {
        Expr::Attribute(attribute) => attribute.attr.to_string(),
        Expr::Name(name) => name.id.to_string(),
        _ => String::new(),
    }
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

/// Whether a name is that of a mask or of a triangle, in one piece or several: `mask`, `causal_mask`, `tril`.
fn is_mask_name(name: &str) -> bool {
    is_mask(name) || name.to_lowercase().contains("mask")
}

/// Whether a name is that of the factor of scores.
fn is_scale(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "scale" | "scaling" | "softmax_scale" | "sqrt_d" | "scale_factor")
}

/// Whether a function of this name is a part of attention.
fn is_attention(name: &str) -> bool {
    matches!(name, "softmax" | "Softmax" | "scaled_dot_product_attention")
}
