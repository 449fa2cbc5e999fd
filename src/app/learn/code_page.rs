//! Code that may be longer than the screen: its lines, the cursor, and the lines around the cursor that the screen has space for.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Code and the place of the cursor in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePage {
    lines: Vec<String>,
    /// The line of the cursor, from 0, and how many characters of it are before the cursor.
    cursor: (usize, usize),
}

impl CodePage {
    /// The cursor is at the end.
    pub fn at_end(text: &str) -> CodePage {
        CodePage::of(text, "")
    }

    /// The cursor is at the end of a line, from 1.
    pub fn at_line(self, line: usize) -> CodePage {
        let column = self.lines[line - 1].chars().count();
        CodePage { cursor: (line - 1, column), ..self }
    }

    /// The code before the cursor and after it.
    fn of(before: &str, after: &str) -> CodePage {
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let lines = format!("{before}{after}").split('\n').map(str::to_owned).collect();
        CodePage { lines, cursor: (before.matches('\n').count(), column) }
    }

    /// The lines around the cursor that fit into so many rows of so many columns: all of them, or half of the rows before
    /// the cursor.
    pub fn window(&self, rows: usize, columns: usize) -> Range<usize> {
        let tall = |at: usize| rows_of(&self.lines[at], columns);
        let (mut start, mut end) = (self.cursor.0, self.cursor.0 + 1);
        let mut free = rows.saturating_sub(tall(start));
        let half = free / 2;
        while start > 0 && free.saturating_sub(half) >= tall(start - 1) {
            start -= 1;
            free -= tall(start);
        }
        while end < self.lines.len() && free >= tall(end) {
            free -= tall(end);
            end += 1;
        }
        while start > 0 && free >= tall(start - 1) {
            start -= 1;
            free -= tall(start);
        }
        start..end
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The code of these lines before the cursor, and after it.
    pub fn around_cursor(&self, window: &Range<usize>) -> (String, String) {
        let (line, column) = self.cursor;
        let at = self.lines[line].char_indices().nth(column).map_or(self.lines[line].len(), |(at, _)| at);
        let (before, after) = self.lines[line].split_at(at);
        let above = self.lines[window.start..line].iter().map(|line| format!("{line}\n"));
        let below = self.lines[line + 1..window.end].iter().map(|line| format!("\n{line}"));
        (above.collect::<String>() + before, after.to_owned() + &below.collect::<String>())
    }

    /// The code whose lines in `window` became these, before the cursor and after it.
    pub fn edited(&self, window: &Range<usize>, before: &str, after: &str) -> CodePage {
        let above = self.lines[..window.start].iter().map(|line| format!("{line}\n"));
        let below = self.lines[window.end..].iter().map(|line| format!("\n{line}"));
        CodePage::of(&(above.collect::<String>() + before), &(after.to_owned() + &below.collect::<String>()))
    }

    /// The cursor so many lines further down, or up.
    pub fn moved(mut self, lines: isize) -> CodePage {
        self.cursor.0 = self.cursor.0.saturating_add_signed(lines).min(self.lines.len() - 1);
        self.cursor.1 = self.cursor.1.min(self.lines[self.cursor.0].chars().count());
        self
    }

    /// The cursor at the start of the line below.
    pub fn below(mut self) -> CodePage {
        self.cursor = ((self.cursor.0 + 1).min(self.lines.len() - 1), 0);
        self
    }

    /// The cursor at the end of the line above, to which its line is joined if asked.
    pub fn back(mut self, joins: bool) -> CodePage {
        let Some(above) = self.cursor.0.checked_sub(1) else { return self };
        self.cursor = (above, self.lines[above].chars().count());
        if joins {
            let line = self.lines.remove(above + 1);
            self.lines[above].push_str(&line);
        }
        self
    }

    /// All of the code.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// The rows that code takes on the screen.
pub fn rows_of(text: &str, columns: usize) -> usize {
    // A line that fills its row has the cursor after it in the next one.
    text.split('\n').map(|line| line.width() / columns.max(1) + 1).sum()
}
