//! `sys.stdout` and `sys.stderr` of a cell: native objects that collect text in one buffer.
//! A listener receives each piece as it is written; this module writes to no file.

use std::{cell::RefCell, fmt, rc::Rc};

use rustpython_vm::{
    PyObjectRef, PyPayload, PyResult, VirtualMachine, builtins::PyStrRef, class::PyClassImpl,
    function::FuncArgs, pyclass,
};

use crate::shims::PlottedFigure;
use crate::tensor::size_in_words;

/// The stream that a piece of output was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// What the cell printed.
    Stdout,
    /// Warnings and remarks.
    Stderr,
    /// How far the cell is, as one line that replaces the one before; empty if there is none. It is not recorded.
    Progress,
}

/// Is called with each piece of output while the cell runs.
pub(crate) type Listener = Box<dyn FnMut(Channel, &str)>;

/// The output that a cell has written so far.
#[derive(Default)]
pub(super) struct OutputBuffer {
    stdout: String,
    stderr: String,
    figures: Vec<PlottedFigure>,
    limit: usize,
    full: bool,
    /// Whether the listener shows a line of progress.
    progress: bool,
    listener: Option<Listener>,
}

impl fmt::Debug for OutputBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputBuffer").field("stdout", &self.stdout.len()).finish_non_exhaustive()
    }
}

impl OutputBuffer {
    pub(super) fn new(limit: usize, listener: Option<Listener>) -> OutputBuffer {
        OutputBuffer { limit, listener, ..OutputBuffer::default() }
    }

    /// Sets the listener, and returns the one before.
    pub(super) fn set_listener(&mut self, listener: Option<Listener>) -> Option<Listener> {
        std::mem::replace(&mut self.listener, listener)
    }

    /// Shows how far the cell is; nothing if the line is empty.
    fn progress(&mut self, line: &str) {
        if let Some(listener) = self.listener.as_mut().filter(|_| self.progress || !line.is_empty()) {
            self.progress = !line.is_empty();
            listener(Channel::Progress, line);
        }
    }

    pub(super) fn write(&mut self, channel: Channel, text: &str) {
        if self.full {
            return;
        }
        let free = self.limit.saturating_sub(self.stdout.len() + self.stderr.len());
        if text.len() <= free {
            self.push(channel, text);
            return;
        }
        self.full = true;
        self.push(channel, &text[..text.floor_char_boundary(free)]);
        let remark =
            format!("\n[output cut here: this cell wrote more than {}]\n", size_in_words(self.limit as f64));
        self.push(Channel::Stderr, &remark);
    }

    fn push(&mut self, channel: Channel, text: &str) {
        match channel {
            Channel::Stdout => self.stdout.push_str(text),
            Channel::Stderr => self.stderr.push_str(text),
            Channel::Progress => {}
        }
        if let Some(listener) = &mut self.listener {
            listener(channel, text);
        }
    }

    /// Keeps a figure of the running cell.
    pub(super) fn plot(&mut self, figure: PlottedFigure) {
        self.figures.push(figure);
    }

    /// Returns the figures, and forgets them.
    pub(super) fn take_figures(&mut self) -> Vec<PlottedFigure> {
        std::mem::take(&mut self.figures)
    }

    /// Returns stdout and stderr, and empties the buffer for the next cell.
    pub(super) fn take(&mut self) -> (String, String) {
        // A cell that raised may have left it.
        self.progress("");
        self.full = false;
        (std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr))
    }
}

/// The Python object `sys.stdout` or `sys.stderr`.
#[pyclass(module = "attn", name = "OutStream")]
#[derive(Debug, PyPayload)]
pub(super) struct OutStream {
    buffer: Rc<RefCell<OutputBuffer>>,
    channel: Channel,
}

impl OutStream {
    pub(super) fn new(buffer: &Rc<RefCell<OutputBuffer>>, channel: Channel) -> OutStream {
        OutStream::make_static_type();
        OutStream { buffer: buffer.clone(), channel }
    }
}

#[pyclass]
impl OutStream {
    #[pymethod]
    fn write(&self, text: PyStrRef) -> usize {
        let wtf8 = text.as_wtf8();
        // A lone surrogate is not valid UTF-8: it is written as the replacement character.
        self.buffer.borrow_mut().write(self.channel, &wtf8.to_string_lossy());
        wtf8.code_points().count()
    }

    #[pymethod]
    fn writelines(&self, lines: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        for line in lines.try_to_value::<Vec<PyStrRef>>(vm)? {
            self.write(line);
        }
        Ok(())
    }

    /// Shows a line that says how far the cell is.
    #[pymethod]
    fn progress(&self, line: PyStrRef) {
        self.buffer.borrow_mut().progress(&line.as_wtf8().to_string_lossy());
    }

    #[pymethod]
    fn flush(&self) {}

    #[pymethod]
    fn reconfigure(&self, _args: FuncArgs) {}

    #[pymethod]
    fn isatty(&self) -> bool {
        false
    }

    #[pymethod]
    fn fileno(&self, vm: &VirtualMachine) -> PyResult<i32> {
        Err(vm.new_os_error("attn's streams are no files: they have no fileno"))
    }

    #[pygetset]
    fn encoding(&self) -> &'static str {
        "utf-8"
    }

    #[pygetset]
    fn closed(&self) -> bool {
        false
    }

    #[pygetset]
    fn name(&self) -> &'static str {
        match self.channel {
            Channel::Stdout => "<stdout>",
            Channel::Stderr | Channel::Progress => "<stderr>",
        }
    }
}
