//! Compiles a cell: its statements, and its last bare expression if its value is shown. Says whether typed
//! input is complete. Both use the interpreter's own parser.

use crate::syntax::parse_module;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Comprehension, Expr, Mod, ModExpression, Stmt, token::TokenKind};
use ruff_python_parser::{InterpolatedStringErrorType, LexicalErrorType, ParseErrorType};
use ruff_text_size::Ranged;
use rustpython_compiler_core::SourceFileBuilder;
use rustpython_vm::{
    PyRef, VirtualMachine,
    builtins::PyCode,
    compiler::{CompileError, Mode, codegen::compile::compile_top},
};

use super::blocks;
use super::messages::lacks_block;

pub(super) struct CompiledCell {
    /// All statements except the last expression, if it is shown.
    pub(super) body: Option<PyRef<PyCode>>,
    /// The last bare expression, unless a semicolon follows it.
    pub(super) last: Option<PyRef<PyCode>>,
    /// The names that the statements of the cell bind, in source order.
    pub(super) binds: Vec<String>,
}

impl CompiledCell {
    /// Compiles `source`. Tracebacks show `name` as the file.
    pub(super) fn compile(
        source: &str,
        name: &str,
        vm: &VirtualMachine,
    ) -> Result<CompiledCell, CompileError> {
        let file = SourceFileBuilder::new(name, source).finish();
        let parsed =
            parse_module(source).map_err(|error| CompileError::from_ruff_parse_error(error, &file))?;
        let silent = match parsed.syntax().body.last() {
            Some(Stmt::Expr(last)) => parsed
                .tokens()
                .iter()
                .filter(|token| token.start() >= last.end())
                .any(|token| token.kind() == TokenKind::Semi),
            _ => true,
        };
        let mut module = parsed.into_syntax();
        let mut bound = BoundNames(Vec::new());
        bound.visit_body(&module.body);
        blocks::prepare(&mut module);
        let last = match (silent, module.body.pop()) {
            (false, Some(Stmt::Expr(last))) => {
                Some(ModExpression { body: last.value, range: last.range, node_index: last.node_index })
            }
            (_, popped) => {
                module.body.extend(popped);
                None
            }
        };
        let code = |tree, mode| {
            let code = compile_top(tree, file.clone(), mode, vm.compile_opts())?;
            Ok::<_, CompileError>(Some(vm.ctx.new_code(code)))
        };
        let body = if module.body.is_empty() { None } else { code(Mod::Module(module), Mode::Exec)? };
        let last = match last {
            Some(expression) => code(Mod::Expression(expression), Mode::Eval)?,
            None => None,
        };
        Ok(CompiledCell { body, last, binds: bound.0 })
    }
}

/// Compiles a module's source, as `exec(source)` and imports do; none where the interpreter's own way says what is wrong with it.
pub(super) fn module_code(source: &str, name: &str, vm: &VirtualMachine) -> Option<PyRef<PyCode>> {
    let mut module = parse_module(source).ok()?.into_syntax();
    blocks::prepare(&mut module);
    let file = SourceFileBuilder::new(name, source).finish();
    let code = compile_top(Mod::Module(module), file, Mode::Exec, vm.compile_opts()).ok()?;
    Some(vm.ctx.new_code(code))
}

/// The names that statements bind in the cell's scope.
struct BoundNames(Vec<String>);

impl<'a> Visitor<'a> for BoundNames {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx.is_store() => self.0.push(name.id.to_string()),
            _ => walk_expr(self, expression),
        }
    }

    // Its variables are its own.
    fn visit_comprehension(&mut self, _: &'a Comprehension) {}
}

/// Whether typed input is a whole cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputState {
    /// It can be run.
    Complete,
    /// It needs more lines: a bracket or a string is open, or a block may continue.
    Incomplete,
    /// It is not Python, whatever follows.
    Error,
}

impl InputState {
    /// The state of `source`. A blank line ends a block, as at Python's own prompt, and always submits.
    pub(super) fn of(source: &str) -> InputState {
        let last = source.rsplit('\n').next().expect("a split has at least one part");
        let submitted = source.contains('\n') && last.trim().is_empty();
        match parse_module(source) {
            Ok(parsed) => {
                let block = parsed.syntax().body.last().is_some_and(Self::is_block);
                if block && !submitted { InputState::Incomplete } else { InputState::Complete }
            }
            Err(error) => {
                let file = SourceFileBuilder::new("<input>", source).finish();
                let error = CompileError::from_ruff_parse_error(error, &file);
                let open = is_unfinished(&error, source) || last.trim_start().starts_with('@');
                if open && !submitted { InputState::Incomplete } else { InputState::Error }
            }
        }
    }

    fn is_block(statement: &Stmt) -> bool {
        matches!(
            statement,
            Stmt::FunctionDef(_)
                | Stmt::ClassDef(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::If(_)
                | Stmt::With(_)
                | Stmt::Match(_)
                | Stmt::Try(_)
        )
    }
}

/// Whether the source ends inside a bracket, a string or a block. RustPython distinguishes `_IncompleteInputError`
/// from `SyntaxError` in the same way.
fn is_unfinished(error: &CompileError, source: &str) -> bool {
    let CompileError::Parse(error) = error else { return false };
    let at = error.raw_location.start().to_usize()..error.raw_location.end().to_usize();
    match &error.error {
        _ if error.is_unclosed_bracket => true,
        ParseErrorType::Lexical(LexicalErrorType::Eof) => true,
        ParseErrorType::Lexical(LexicalErrorType::FStringError(open)) => {
            *open == InterpolatedStringErrorType::UnterminatedTripleQuotedString
        }
        ParseErrorType::Lexical(LexicalErrorType::UnclosedStringError) => {
            let opened = source.get(at.start..).unwrap_or("");
            let quotes = opened.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
            quotes.starts_with("\"\"\"") || quotes.starts_with("'''")
        }
        ParseErrorType::OtherError(message) => {
            lacks_block(message) && source.get(at.start..).is_none_or(|rest| rest.trim().is_empty())
        }
        _ => false,
    }
}
