//! The names that code binds and reads, and what they say.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// What an argument, a variable or a layer is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Query,
    Key,
    Value,
}

impl Part {
    pub(super) const ALL: [Part; 3] = [Part::Query, Part::Key, Part::Value];

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

    /// As it is called in a sentence.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Part::Query => "queries",
            Part::Key => "keys",
            Part::Value => "values",
        }
    }
}

/// The names under which libraries are imported.
const LIBRARIES: [&str; 6] = ["torch", "np", "numpy", "F", "nn", "math"];

/// The names that are bound and read in some statements, those of attributes apart.
#[derive(Default)]
pub(super) struct Names {
    pub(super) bound: Vec<(String, TextRange)>,
    pub(super) read: Vec<String>,
    pub(super) attributes_bound: Vec<(String, TextRange)>,
    pub(super) attributes_read: Vec<(String, TextRange)>,
    /// Those of them that are no functions of a library: `self.tril`, not `torch.tril`.
    pub(super) objects_read: Vec<(String, TextRange)>,
    /// Buffers that are registered, and texts that may name an attribute.
    pub(super) buffers: Vec<(String, TextRange)>,
    pub(super) texts: Vec<String>,
    /// What classes are derived from.
    pub(super) read_as_base: Vec<String>,
}

impl Names {
    pub(super) fn reads(&self, name: &str) -> bool {
        self.read.iter().any(|it| it == name)
    }

    pub(super) fn reads_attribute(&self, name: &str) -> bool {
        self.objects_read.iter().any(|(it, _)| it == name) || self.texts.iter().any(|it| it == name)
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
                let found = (attribute.attr.to_string(), attribute.range());
                let library =
                    attribute.value.as_name_expr().is_some_and(|it| LIBRARIES.contains(&it.id.as_str()));
                self.objects_read.extend((!library).then(|| found.clone()));
                self.attributes_read.push(found);
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

/// The names of the module that its statements and functions read: where, and whether within a function.
#[derive(Default)]
pub(super) struct ModuleReads {
    pub(super) found: Vec<(String, TextSize, bool)>,
    /// The names that each function around binds itself.
    local: Vec<Vec<String>>,
}

impl<'a> Visitor<'a> for ModuleReads {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let Stmt::FunctionDef(StmtFunctionDef { parameters, body, .. }) = statement else {
            if let Stmt::AugAssign(assign) = statement
                && let Expr::Name(name) = &*assign.target
            {
                self.found.push((name.id.to_string(), name.range().start(), !self.local.is_empty()));
            }
            return walk_stmt(self, statement);
        };
        parameters
            .iter_non_variadic_params()
            .filter_map(|it| it.default.as_deref())
            .for_each(|it| self.visit_expr(it));
        let mut own = Names::default();
        body.iter().for_each(|statement| own.visit_stmt(statement));
        let named = parameters.iter_non_variadic_params().map(|it| it.parameter.name.to_string());
        self.local.push(named.chain(own.bound.into_iter().map(|(name, _)| name)).collect());
        body.iter().for_each(|statement| self.visit_stmt(statement));
        self.local.pop();
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx == ExprContext::Load
            && !self.local.iter().flatten().any(|it| it == name.id.as_str())
        {
            self.found.push((name.id.to_string(), name.range().start(), !self.local.is_empty()));
        }
        walk_expr(self, expression);
    }
}

/// The statements in a body and in its loops and branches, in the order of the source; those of functions and classes are
/// left out.
pub(super) fn each_statement(body: &[Stmt]) -> Vec<&Stmt> {
    let mut found = Vec::new();
    for statement in body {
        found.push(statement);
        let inner: Vec<&[Stmt]> = match statement {
            Stmt::For(it) => vec![&it.body, &it.orelse],
            Stmt::While(it) => vec![&it.body, &it.orelse],
            Stmt::If(it) => {
                let others = it.elif_else_clauses.iter().map(|clause| &*clause.body);
                [&*it.body].into_iter().chain(others).collect()
            }
            Stmt::With(it) => vec![&it.body],
            Stmt::Try(it) => vec![&it.body, &it.orelse, &it.finalbody],
            _ => Vec::new(),
        };
        found.extend(inner.into_iter().flat_map(each_statement));
    }
    found
}
