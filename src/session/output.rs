//! Where a cell's `print` goes: `sys.stdout` and `sys.stderr` as native objects over one sink.
//! Collects text, hands it on to a listener; writes nowhere.

use std::{cell::RefCell, fmt, rc::Rc};

use rustpython_vm::{
    PyObjectRef, PyPayload, PyResult, VirtualMachine, builtins::PyStrRef, class::PyClassImpl,
    function::FuncArgs, pyclass,
};

/// Which of the two streams a piece of output came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// What the cell printed.
    Stdout,
    /// Warnings and remarks.
    Stderr,
}

/// Hears each piece of output while the cell still runs.
pub type Listener = Box<dyn FnMut(Channel, &str)>;

/// What a cell has written so far.
pub(super) struct Sink {
    stdout: String,
    stderr: String,
    limit: usize,
    full: bool,
    listener: Option<Listener>,
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").field("stdout", &self.stdout.len()).finish_non_exhaustive()
    }
}

impl Sink {
    pub(super) fn new(limit: usize, listener: Option<Listener>) -> Sink {
        Sink { stdout: String::new(), stderr: String::new(), limit, full: false, listener }
    }

    pub(super) fn set_listener(&mut self, listener: Option<Listener>) {
        self.listener = listener;
    }

    pub(super) fn write(&mut self, channel: Channel, text: &str) {
        if self.full {
            return;
        }
        let room = self.limit.saturating_sub(self.stdout.len() + self.stderr.len());
        if text.len() <= room {
            self.push(channel, text);
            return;
        }
        self.full = true;
        let mut end = room;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.push(channel, &text[..end]);
        let remark = format!("\n[output cut here: this cell wrote more than {}]\n", size(self.limit));
        self.push(Channel::Stderr, &remark);
    }

    fn push(&mut self, channel: Channel, text: &str) {
        match channel {
            Channel::Stdout => self.stdout.push_str(text),
            Channel::Stderr => self.stderr.push_str(text),
        }
        if let Some(listener) = &mut self.listener {
            listener(channel, text);
        }
    }

    /// Takes what was written, and makes room for the next cell.
    pub(super) fn take(&mut self) -> (String, String) {
        self.full = false;
        (std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr))
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        n if n >= 1 << 20 => format!("{} MB", n >> 20),
        n if n >= 1 << 10 => format!("{} kB", n >> 10),
        n => format!("{n} bytes"),
    }
}

/// The object that stands as `sys.stdout` or `sys.stderr`.
#[pyclass(module = "attn", name = "OutStream")]
#[derive(Debug, PyPayload)]
pub(super) struct OutStream {
    sink: Rc<RefCell<Sink>>,
    channel: Channel,
}

impl OutStream {
    pub(super) fn new(sink: &Rc<RefCell<Sink>>, channel: Channel) -> OutStream {
        OutStream::make_static_type();
        OutStream { sink: sink.clone(), channel }
    }
}

#[pyclass]
impl OutStream {
    #[pymethod]
    fn write(&self, text: PyStrRef) -> usize {
        let wtf8 = text.as_wtf8();
        // A lone surrogate cannot be shown; it stands as the replacement character.
        self.sink.borrow_mut().write(self.channel, &wtf8.to_string_lossy());
        wtf8.code_points().count()
    }

    #[pymethod]
    fn writelines(&self, lines: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        for line in lines.try_to_value::<Vec<PyStrRef>>(vm)? {
            self.write(line);
        }
        Ok(())
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
    fn writable(&self) -> bool {
        true
    }

    #[pymethod]
    fn readable(&self) -> bool {
        false
    }

    #[pymethod]
    fn seekable(&self) -> bool {
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
    fn errors(&self) -> &'static str {
        "strict"
    }

    #[pygetset]
    fn closed(&self) -> bool {
        false
    }

    #[pygetset]
    fn name(&self) -> &'static str {
        match self.channel {
            Channel::Stdout => "<stdout>",
            Channel::Stderr => "<stderr>",
        }
    }
}
