//! Editors for code: a line editor for several lines, the learner's own editor, or line by line.

use std::borrow::Cow;
use std::cell::RefCell;
use std::env;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::completion::Completer;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event, EventContext,
    EventHandler, Helper, KeyCode, KeyEvent, Modifiers, RepeatCount,
};
use tempfile::TempPath;
use unicode_width::UnicodeWidthStr;

use super::super::keeper::journal::{self, Entry};
use super::super::repl::editor::{drawn, one_line};
use super::super::repl::keys::{
    BoundKey, Cursor, KeyHandler, MARGIN, at_margin, code_of, of_paste, without_margins,
};
use super::super::terminal::prompt::{TypedLine, read_line};
use super::super::terminal::shell::{Failure, Shell};
use super::code_page::{CodePage, rows_of};
use super::input::{InputMode, of_editor};
use super::terminal;
use crate::shims::outside::{fs, outside};
use crate::view::wrap::remark;
use crate::view::{Line, Look, Role, Text, code};

/// The instructions for the line editor.
const KEYS_HELP: &str = "Arrow keys move about. Enter adds a line; on an empty line at the end it runs the code (after a \
                         class or a function, on the second), as Alt-Enter does from anywhere. Ctrl-C leaves without running, and keeps the code.";
/// What is said besides if a line is wider than the screen.
const CARRIED_OVER: &str = "What has no number before it is the rest of the line above.";
/// The instructions for typing line by line.
const WORDS_HELP: &str = "Type the code anew, line by line. A line with a single dot ends it and runs it; \
                          `cancel` as the only line leaves without running; a dot at once runs it as it is.";

/// Code that the learner edited.
pub(crate) enum EditedCode {
    Run(String),
    /// They left without running it.
    Left(String),
}

/// Lets the learner edit code. They begin at the end of a line, or of all of it.
pub(crate) fn code(
    text: &str,
    line: Option<usize>,
    mode: InputMode,
    shell: &mut Shell,
) -> Result<EditedCode, Failure> {
    match mode {
        InputMode::Keys => {
            let gutter = Gutter::of(text);
            let is_wide = text.lines().any(|line| gutter.columns() + line.width() > shell.look.width);
            let help = if is_wide { format!("{KEYS_HELP} {CARRIED_OVER}") } else { KEYS_HELP.to_owned() };
            shell.show(&remark(&help, shell.look))?;
            in_line_editor(text, line, gutter, shell)
        }
        InputMode::Words => {
            shell.show(&remark(WORDS_HELP, shell.look))?;
            line_by_line(text, shell)
        }
    }
}

/// The numbers before the lines, as wide as the prompt of the first one. A line that is carried over on the screen has
/// none there. The margin consists of a space character that is never typed, as in the REPL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Gutter {
    digits: usize,
    /// How many lines are above the first one.
    above: usize,
}

impl Gutter {
    /// For this code, which may become longer.
    pub fn of(text: &str) -> Gutter {
        Gutter { digits: (text.lines().count() + 40).to_string().len(), above: 0 }
    }

    fn columns(self) -> usize {
        self.digits + 1
    }

    fn number(self, line: usize) -> String {
        format!("{line:>digits$} ", line = self.above + line, digits = self.digits)
    }

    /// The text with a margin before each line but the first, which has the prompt.
    pub fn with_margins(self, text: &str) -> String {
        let margin = String::from(MARGIN).repeat(self.columns());
        without_margins(text).replace('\n', &format!("\n{margin}"))
    }

    /// What is drawn for a text with margins: their numbers, and the code with its colours.
    pub fn drawn(self, typed: &str, look: Look) -> String {
        let code = code::highlighted(&without_margins(typed));
        drawn(typed, &code, |at, _| self.number(at + 1), look)
    }
}

fn in_line_editor(
    text: &str,
    line: Option<usize>,
    gutter: Gutter,
    shell: &mut Shell,
) -> Result<EditedCode, Failure> {
    let mut page = CodePage::at_end(text.trim_end());
    if let Some(line) = line.filter(|line| *line < page.count()) {
        page = page.at_line(line);
    }
    let mut editor = line_editor().map_err(io::Error::other)?;
    loop {
        // Beside the code: the line above it, and the one under it.
        let rows = terminal::rows().saturating_sub(3).max(3);
        let columns = shell.look.width.saturating_sub(gutter.columns()).max(1);
        let window = page.window(rows, columns);
        let mut above = Text::new();
        if window.len() < page.count() {
            let (from, to) = (window.start + 1, window.end);
            let words = format!("Lines {from} to {to} of {}: ↑ ↓ PgUp PgDn", page.count());
            above = remark(&words, shell.look);
            shell.show(&above)?;
        }
        shell.flush()?;
        let gutter = Gutter { above: window.start, ..gutter };
        let part = Arc::new(CodePart { page, window, rows, columns, gutter, left: Mutex::new(None) });
        let (drawn, read) = in_window(&mut editor, &part, shell.look);
        let TypedLine::Line(code) = of_editor(read)? else { return Ok(EditedCode::Left(drawn)) };
        let Some(next) = part.left.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(EditedCode::Run(part.whole(&code)));
        };
        // The editor left the cursor in the row under the code: the other lines come in its place.
        let rows = above.lines.len() + rows_of(&without_margins(&code), columns);
        shell.say(&format!("\x1b[{}A\r\x1b[J", rows.min(terminal::rows() - 1)))?;
        page = next;
    }
}

/// An editor for code. One serves all parts of the code: it has what was typed ahead.
fn line_editor() -> rustyline::Result<LineEditor> {
    let config = Config::builder()
        .auto_add_history(false)
        .completion_type(CompletionType::List)
        .keyseq_timeout(Some(terminal::ESCAPE_WAIT))
        // The highlighter also draws the numbers, so it runs without colours too, and leaves them out itself.
        .color_mode(ColorMode::Forced)
        .tab_stop(4)
        .indent_size(4)
        .build();
    let mut editor = LineEditor::with_config(config)?;
    editor.bind_sequence(KeyEvent(KeyCode::Esc, Modifiers::NONE), Cmd::Noop);
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::AcceptLine);
    Ok(editor)
}

type LineEditor = Editor<CodeEditor, DefaultHistory>;

/// Lets the learner edit a part of the code. Returns all of the code as it was drawn last, and what the editor returned.
fn in_window(
    editor: &mut LineEditor,
    part: &Arc<CodePart>,
    look: Look,
) -> (String, rustyline::Result<String>) {
    let gutter = part.gutter;
    let (before, after) = part.page.around_cursor(&part.window);
    let (before, after) = (gutter.with_margins(&before), gutter.with_margins(&after));
    let text = format!("{before}{after}");
    let written = Rc::new(RefCell::new(part.whole(&text)));
    editor.set_helper(Some(CodeEditor { look, part: part.clone(), written: written.clone() }));
    let read = terminal::awaiting(|| {
        for event in [Event::from(KeyEvent(KeyCode::Enter, Modifiers::NONE)), Event::Any] {
            editor.bind_sequence(event, EventHandler::Conditional(Box::new(Typed { part: part.clone() })));
        }
        for (event, key) in at_margin() {
            let start = Box::new(AtStart { part: part.clone(), key });
            editor.bind_sequence(event, EventHandler::Conditional(start));
        }
        let plain = |code| KeyEvent(code, Modifiers::NONE);
        let page = isize::try_from(part.rows).unwrap_or(isize::MAX);
        for (key, lines, from_within) in [
            (plain(KeyCode::Up), -1, false),
            (KeyEvent::ctrl('P'), -1, false),
            (plain(KeyCode::Down), 1, false),
            (KeyEvent::ctrl('N'), 1, false),
            (plain(KeyCode::PageUp), -page, true),
            (plain(KeyCode::PageDown), page, true),
        ] {
            let over = Over { part: part.clone(), lines, from_within };
            editor.bind_sequence(key, EventHandler::Conditional(Box::new(over)));
        }
        for keys in [vec![KeyEvent::ctrl('_')], vec![KeyEvent::ctrl('X'), KeyEvent::ctrl('U')]] {
            let undo = Box::new(Undo { first: text.clone() });
            editor.bind_sequence(Event::KeySeq(keys), EventHandler::Conditional(undo));
        }
        editor.readline_with_initial(&gutter.number(1), (&before, &after))
    });
    let drawn = written.borrow().clone();
    (drawn, read)
}

/// The lines of code that the screen has space for, and what a key makes of all of it.
struct CodePart {
    page: CodePage,
    /// The lines that are edited.
    window: Range<usize>,
    /// How many rows and columns there are for them.
    rows: usize,
    columns: usize,
    gutter: Gutter,
    /// The code and the cursor with which another part of it is to be edited.
    left: Mutex<Option<CodePage>>,
}

impl CodePart {
    /// All of the code, if this is the text of its part, with margins.
    fn whole(&self, typed: &str) -> String {
        self.page.edited(&self.window, &code_of(typed), "").text()
    }

    /// All of the code and the cursor.
    fn page(&self, context: &EventContext) -> CodePage {
        let (before, after) = context.line().split_at(context.pos());
        self.page.edited(&self.window, &code_of(before), &code_of(after))
    }

    /// Leaves this part for the one around the cursor.
    fn leave(&self, page: CodePage) -> Cmd {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(page);
        Cmd::AcceptLine
    }
}

/// A key that moves the cursor to lines above or below those that are shown.
struct Over {
    part: Arc<CodePart>,
    lines: isize,
    /// Whether it does so from any line, not only from the first or the last one.
    from_within: bool,
}

impl ConditionalEventHandler for Over {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let window = &self.part.window;
        let (before, after) = context.line().split_at(context.pos());
        let (there, within) = match self.lines < 0 {
            true => (window.start > 0, before.contains('\n')),
            false => (window.end < self.part.page.count(), after.contains('\n')),
        };
        let goes = there && (self.from_within || !within);
        goes.then(|| self.part.leave(self.part.page(context).moved(self.lines)))
    }
}

/// A key at the start of a line. At the start of the first line that is shown, the line above is not there to go to, and at the
/// end of the last one, that below.
struct AtStart {
    part: Arc<CodePart>,
    key: BoundKey,
}

impl ConditionalEventHandler for AtStart {
    fn handle(
        &self,
        event: &Event,
        count: RepeatCount,
        positive: bool,
        context: &EventContext,
    ) -> Option<Cmd> {
        let goes = matches!(self.key, BoundKey::Backspace | BoundKey::Left);
        if goes && context.pos() == 0 && self.part.window.start > 0 {
            let page = self.part.page(context).back(self.key == BoundKey::Backspace);
            return Some(self.part.leave(page));
        }
        let is_last = context.pos() == context.line().len();
        if is_last && self.part.window.end < self.part.page.count() {
            let below = || self.part.page(context).below();
            match self.key {
                BoundKey::Delete | BoundKey::KillToEnd => return Some(self.part.leave(below().back(true))),
                BoundKey::Right => return Some(self.part.leave(below())),
                _ => {}
            }
        }
        KeyHandler { key: self.key }.handle(event, count, positive, context)
    }
}

/// A character, a paste, or Enter: it ends the code on an empty line at its end; elsewhere it adds a line, indented as the one above.
struct Typed {
    part: Arc<CodePart>,
}

impl ConditionalEventHandler for Typed {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let (before, after) = context.line().split_at(context.pos());
        let all = self.part.page(context);
        let (all_before, all_after) = all.around_cursor(&(0..all.count()));
        let plain = without_margins(before);
        let pasted = of_paste(event);
        if pasted == Some(None) {
            return Some(Cmd::Noop);
        }
        let typed = match (pasted.flatten(), event.get(0)?) {
            (Some(text), _) => text,
            (_, KeyEvent(KeyCode::Enter, _)) if ends(&all_before, &all_after) => {
                return Some(Cmd::AcceptLine);
            }
            (_, KeyEvent(KeyCode::Enter, _)) => {
                format!("\n{}", " ".repeat(Cursor::new(&plain, plain.len()).indent()))
            }
            (_, KeyEvent(KeyCode::Char(letter), Modifiers::NONE | Modifiers::SHIFT)) => letter.to_string(),
            (_, KeyEvent(KeyCode::Tab, Modifiers::NONE)) => "    ".to_owned(),
            _ => return None,
        };
        let longer = format!("{plain}{typed}");
        if rows_of(&format!("{longer}{}", without_margins(after)), self.part.columns) > self.part.rows {
            let page = self.part.page.edited(&self.part.window, &longer, &code_of(after));
            return Some(self.part.leave(page));
        }
        let whole = self.part.gutter.with_margins(&longer);
        whole.strip_prefix(before).map(|typed| Cmd::Insert(1, typed.to_owned()))
    }
}

/// Undo ends at the code that the editor began with: for the line editor that was typed too.
struct Undo {
    first: String,
}

impl ConditionalEventHandler for Undo {
    fn handle(&self, _: &Event, count: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        Some(if context.line() == self.first { Cmd::Noop } else { Cmd::Undo(count) })
    }
}

/// Whether Enter ends the code, given the text before and after the cursor: on an empty line. Between the methods of a class,
/// and after a function that the next lines call, there is one, so there it takes two.
pub fn ends(before: &str, after: &str) -> bool {
    let is_outer =
        |line: &&str| !line.trim().is_empty() && !without_margins(line).starts_with([' ', '#', ')']);
    let opens = |line: &str| ["class ", "def ", "async def "].iter().any(|word| line.starts_with(word));
    let in_block = before.lines().rev().find(is_outer).is_some_and(|line| opens(&without_margins(line)));
    let empty = before.rsplit('\n').take_while(|line| line.trim().is_empty()).count();
    after.trim().is_empty() && empty > usize::from(in_block)
}

/// The line editor's helper, which colours the code and numbers its lines.
struct CodeEditor {
    look: Look,
    part: Arc<CodePart>,
    /// All of the code as it is: an editor that is left does not return it.
    written: Rc<RefCell<String>>,
}

impl Helper for CodeEditor {}

impl Completer for CodeEditor {
    type Candidate = String;

    /// There is nothing to complete: a key may ask for other text before the cursor.
    fn complete(&self, _: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let asked = KeyHandler::take_replacement();
        Ok(asked.map_or((pos, Vec::new()), |(start, text)| (start, vec![text])))
    }
}

impl Hinter for CodeEditor {
    type Hint = String;

    /// There is nothing to hint at; what is written is kept should the process die.
    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        let whole = self.part.whole(line);
        journal::note(&Entry::Draft(whole.clone()));
        *self.written.borrow_mut() = whole;
        None
    }
}

impl Validator for CodeEditor {}

impl Highlighter for CodeEditor {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(self.part.gutter.drawn(line, self.look))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(one_line(Line::new().with(Role::Dim, prompt), self.look))
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

fn line_by_line(text: &str, shell: &mut Shell) -> Result<EditedCode, Failure> {
    let mut lines: Vec<String> = Vec::new();
    let written = |lines: &[String]| if lines.is_empty() { text.to_owned() } else { lines.join("\n") };
    loop {
        let TypedLine::Line(line) = read_line("... ", shell)? else {
            return Ok(EditedCode::Left(written(&lines)));
        };
        match line.trim() {
            "." => return Ok(EditedCode::Run(written(&lines))),
            "cancel" if lines.is_empty() => return Ok(EditedCode::Left(text.to_owned())),
            _ => lines.push(line),
        }
    }
}

/// The editor that the variable VISUAL or EDITOR names.
pub(crate) fn external() -> Option<String> {
    let named = |name: &str| env::var(name).ok().filter(|command| !command.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// Code that is open in the learner's own editor.
pub(crate) struct OpenedFile {
    command: String,
    editor: Child,
    /// The file; it goes with this value.
    file: Option<TempPath>,
    /// What was in the file when it was last read.
    text: String,
}

/// Opens code as a file in the learner's own editor. Errors: a sentence that says why it is not open.
pub(crate) fn opened(slug: &str, text: &str) -> Result<OpenedFile, String> {
    let command = external().ok_or("neither VISUAL nor EDITOR names an editor")?;
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("VISUAL and EDITOR are empty")?;
    let text = format!("{}\n", text.trim_end());
    let (editor, file) = outside(|| {
        let made = tempfile::Builder::new().prefix(&format!("{slug}-")).suffix(".py").tempfile();
        let mut file = made.map_err(|error| format!("no file can be made for it: {error}"))?;
        file.write_all(text.as_bytes()).map_err(|error| format!("the file cannot be written: {error}"))?;
        // Another attn that is started in the editor keeps itself.
        let started =
            Command::new(program).args(words).arg(file.path()).env_remove(journal::VARIABLE).spawn();
        let editor = started.map_err(|error| format!("`{command}` cannot be started: {error}"))?;
        Ok::<_, String>((editor, file.into_temp_path()))
    })?;
    Ok(OpenedFile { command, editor, file: Some(file), text })
}

impl OpenedFile {
    /// Whether the editor has a window of its own: such an editor waits only if an option says so.
    pub(crate) fn has_window(&self) -> bool {
        self.command.split_whitespace().skip(1).any(|word| matches!(word, "-w" | "--wait" | "--nofork"))
    }

    /// Whether the editor has ended. Errors: it ended with an error.
    pub(crate) fn ended(&mut self) -> Result<bool, String> {
        match self.editor.try_wait() {
            Ok(None) => Ok(false),
            Ok(Some(status)) if status.success() => Ok(true),
            Ok(Some(_)) => Err(format!("`{}` ended with an error; nothing was run", self.command)),
            Err(error) => Err(format!("`{}` is lost: {error}", self.command)),
        }
    }

    /// What was saved since this was last asked, if it is something else.
    pub(crate) fn saved(&mut self) -> Option<String> {
        // Read by name, since many editors write a new file and rename it.
        self.file.as_deref().and_then(|file| changed(file, &mut self.text))
    }
}

impl Drop for OpenedFile {
    fn drop(&mut self) {
        let file = self.file.take();
        outside(|| drop(file));
    }
}

/// The text of a file, if it is another one than `known`, which it then becomes.
pub(crate) fn changed(path: &Path, known: &mut String) -> Option<String> {
    let text = fs::read_to_string(path).ok().filter(|text| text.trim() != known.trim())?;
    known.clone_from(&text);
    Some(text)
}
