//! What is wrong with source that is not Python, in CPython's words: those that are found in books, answers and recorded
//! notebooks. The parser has words of its own. Source: CPython 3.11, `Parser/tokenizer.c` and the rules `invalid_...` of
//! its grammar.

use ruff_python_ast::{Expr, UnaryOp, token::TokenKind as Kind};
use ruff_python_parser::{
    InterpolatedStringErrorType as InString, LexicalErrorType as Lexical, Mode, ParseErrorType as Error,
};
use ruff_text_size::Ranged;

use super::error::{Class, Wording};
use super::expressions::name_of;
use super::tokens::{Reading, Token};
use super::{parse_expression, parse_unchecked};

const INVALID: &str = "invalid syntax";
const COMMA: &str = "invalid syntax. Perhaps you forgot a comma?";

/// What is wrong with source, as CPython words it. `None` if the parser finds nothing, and if the source nests too deeply.
pub(crate) fn wording(source: &str, mode: Mode) -> Option<Wording> {
    let parsed = parse_unchecked(source, mode);
    let first = parsed.errors().first()?;
    let tokens = parsed.tokens().iter().map(|token| Token {
        kind: token.kind(),
        start: token.start().to_usize(),
        end: token.end().to_usize(),
    });
    let skipped = [Kind::Comment, Kind::NonLogicalNewline];
    let tokens: Vec<Token> = tokens.filter(|token| !skipped.contains(&token.kind)).collect();
    let reading = Reading { source, tokens };
    let at = first.location.start().to_usize().min(source.len());
    if first.error == Error::UnexpectedIndentation {
        return Some(
            reading
                .tabs()
                .unwrap_or(Wording { class: Class::Indentation, ..Wording::new(at, "unexpected indent") }),
        );
    }
    let (wrong_bracket, open) = reading.brackets();
    let lexical = parsed.errors().iter().filter_map(|error| {
        let at = error.location.start().to_usize().min(source.len());
        reading.lexical(&error.error, at)
    });
    let tokenizer = lexical.chain(wrong_bracket).chain(reading.number()).min_by_key(|wrong| wrong.at);
    if tokenizer.is_some() {
        return tokenizer;
    }
    // A bracket that is open since an earlier line is likelier to be the mistake. A keyword at the start of a line ends the
    // statement for this parser: then the error is at the end of the line before.
    let ends_line = [Kind::Newline, Kind::Indent, Kind::Dedent];
    let met = reading.tokens.iter().filter(|token| token.end > at || token.start >= at);
    let met = met.skip_while(|token| ends_line.contains(&token.kind)).map(|token| token.start).next();
    let later = |open: usize| reading.line(open) < reading.line(met.unwrap_or(at));
    let said = reading.grammatical(&first.error, at, first.location.end().to_usize().min(source.len()));
    match open {
        // What is special in its words comes after the rest of the source was read for open brackets.
        Some(open) if first.error == Error::Lexical(Lexical::Eof) || later(open) || said.text == COMMA => {
            Some(Wording::new(open, format!("'{}' was never closed", &source[open..=open])))
        }
        _ => Some(said),
    }
}

impl Reading<'_> {
    /// What CPython's grammar says of an error of the parser, which is about the bytes from `at` to `end`.
    fn grammatical(&self, error: &Error, at: usize, end: usize) -> Wording {
        let here = self.tokens.iter().position(|token| token.end > at || token.start >= at);
        let here = here.unwrap_or(self.tokens.len());
        let is_in_string = self.start_of_string(at) < at;
        let text = self.specific(error, at, end, here);
        let text = text.unwrap_or_else(|| self.general(here).to_owned());
        let text = match is_in_string && !text.starts_with("f-string") {
            true => format!("f-string: {text}"),
            false => text,
        };
        let is_block = text.starts_with("expected an indented block");
        let class = if is_block { Class::Indentation } else { Class::Syntax };
        Wording { class, ..Wording::new(at, text) }
    }

    fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    fn before(&self, here: usize) -> Option<Token> {
        here.checked_sub(1).and_then(|before| self.token(before))
    }

    /// The index of the first token of the logical line that a token is in.
    fn line_start(&self, here: usize) -> usize {
        let ends = [Kind::Newline, Kind::Indent, Kind::Dedent, Kind::Semi];
        let here = here.min(self.tokens.len());
        self.tokens[..here].iter().rposition(|token| ends.contains(&token.kind)).map_or(0, |end| end + 1)
    }

    /// The bracket that is open before a token of its line.
    fn bracket(&self, here: usize) -> Option<Kind> {
        let mut open = Vec::new();
        for token in &self.tokens[self.line_start(here)..here.min(self.tokens.len())] {
            match token.kind {
                Kind::Lpar | Kind::Lsqb | Kind::Lbrace => open.push(token.kind),
                Kind::Rpar | Kind::Rsqb | Kind::Rbrace => drop(open.pop()),
                _ => {}
            }
        }
        open.last().copied()
    }

    /// What is said where nothing more particular is known.
    fn general(&self, here: usize) -> &'static str {
        let (Some(before), Some(token)) = (self.before(here), self.token(here)) else { return INVALID };
        let ends = is_value(before.kind)
            || matches!(
                before.kind,
                Kind::Rpar | Kind::Rsqb | Kind::Rbrace | Kind::FStringEnd | Kind::String
            );
        let begins = is_value(token.kind)
            || matches!(token.kind, Kind::String | Kind::FStringStart | Kind::Lbrace | Kind::Lambda);
        if !begins || !ends {
            return INVALID;
        }
        match (before.kind, self.text(before)) {
            (Kind::Name, "print") => "Missing parentheses in call to 'print'. Did you mean print(...)?",
            (Kind::Name, "exec") => "Missing parentheses in call to 'exec'. Did you mean exec(...)?",
            // A text with a prefix that is none.
            (Kind::Name, _) if matches!(token.kind, Kind::String | Kind::FStringStart) => INVALID,
            // The parameters of a function are no expressions.
            _ if self.token(self.line_start(here)).is_some_and(|first| first.kind == Kind::Def) => INVALID,
            _ if self.bracket(here).is_some() => COMMA,
            _ => INVALID,
        }
    }

    /// What is said of an error that the grammar of CPython has a rule for.
    fn specific(&self, error: &Error, at: usize, end: usize, here: usize) -> Option<String> {
        let text = match error {
            Error::InvalidAssignmentTarget => return Some(self.assignment(at, end)),
            Error::InvalidAugmentedAssignmentTarget => {
                format!("'{}' is an illegal expression for augmented assignment", self.named(at, end)?)
            }
            Error::InvalidDeleteTarget => format!("cannot delete {}", self.named(at, end)?),
            Error::InvalidAnnotatedAssignmentTarget => match self.named(at, end)? {
                what @ ("list" | "tuple") => format!("only single target (not {what}) can be annotated"),
                _ => "illegal target for annotation".to_owned(),
            },
            Error::InvalidNamedAssignmentTarget => {
                format!("cannot use assignment expressions with {}", self.named(at, end)?)
            }
            Error::DuplicateKeywordArgumentError(name) => format!("keyword argument repeated: {name}"),
            Error::PositionalAfterKeywordArgument => {
                "positional argument follows keyword argument".to_owned()
            }
            Error::PositionalAfterKeywordUnpacking => {
                "positional argument follows keyword argument unpacking".to_owned()
            }
            Error::InvalidArgumentUnpackingOrder => {
                "iterable argument unpacking follows keyword argument unpacking".to_owned()
            }
            Error::IterableUnpackingInComprehension => {
                "iterable unpacking cannot be used in comprehension".to_owned()
            }
            Error::UnparenthesizedGeneratorExpression => {
                "Generator expression must be parenthesized".to_owned()
            }
            Error::NonDefaultParamAfterDefaultParam => {
                "non-default argument follows default argument".to_owned()
            }
            Error::ParamAfterVarKeywordParam => "arguments cannot follow var-keyword argument".to_owned(),
            Error::ExpectedKeywordParam => "named arguments must follow bare *".to_owned(),
            Error::VarParameterWithDefault => match self.source[..end].trim_end().contains("**") {
                true => "var-keyword argument cannot have default value".to_owned(),
                false => "var-positional argument cannot have default value".to_owned(),
            },
            Error::FStringError(error) | Error::Lexical(Lexical::FStringError(error)) => match error {
                InString::SingleRbrace => "f-string: single '}' is not allowed".to_owned(),
                InString::InvalidConversionFlag | InString::ConversionFlagNotImmediatelyAfterExclamation => {
                    "f-string: invalid conversion character: expected 's', 'r', or 'a'".to_owned()
                }
                InString::UnclosedLbrace if self.general(here) == COMMA => format!("f-string: {COMMA}"),
                InString::UnclosedLbrace => "f-string: expecting '}'".to_owned(),
                _ => return None,
            },
            Error::Lexical(Lexical::Eof) => "unexpected EOF while parsing".to_owned(),
            Error::ExpectedToken { expected, found } => return self.expected(*expected, *found, here),
            Error::ExpectedExpression => return self.expected_expression(here),
            Error::InvalidStarredExpressionUsage if self.bracket(here) == Some(Kind::Lpar) => {
                "cannot use starred expression here".to_owned()
            }
            Error::OtherError(message) => return self.other(message, here),
            _ => return None,
        };
        Some(text)
    }

    fn expected(&self, expected: Kind, found: Kind, here: usize) -> Option<String> {
        let first = self.token(self.line_start(here)).map(|token| token.kind);
        let text = match expected {
            Kind::Colon if self.bracket(here) == Some(Kind::Lbrace) && self.general(here) == INVALID => {
                "':' expected after dictionary key".to_owned()
            }
            Kind::Colon
                if found == Kind::Equal && matches!(first, Some(Kind::If | Kind::Elif | Kind::While)) =>
            {
                return self.comparison(here);
            }
            Kind::Colon => match first? {
                Kind::Def | Kind::Else | Kind::Try | Kind::Finally => "expected ':'".to_owned(),
                Kind::If
                | Kind::Elif
                | Kind::While
                | Kind::For
                | Kind::With
                | Kind::Class
                | Kind::Except
                | Kind::Match
                | Kind::Case
                | Kind::Async
                    if found == Kind::Newline =>
                {
                    "expected ':'".to_owned()
                }
                _ => return None,
            },
            Kind::Lpar if first == Some(Kind::Def) => "expected '('".to_owned(),
            Kind::Else if found != Kind::Colon => "expected 'else' after 'if' expression".to_owned(),
            Kind::Rsqb | Kind::Rbrace if found == Kind::For => {
                "did you forget parentheses around the comprehension target?".to_owned()
            }
            _ => return None,
        };
        Some(text)
    }

    /// `if x = 3:`
    fn comparison(&self, here: usize) -> Option<String> {
        let start = self.line_start(here);
        let ends = |kind: Kind| {
            matches!(
                kind,
                Kind::If
                    | Kind::Elif
                    | Kind::While
                    | Kind::And
                    | Kind::Or
                    | Kind::Not
                    | Kind::Comma
                    | Kind::EqEqual
                    | Kind::NotEqual
                    | Kind::Less
                    | Kind::LessEqual
                    | Kind::Greater
                    | Kind::GreaterEqual
                    | Kind::In
                    | Kind::Is
            )
        };
        let mut depth = 0_usize;
        let mut first = here;
        while first > start {
            let kind = self.tokens[first - 1].kind;
            match kind {
                Kind::Rpar | Kind::Rsqb | Kind::Rbrace => depth += 1,
                Kind::Lpar | Kind::Lsqb | Kind::Lbrace if depth == 0 => break,
                Kind::Lpar | Kind::Lsqb | Kind::Lbrace => depth -= 1,
                kind if depth == 0 && ends(kind) => break,
                _ => {}
            }
            first -= 1;
        }
        let (left, right) = (self.token(first)?, self.before(here)?);
        if first + 1 == here && left.kind == Kind::Name {
            return Some("invalid syntax. Maybe you meant '==' or ':=' instead of '='?".to_owned());
        }
        match self.named(left.start, right.end)? {
            "list" | "tuple" | "generator expression" | "True" | "False" | "None" => None,
            what => Some(format!("cannot assign to {what} here. Maybe you meant '==' instead of '='?")),
        }
    }

    fn expected_expression(&self, here: usize) -> Option<String> {
        let (before, token) = (self.before(here)?, self.token(here)?);
        let in_field = self.start_of_string(token.start) < token.start;
        let text = match (before.kind, token.kind) {
            (Kind::Lbrace, Kind::Rbrace | Kind::Exclamation | Kind::Colon) if in_field => {
                "f-string: empty expression not allowed"
            }
            (_, Kind::FStringEnd) => "f-string: expecting '}'",
            (Kind::Colon, Kind::Comma | Kind::Rbrace) if self.bracket(here) == Some(Kind::Lbrace) => {
                "expression expected after dictionary key and ':'"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn other(&self, message: &str, here: usize) -> Option<String> {
        if let Some(after) = message.strip_prefix("Expected an indented block after ") {
            let name = after.split('`').nth(1);
            let what = match name {
                Some("class") => "class definition".to_owned(),
                Some(name) => format!("'{name}' statement"),
                None => "function definition".to_owned(),
            };
            let colon = self.tokens[..here].iter().rposition(|token| token.kind == Kind::Colon)?;
            let line = self.line(self.token(self.line_start(colon))?.start);
            return Some(format!("expected an indented block after {what} on line {line}"));
        }
        if message.starts_with("Only single target ") {
            return Some(message.replacen('O', "o", 1));
        }
        let first = self.token(self.line_start(here)).map(|token| token.kind);
        let text = match message {
            "Expected `except` or `finally` after `try` block" => "expected 'except' or 'finally' block",
            "Trailing comma not allowed" if first == Some(Kind::From) => {
                "trailing comma not allowed without surrounding parentheses"
            }
            "Only one '*' parameter allowed" => "* argument may appear only once",
            "Only one '/' separator allowed" => "/ may appear only once",
            "Bytes literal cannot be mixed with non-bytes literals" => {
                "cannot mix bytes and nonbytes literals"
            }
            "Expected a parameter name" => {
                let word = self.token(here).map(|token| self.text(token)).unwrap_or_default();
                return Some(match word {
                    "True" | "False" | "None" => format!("cannot assign to {word}"),
                    _ => "expression cannot contain assignment, perhaps you meant \"==\"?".to_owned(),
                });
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// What the expression in these bytes is called.
    fn named(&self, at: usize, end: usize) -> Option<&'static str> {
        let text = self.source.get(at..end)?.trim();
        // An expression over several lines is one in brackets.
        let parsed = parse_expression(&format!("({text}\n)")).ok()?;
        Some(name_of(parsed.expr()))
    }

    /// The target of an assignment cannot be one.
    fn assignment(&self, at: usize, end: usize) -> String {
        let Some(what) = self.named(at, end) else { return INVALID.to_owned() };
        if what == "yield expression" {
            return "assignment to yield expression not possible".to_owned();
        }
        let plain = format!("cannot assign to {what}");
        let first = self.tokens.iter().position(|token| token.end > at).unwrap_or(0);
        let after = self.tokens.iter().position(|token| token.start >= end).unwrap_or(self.tokens.len());
        let around = self.tokens[self.line_start(first)..first].iter().all(|token| token.kind == Kind::Lpar);
        let mut rest = self.tokens[after..].iter().skip_while(|token| token.kind == Kind::Rpar);
        let is_first = rest.next().is_some_and(|token| token.kind == Kind::Equal);
        let mut depth = 0_isize;
        let again = rest.take_while(|token| !matches!(token.kind, Kind::Newline | Kind::Semi)).any(|token| {
            match token.kind {
                Kind::Lpar | Kind::Lsqb | Kind::Lbrace => depth += 1,
                Kind::Rpar | Kind::Rsqb | Kind::Rbrace => depth -= 1,
                _ => {}
            }
            depth == 0 && token.kind == Kind::Equal
        });
        let never_meant = [
            "list",
            "tuple",
            "generator expression",
            "True",
            "False",
            "None",
            "comparison",
            "lambda",
            "conditional expression",
            "starred",
        ];
        let is_condition = {
            let text = format!("({}\n)", self.source[at..end].trim());
            parse_expression(&text).is_ok_and(|parsed| {
                matches!(parsed.expr(), Expr::BoolOp(_))
                    || matches!(parsed.expr(), Expr::UnaryOp(unary) if unary.op == UnaryOp::Not)
            })
        };
        match around && is_first && !again && !is_condition && !never_meant.contains(&what) {
            true => format!("{plain} here. Maybe you meant '==' instead of '='?"),
            false => plain,
        }
    }
}

/// Whether a token is an expression of its own.
fn is_value(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name
            | Kind::Int
            | Kind::Float
            | Kind::Complex
            | Kind::None
            | Kind::True
            | Kind::False
            | Kind::Ellipsis
    )
}
