//! Breaking lines as IPython's pretty printer breaks them: groups that stay on one line if they
//! fit into 79 columns, and otherwise break at all of their own joints, outermost group first.
//! Text only; knows no Python. Source: Oppen 1980, as IPython.lib.pretty applies it.

use std::collections::VecDeque;

/// Columns that a line may take.
const WIDTH: usize = 79;

/// Lays out text, joints and groups into lines.
pub(super) struct Layout {
    out: String,
    /// Columns of the current line that are already in `out`.
    written: usize,
    /// Columns that wait in `buffer`.
    waiting: usize,
    buffer: VecDeque<Piece>,
    groups: Vec<Group>,
    /// Open groups, innermost last.
    open: Vec<usize>,
    /// Groups that may still be broken, by depth.
    breakable: Vec<Vec<usize>>,
    indent: usize,
}

enum Piece {
    Text { text: String, width: usize },
    Joint { text: &'static str, indent: usize, group: usize },
}

impl Piece {
    fn width(&self) -> usize {
        match self {
            Piece::Text { width, .. } => *width,
            Piece::Joint { text, .. } => text.len(),
        }
    }
}

#[derive(Default)]
struct Group {
    depth: usize,
    /// Joints of this group that wait in the buffer.
    joints: usize,
    broken: bool,
}

impl Layout {
    pub(super) fn new() -> Layout {
        Layout {
            out: String::new(),
            written: 0,
            waiting: 0,
            buffer: VecDeque::new(),
            groups: vec![Group::default()],
            open: vec![0],
            breakable: vec![vec![0]],
            indent: 0,
        }
    }

    /// The lines, once everything was laid out.
    pub(super) fn finish(mut self) -> String {
        self.flush();
        self.out
    }

    /// Adds text that stays in one piece.
    pub(super) fn text(&mut self, text: &str) {
        let width = text.chars().count();
        if self.buffer.is_empty() {
            self.out.push_str(text);
            self.written += width;
            return;
        }
        match self.buffer.back_mut() {
            Some(Piece::Text { text: waiting, width: columns }) => {
                waiting.push_str(text);
                *columns += width;
            }
            _ => self.buffer.push_back(Piece::Text { text: text.to_owned(), width }),
        }
        self.waiting += width;
        self.break_outer_groups();
    }

    /// A space, or a line end if the group around it does not fit.
    pub(super) fn joint(&mut self) {
        let group = self.innermost();
        if self.groups[group].broken {
            self.line_end();
            return;
        }
        self.groups[group].joints += 1;
        self.buffer.push_back(Piece::Joint { text: " ", indent: self.indent, group });
        self.waiting += 1;
        self.break_outer_groups();
    }

    /// A line end in any case; the outermost group that can still be broken breaks with it.
    pub(super) fn forced_line_end(&mut self) {
        if let Some(group) = self.outermost_to_break() {
            self.break_group(group);
        }
        self.line_end();
    }

    fn line_end(&mut self) {
        self.flush();
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.written = self.indent;
        self.waiting = 0;
    }

    /// Begins a group that opens with `opening`; its lines are set in by `indent` more.
    pub(super) fn begin(&mut self, indent: usize, opening: &str) {
        if !opening.is_empty() {
            self.text(opening);
        }
        let depth = self.groups[self.innermost()].depth + 1;
        let group = self.groups.len();
        self.groups.push(Group { depth, ..Group::default() });
        self.open.push(group);
        if self.breakable.len() <= depth {
            self.breakable.resize_with(depth + 1, Vec::new);
        }
        self.breakable[depth].push(group);
        self.indent += indent;
    }

    /// Ends the innermost group, which was begun with the same `indent`.
    pub(super) fn end(&mut self, indent: usize, closing: &str) {
        self.indent -= indent;
        let group = self.open.pop().unwrap_or(0);
        if self.groups[group].joints == 0 {
            self.settle(group);
        }
        if !closing.is_empty() {
            self.text(closing);
        }
    }

    fn innermost(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    fn settle(&mut self, group: usize) {
        let waiting = &mut self.breakable[self.groups[group].depth];
        if let Some(position) = waiting.iter().position(|&other| other == group) {
            waiting.remove(position);
        }
    }

    fn break_outer_groups(&mut self) {
        while WIDTH < self.written + self.waiting {
            let Some(group) = self.outermost_to_break() else {
                return;
            };
            self.break_group(group);
        }
    }

    fn break_group(&mut self, group: usize) {
        while self.groups[group].joints > 0 || matches!(self.buffer.front(), Some(Piece::Text { .. })) {
            let Some(piece) = self.buffer.pop_front() else {
                return;
            };
            self.waiting -= piece.width();
            self.put(piece);
        }
    }

    fn outermost_to_break(&mut self) -> Option<usize> {
        for depth in 0..self.breakable.len() {
            let found = self.breakable[depth].iter().rev().position(|&group| self.groups[group].joints > 0);
            if let Some(from_end) = found {
                let group = self.breakable[depth][self.breakable[depth].len() - 1 - from_end];
                // IPython takes the entry at this index counted from the other end out of its list.
                self.breakable[depth].remove(from_end);
                self.groups[group].broken = true;
                return Some(group);
            }
            for group in std::mem::take(&mut self.breakable[depth]) {
                self.groups[group].broken = true;
            }
        }
        None
    }

    fn put(&mut self, piece: Piece) {
        match piece {
            Piece::Text { text, width } => {
                self.out.push_str(&text);
                self.written += width;
            }
            Piece::Joint { text, indent, group } => {
                self.groups[group].joints -= 1;
                if self.groups[group].broken {
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n(' ', indent));
                    self.written = indent;
                    return;
                }
                if self.groups[group].joints == 0 {
                    self.settle(group);
                }
                self.out.push_str(text);
                self.written += text.len();
            }
        }
    }

    fn flush(&mut self) {
        while let Some(piece) = self.buffer.pop_front() {
            self.put(piece);
        }
        self.waiting = 0;
    }
}
