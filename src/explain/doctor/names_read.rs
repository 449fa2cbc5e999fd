//! The names that code binds and reads.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// The names that are bound and read in some statements, those of attributes apart.
#[derive(Default)]
pub(super) struct Names {
    pub(super) bound: Vec<(String, TextRange)>,
    pub(super) read: Vec<String>,
    pub(super) attributes_bound: Vec<(String, TextRange)>,
    pub(super) attributes_read: Vec<(String, TextRange)>,
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
