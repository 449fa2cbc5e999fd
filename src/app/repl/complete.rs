//! Completion at the cursor: variables, attributes, functions with their signatures, commands and their arguments.

use rustyline::completion::FilenameCompleter;

use super::super::cells::workspace::Workspace;
use super::commands::{ArgumentKind, COMMANDS, find};
use super::help::{MODULES, without_first};
use super::keys::without_margins;
use crate::lesson::Catalogue;
use crate::ops::schema::signature;
use crate::ops::table::{self, ALIASES, IN_PLACE, LINALG, METHOD, RELAYOUT};

/// The candidates that can replace the text from `start` to the cursor.
pub struct Completion {
    /// The byte at which the completed word begins.
    pub start: usize,
    /// How each candidate is shown, and the text that replaces the word.
    pub candidates: Vec<(String, String)>,
}

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "assert", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "not", "or", "pass",
    "raise", "return", "try", "while", "with", "yield",
];

/// Completes the word before the cursor.
pub fn complete(line: &str, pos: usize, workspace: &mut Workspace, catalogue: &Catalogue) -> Completion {
    let before = &line[..pos];
    let plain = without_margins(before);
    if let Some(typed) = plain.trim_start().strip_prefix(':') {
        if !typed.contains(' ') {
            return commands(typed, pos);
        }
        return arguments(typed, line, pos, workspace, catalogue);
    }
    python(before, workspace, catalogue)
}

/// Tokens inside the brackets of a command's argument: `:why attn_weights[jou`.
fn element_names(before: &str, workspace: &Workspace) -> Completion {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let start = before.trim_end_matches(is_letter).len();
    let word = &before[start..];
    let open = before.matches('[').count() > before.matches(']').count();
    let names = workspace.names();
    let fits = names.tokens().iter().filter(|token| open && token.starts_with(word));
    Completion { start, candidates: fits.map(|token| (token.clone(), token.clone())).collect() }
}

fn commands(typed: &str, pos: usize) -> Completion {
    let fits = COMMANDS.iter().filter(|command| command.name.starts_with(typed));
    let candidates = fits.map(|command| {
        let space = if command.args.is_empty() { "" } else { " " };
        (format!(":{:<9} {}", command.name, command.line), format!(":{}{space}", command.name))
    });
    Completion { start: pos - typed.len() - 1, candidates: candidates.collect() }
}

fn arguments(
    typed: &str,
    line: &str,
    pos: usize,
    workspace: &mut Workspace,
    catalogue: &Catalogue,
) -> Completion {
    let (name, rest) = typed.split_once(' ').unwrap_or((typed, ""));
    let word = rest.rsplit(' ').next().unwrap_or(rest);
    let starting = |names: Vec<String>| {
        let fits = names.into_iter().filter(|name| name.starts_with(word));
        let candidates = fits.map(|name| (name.clone(), name)).collect();
        Completion { start: pos - word.len(), candidates }
    };
    match find(name).map_or(ArgumentKind::Anything, |command| command.takes) {
        ArgumentKind::Nothing => Completion { start: pos, candidates: Vec::new() },
        ArgumentKind::Expression => {
            let named = element_names(&line[..pos], workspace);
            if named.candidates.is_empty() { python(&line[..pos], workspace, catalogue) } else { named }
        }
        ArgumentKind::Step => starting(catalogue.names()),
        ArgumentKind::File => files(line, pos),
        ArgumentKind::Anything => {
            let mut found = python(&line[..pos], workspace, catalogue);
            let ops = table::ops().map(|op| op.name.to_owned());
            let commands = COMMANDS.iter().map(|command| command.name.to_owned());
            if !word.contains('.') && !word.is_empty() {
                let more = starting(commands.chain(ops).collect()).candidates;
                found.candidates.extend(more);
                found.candidates.sort();
                found.candidates.dedup();
            }
            found
        }
    }
}

fn files(line: &str, pos: usize) -> Completion {
    match FilenameCompleter::new().complete_path(line, pos) {
        Ok((start, found)) => {
            let candidates = found.into_iter().map(|pair| (pair.display, pair.replacement)).collect();
            Completion { start, candidates }
        }
        Err(_) => Completion { start: pos, candidates: Vec::new() },
    }
}

/// The dotted name that ends at `pos`: `torch.nn.Lin`.
pub fn path_before(line: &str, pos: usize) -> &str {
    let before = &line[..pos];
    let part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let start = before
        .rfind(|letter| !part(letter))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    before[start..].trim_start_matches('.')
}

fn python(before: &str, workspace: &mut Workspace, catalogue: &Catalogue) -> Completion {
    let path = path_before(before, before.len());
    let nothing = Completion { start: before.len(), candidates: Vec::new() };
    if path.starts_with(|letter: char| letter.is_ascii_digit()) || in_string(before) {
        return nothing;
    }
    let (base, word) = match path.rsplit_once('.') {
        Some((base, word)) => (Some(base), word),
        // In `f(x).T` the part before the dot is not a name.
        None if before[..before.len() - path.len()].ends_with('.') => return nothing,
        None => (None, path),
    };
    let mut names: Vec<String> = match base {
        Some(base) => workspace.session.attributes(base),
        None => {
            let keywords = KEYWORDS.iter().map(|word| (*word).to_owned());
            let own = workspace.session.names();
            // Where nothing is typed yet, the learner's own names are what may be meant.
            if word.is_empty() && !own.is_empty() {
                let candidates = own.into_iter().map(|name| (name.clone(), name)).collect();
                return Completion { start: before.len(), candidates };
            }
            own.into_iter().chain(workspace.session.attributes("")).chain(keywords).collect()
        }
    };
    names.retain(|name| name.starts_with(word) && (word.starts_with('_') || !name.starts_with('_')));
    names.sort();
    names.dedup();
    if base.is_some() && word.is_empty() {
        by_relevance(&mut names, catalogue);
    }
    let place = base.map_or(0, |base| place_of(base, workspace));
    let shown = |name: String| match arguments_of(&name, place) {
        Some(arguments) => (format!("{name}({arguments})"), name),
        None => (name.clone(), name),
    };
    Completion { start: before.len() - word.len(), candidates: names.into_iter().map(shown).collect() }
}

/// Puts the attributes first that the lessons use, and writes in place last.
fn by_relevance(names: &mut [String], catalogue: &Catalogue) {
    let code: String = catalogue.steps().map_or_else(
        |_| String::new(),
        |steps| steps.iter().map(|step| step.code.as_str()).collect::<Vec<_>>().join("\n"),
    );
    let uses = |name: &String| {
        let dotted = format!(".{name}");
        let whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        code.match_indices(&dotted).filter(|(at, _)| whole(&code[at + dotted.len()..])).count()
    };
    names.sort_by_cached_key(|name| {
        let common = ["shape", "ndim", "dtype", "T", "mean", "sum"].contains(&name.as_str());
        (std::cmp::Reverse(uses(name) + usize::from(common)), name.ends_with('_'))
    });
}

/// Whether the cursor is inside a string or a comment.
fn in_string(before: &str) -> bool {
    use ruff_python_ast::token::TokenKind as Kind;
    let marked = format!("{}cursor", without_margins(before));
    let parsed = crate::syntax::parse_unchecked(&marked, ruff_python_parser::Mode::Module);
    let mut last =
        parsed.tokens().iter().filter(|token| usize::from(token.as_tuple().1.end()) >= marked.len());
    last.any(|token| match token.kind() {
        Kind::Comment | Kind::String | Kind::FStringMiddle => true,
        // A string that does not end; an open bracket ends in such a token too.
        Kind::Unknown => marked[token.as_tuple().1].contains(['"', '\'']),
        _ => false,
    })
}

/// Where the table of operations lists the attributes of this object: as methods of a tensor, or as functions of a
/// module. 0 if it lists none.
fn place_of(base: &str, workspace: &mut Workspace) -> u8 {
    if workspace.session.tensor(base).is_ok_and(|tensor| tensor.is_some()) {
        return METHOD;
    }
    let name = workspace.text(&format!("getattr({base}, '__name__', '')"));
    MODULES.iter().find(|(_, module)| name.as_deref() == Some(module)).map_or(0, |(place, _)| *place)
}

/// The arguments of the operation with this name and place.
fn arguments_of(name: &str, place: u8) -> Option<String> {
    if place == 0 {
        return None;
    }
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| *name);
    let own = if place == LINALG { format!("linalg_{name}") } else { name.to_owned() };
    let op = table::ops().find(|op| op.name == own && op.is_in(place)).or_else(|| {
        let twin = name.strip_suffix('_').filter(|_| place == METHOD)?;
        table::ops().find(|op| op.name == twin && op.is_in(IN_PLACE | RELAYOUT))
    })?;
    let arguments = signature(op.forms.first()?);
    Some(match place {
        METHOD => without_first(&arguments).to_owned(),
        _ => arguments,
    })
}

/// The arguments of the function at a dotted path: an operation's from the table, else from `inspect.signature`.
pub fn signature_of(path: &str, workspace: &mut Workspace) -> Option<String> {
    if path.is_empty() || path.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    if let Some((base, name)) = path.rsplit_once('.') {
        let place = place_of(base, workspace);
        if let Some(arguments) = arguments_of(name, place) {
            return Some(arguments);
        }
    }
    let signature = workspace.text(&format!("str(__import__('inspect').signature({path}))"))?;
    let inner = signature.strip_prefix('(')?.split(" -> ").next()?;
    Some(inner.strip_suffix(')').unwrap_or(inner).to_owned())
}
