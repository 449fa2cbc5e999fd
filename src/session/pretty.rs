//! Breaks lines as IPython's pretty printer does: a group stays on one line if it fits into 79 columns; otherwise it
//! breaks at all of its breakables, the outermost group first.
//! Source: Oppen 1980, as `IPython.lib.pretty` applies it.

use std::collections::VecDeque;

/// The width of a line in columns.
const MAX_WIDTH: usize = 79;

/// Writes texts, breakables and groups as lines.
pub(super) struct PrettyPrinter {
    out: String,
    /// The width of the current line in `out`.
    out_width: usize,
    /// The width of `buffer`.
    buffer_width: usize,
    buffer: VecDeque<LinePart>,
    groups: Vec<PrettyGroup>,
    /// The open groups, innermost last.
    open: Vec<usize>,
    /// The groups that may still be broken, by depth.
    group_queue: Vec<Vec<usize>>,
    indent: usize,
}

/// A part of the current line whose place is not decided yet.
enum LinePart {
    Text { text: String, width: usize },
    Breakable { text: &'static str, indent: usize, group: usize },
}

impl LinePart {
    fn width(&self) -> usize {
        match self {
            LinePart::Text { width, .. } => *width,
            LinePart::Breakable { text, .. } => text.len(),
        }
    }
}

#[derive(Default)]
struct PrettyGroup {
    depth: usize,
    /// The number of breakables of this group in the buffer.
    breakables: usize,
    broken: bool,
}

impl PrettyPrinter {
    pub(super) fn new() -> PrettyPrinter {
        PrettyPrinter {
            out: String::new(),
            out_width: 0,
            buffer_width: 0,
            buffer: VecDeque::new(),
            groups: vec![PrettyGroup::default()],
            open: vec![0],
            group_queue: vec![vec![0]],
            indent: 0,
        }
    }

    /// Returns the lines.
    pub(super) fn finish(mut self) -> String {
        self.flush();
        self.out
    }

    /// Adds text that is not broken.
    pub(super) fn text(&mut self, text: &str) {
        let width = text.chars().count();
        if self.buffer.is_empty() {
            self.out.push_str(text);
            self.out_width += width;
            return;
        }
        match self.buffer.back_mut() {
            Some(LinePart::Text { text: buffered, width: columns }) => {
                buffered.push_str(text);
                *columns += width;
            }
            _ => self.buffer.push_back(LinePart::Text { text: text.to_owned(), width }),
        }
        self.buffer_width += width;
        self.break_outer_groups();
    }

    /// Adds a breakable: a space, or a line break if the group around it does not fit.
    pub(super) fn space_or_break(&mut self) {
        let group = self.innermost();
        if self.groups[group].broken {
            self.new_line();
            return;
        }
        self.groups[group].breakables += 1;
        self.buffer.push_back(LinePart::Breakable { text: " ", indent: self.indent, group });
        self.buffer_width += 1;
        self.break_outer_groups();
    }

    /// Adds a line break. The outermost group that can still be broken breaks too.
    pub(super) fn line_break(&mut self) {
        if let Some(group) = self.outermost_to_break() {
            self.break_group(group);
        }
        self.new_line();
    }

    fn new_line(&mut self) {
        self.flush();
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.out_width = self.indent;
        self.buffer_width = 0;
    }

    /// Begins a group that opens with `opening` and indents its lines by `indent` more.
    pub(super) fn begin_group(&mut self, indent: usize, opening: &str) {
        if !opening.is_empty() {
            self.text(opening);
        }
        let depth = self.groups[self.innermost()].depth + 1;
        let group = self.groups.len();
        self.groups.push(PrettyGroup { depth, ..PrettyGroup::default() });
        self.open.push(group);
        if self.group_queue.len() <= depth {
            self.group_queue.resize_with(depth + 1, Vec::new);
        }
        self.group_queue[depth].push(group);
        self.indent += indent;
    }

    /// Ends the innermost group, which began with the same `indent`.
    pub(super) fn end_group(&mut self, indent: usize, closing: &str) {
        self.indent -= indent;
        let group = self.open.pop().expect("every group that ends has begun");
        if self.groups[group].breakables == 0 {
            self.remove_from_queue(group);
        }
        if !closing.is_empty() {
            self.text(closing);
        }
    }

    fn innermost(&self) -> usize {
        *self.open.last().expect("the outermost group stays open")
    }

    fn remove_from_queue(&mut self, group: usize) {
        let queue = &mut self.group_queue[self.groups[group].depth];
        if let Some(position) = queue.iter().position(|&other| other == group) {
            queue.remove(position);
        }
    }

    fn break_outer_groups(&mut self) {
        while MAX_WIDTH < self.out_width + self.buffer_width {
            let Some(group) = self.outermost_to_break() else {
                return;
            };
            self.break_group(group);
        }
    }

    fn break_group(&mut self, group: usize) {
        while self.groups[group].breakables > 0 || matches!(self.buffer.front(), Some(LinePart::Text { .. }))
        {
            let Some(piece) = self.buffer.pop_front() else {
                return;
            };
            self.buffer_width -= piece.width();
            self.write(piece);
        }
    }

    fn outermost_to_break(&mut self) -> Option<usize> {
        for depth in 0..self.group_queue.len() {
            let found =
                self.group_queue[depth].iter().rev().position(|&group| self.groups[group].breakables > 0);
            if let Some(from_end) = found {
                let group = self.group_queue[depth][self.group_queue[depth].len() - 1 - from_end];
                // IPython removes the entry at this index counted from the other end. This keeps its output.
                self.group_queue[depth].remove(from_end);
                self.groups[group].broken = true;
                return Some(group);
            }
            for group in std::mem::take(&mut self.group_queue[depth]) {
                self.groups[group].broken = true;
            }
        }
        None
    }

    fn write(&mut self, piece: LinePart) {
        match piece {
            LinePart::Text { text, width } => {
                self.out.push_str(&text);
                self.out_width += width;
            }
            LinePart::Breakable { text, indent, group } => {
                self.groups[group].breakables -= 1;
                if self.groups[group].broken {
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n(' ', indent));
                    self.out_width = indent;
                    return;
                }
                if self.groups[group].breakables == 0 {
                    self.remove_from_queue(group);
                }
                self.out.push_str(text);
                self.out_width += text.len();
            }
        }
    }

    fn flush(&mut self) {
        while let Some(piece) = self.buffer.pop_front() {
            self.write(piece);
        }
        self.buffer_width = 0;
    }
}
