//! The session: one interpreter and one namespace, in which cells run one after another.

use std::{
    cell::RefCell,
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustpython_vm::{
    AsObject, Interpreter, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyDict},
    scope::Scope,
};

use super::{
    builtins,
    cell::{CompiledCell, InputState},
    error_context::ErrorContext,
    interrupt::Interrupter,
    machine,
    magics::{self, CellMode},
    memory,
    namespace::{self, NamespaceSnapshot, Variable},
    nested,
    output::{Channel, Listener, OutputBuffer},
    raised::Raised,
    running, setup,
    turn::Turn,
};
use crate::{
    kernel::{buffer_pool, random::Family},
    ops::{self, trace::Trace},
    shims::{FileAccess, LocalModules, PlottedFigure, plots},
    tensor::Tensor,
    torch::{self, FrameObserver},
};

pub struct SessionOptions {
    /// Receives output while the cell runs. The [`Outcome`] contains all output in any case.
    pub on_output: Option<Listener>,
    /// The most bytes of output that are kept for one cell. The rest is dropped, and stderr says so.
    pub max_output: usize,
    /// The most bytes that one object, and the process as a whole, may use. Beyond it a cell raises `MemoryError`.
    pub max_memory: usize,
    /// The PyTorch build whose random numbers dropout and similar operations draw.
    pub random: Family,
    /// The kinds of devices for which the CPU is taken: `cuda`.
    pub on_cpu: Vec<String>,
    /// The files that cells may open.
    pub files: FileAccess,
    /// The folders whose modules cells may import.
    pub modules: LocalModules,
}

impl Default for SessionOptions {
    fn default() -> Self {
        SessionOptions {
            on_output: None,
            max_output: 1 << 20,
            max_memory: machine::default_limit(),
            random: Family::default(),
            on_cpu: Vec::new(),
            files: FileAccess::default(),
            modules: LocalModules::default(),
        }
    }
}

/// The outcome of running a cell.
#[derive(Clone, Default)]
pub struct Outcome {
    /// What the cell printed.
    pub stdout: String,
    /// Warnings and remarks.
    pub stderr: String,
    /// The value of the last bare expression as Jupyter shows it, if it is shown.
    pub result: Option<String>,
    /// The exception that ended the cell.
    pub error: Option<Raised>,
    /// How long the cell ran.
    pub(crate) elapsed: Duration,
    /// The tensors that the cell bound or changed in place, in the order of binding.
    pub changed: Vec<Variable>,
    pub figures: Vec<PlottedFigure>,
}

impl Outcome {
    /// Whether there is anything to see of it: printed text, a value, a tensor or a plot.
    pub(crate) fn shows_something(&self) -> bool {
        !self.stdout.is_empty()
            || self.result.is_some()
            || !self.changed.is_empty()
            || !self.figures.is_empty()
    }
}

/// A Python interpreter with one namespace that all cells share.
pub struct Session {
    pub(super) interpreter: Interpreter,
    pub(super) scope: Scope,
    pub(super) observer: Rc<FrameObserver>,
    pub(super) output: Rc<RefCell<OutputBuffer>>,
    pub(super) state: Rc<ops::State>,
    has_written: Arc<AtomicBool>,
    interrupter: Interrupter,
    memory: memory::MemoryWatch,
    runs: u64,
    cells: HashMap<String, String>,
    error_context: RefCell<ErrorContext>,
    /// Ends last, after all objects of the interpreter.
    _turn: Turn,
}

impl Drop for Session {
    /// Empties the modules: they and their functions refer to each other, so that nothing else frees them. It happens outside
    /// of the interpreter, where no finalizer of a learner's class runs: one that does not end could not be stopped.
    fn drop(&mut self) {
        let modules = self.interpreter.enter(|vm| vm.sys_module.get_attr("modules", vm).ok());
        let modules = modules.and_then(|modules| modules.downcast::<PyDict>().ok());
        let modules: Vec<_> = modules.iter().flat_map(|it| &**it).map(|(_, module)| module).collect();
        self.scope.globals.clear();
        modules.iter().filter_map(|module| module.dict()).for_each(|names| names.clear());
    }
}

impl Session {
    /// Starts an interpreter with an empty namespace. It takes some milliseconds; while another thread has sessions, it waits
    /// for their end ([`turn`](super::turn)).
    pub fn new(options: SessionOptions) -> Session {
        let turn = Turn::take();
        running::silence_panics();
        let (interrupter, signals) = Interrupter::new();
        let interpreter = setup::interpreter(signals);
        let output = Rc::new(RefCell::new(OutputBuffer::new(options.max_output, options.on_output)));
        let state = ops::State::new(options.random);
        let has_written = options.files.has_written();
        state.on_cpu.replace(options.on_cpu);
        let (scope, observer) = interpreter.enter(|vm| {
            memory::install(options.max_memory, vm);
            // The buffers of freed tensors that are kept for new ones use a part of the limit.
            buffer_pool::set_limit(options.max_memory / 8);
            setup::install(&output, &state, options.files, options.modules, vm).unwrap_or_else(|exception| {
                let raised = Raised::read(&exception, "", |_| false, vm);
                panic!("attn's interpreter does not start: {}", raised.message)
            })
        });
        let memory = memory::MemoryWatch::start(options.max_memory, interrupter.clone());
        Session {
            interpreter,
            scope,
            observer,
            output,
            state,
            has_written,
            interrupter,
            memory,
            runs: 0,
            cells: HashMap::new(),
            error_context: RefCell::default(),
            _turn: turn,
        }
    }

    /// Runs one cell. Tracebacks show `name` as the file of its lines.
    pub fn run(&mut self, source: &str, name: &str) -> Outcome {
        self.cells.insert(name.to_owned(), source.to_owned());
        self.error_context.take();
        self.state.take_failed();
        self.state.in_backward.set(false);
        let start = Instant::now();
        let mut changed = Vec::new();
        let run = self.guarded(|session, vm| {
            let before = NamespaceSnapshot::of(&session.scope.globals);
            let mut binds = Vec::new();
            let result = session.run_source(source, name, &mut binds, vm);
            changed = before.changes(&session.scope.globals, &binds);
            result
        });
        let elapsed = start.elapsed();
        let (result, error) = match run {
            Ok(result) => (result, None),
            Err(raised) => (None, Some(raised)),
        };
        self.add_modules();
        let (stdout, stderr) = self.output.borrow_mut().take();
        let figures = self.output.borrow_mut().take_figures();
        Outcome { stdout, stderr, result, error, elapsed, changed, figures }
    }

    /// Runs one cell as [`Session::run`] does, and returns the operations that ran too.
    pub fn traced(&mut self, source: &str, name: &str) -> (Outcome, Trace) {
        self.state.tracer.begin();
        self.run_traced(source, name)
    }

    /// Runs one cell, and ends the trace that has begun.
    pub(super) fn run_traced(&mut self, source: &str, name: &str) -> (Outcome, Trace) {
        let outcome = self.run(source, name);
        let trace = self.interpreter.enter(|_| self.state.tracer.end());
        (outcome, trace)
    }

    /// Evaluates an expression and returns what `read` makes of its value. Its output is dropped.
    pub fn evaluate<T>(
        &mut self,
        expression: &str,
        read: impl FnOnce(&PyObjectRef, &VirtualMachine) -> T,
    ) -> Result<T, Raised> {
        const NAME: &str = "<expression>";
        self.cells.insert(NAME.to_owned(), expression.to_owned());
        let result = self.guarded(|session, vm| {
            let cell = CompiledCell::compile(expression.trim(), NAME, vm)
                .map_err(|error| Raised::syntax(&error, expression, vm))?;
            let value = session.value(&cell, vm).map_err(|exception| session.failed(&exception, NAME, vm))?;
            Ok(read(&value.unwrap_or_else(|| vm.ctx.none()), vm))
        });
        self.output.borrow_mut().take();
        result
    }

    /// The value of an expression if it is a tensor, else `None`.
    pub fn tensor(&mut self, expression: &str) -> Result<Option<Tensor>, Raised> {
        self.evaluate(expression, |object, _| crate::numpy::tensor_value(object))
    }

    /// Runs `work`, then restores the state of the random number generator.
    pub(crate) fn with_rng_restored<T>(&mut self, work: impl FnOnce(&mut Session) -> T) -> T {
        let before = self.state.generator.borrow().clone();
        let result = work(self);
        *self.state.generator.borrow_mut() = before;
        result
    }

    /// A handle that stops the running cell from another thread.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// The variables that are tensors, in the order in which their names were first bound.
    pub fn variables(&self) -> Vec<Variable> {
        self.interpreter.enter(|_| namespace::tensors(&self.scope.globals))
    }

    /// The variables that are tensors, then the tensors in attributes, lists and dicts, each named by its path:
    /// `sa_v2.W_key.weight`, `qs[0]`.
    pub fn tensors(&self) -> Vec<Variable> {
        let nested = self.interpreter.enter(|_| nested::tensors(&namespace::entries(&self.scope.globals)));
        self.variables().into_iter().chain(nested).collect()
    }

    /// The names and the sources of the cells that ran.
    pub fn sources(&self) -> impl Iterator<Item = (String, String)> {
        self.cells.iter().map(|(name, source)| (name.clone(), source.clone()))
    }

    /// All names that are bound, in the order of binding: tensors, modules, functions and the rest.
    pub fn names(&self) -> Vec<String> {
        let entries = self.interpreter.enter(|_| namespace::entries(&self.scope.globals));
        entries.into_iter().map(|(name, _)| name).collect()
    }

    /// The attributes of the object with this dotted name; the builtins if the name is empty. Returns none if there
    /// is no such object.
    pub fn attributes(&mut self, name: &str) -> Vec<String> {
        let is_dotted_name = name.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter));
        let expression = match (name.is_empty(), is_dotted_name) {
            (true, _) => "dir(__builtins__)".to_owned(),
            (false, true) => format!("dir({name})"),
            (false, false) => return Vec::new(),
        };
        let listed = self.evaluate(&expression, |found, vm| found.try_to_value::<Vec<String>>(vm).ok());
        // A name that is not bound has no attributes.
        listed.ok().flatten().unwrap_or_default()
    }

    /// Sets or removes the listener that receives output while a cell runs. Returns the one before.
    pub(crate) fn set_listener(&mut self, listener: Option<Listener>) -> Option<Listener> {
        self.output.borrow_mut().set_listener(listener)
    }

    /// The state of this session's `torch` module: random number generator, records, print options.
    pub fn state(&self) -> &Rc<ops::State> {
        &self.state
    }

    /// Whether cells have written or changed files.
    pub(crate) fn has_written(&self) -> bool {
        self.has_written.load(Ordering::Relaxed)
    }

    /// What was in scope where the last cell, or an expression after it, raised; empty if neither raised.
    pub fn error_context(&self) -> ErrorContext {
        self.error_context.borrow().clone()
    }

    /// The source of the cell that ran under this name.
    pub fn source(&self, cell: &str) -> Option<&str> {
        self.cells.get(cell).map(String::as_str)
    }

    /// Runs `work` as a cell: it can be interrupted, and a panic becomes an error.
    pub(super) fn guarded<T>(
        &mut self,
        work: impl FnOnce(&Session, &VirtualMachine) -> Result<T, Raised>,
    ) -> Result<T, Raised> {
        self.runs += 1;
        let session = &*self;
        let result = catch_unwind(AssertUnwindSafe(|| {
            let _running = running::Running::begin(&session.interrupter, session.runs);
            session.memory.wake();
            session.interpreter.enter(|vm| work(session, vm))
        }));
        result.unwrap_or_else(|panic| match self.interrupter.interrupted(self.runs) {
            true => Err(Raised::stopped()),
            false => Err(running::error_of(&*panic)),
        })
    }

    /// Adds the sources of the modules that were imported.
    fn add_modules(&mut self) {
        let read = self.interpreter.enter(|vm| {
            let cells = vm.sys_module.get_attr("_cells", vm).ok()?.downcast::<PyDict>().ok()?;
            let text = |it: PyObjectRef| it.try_to_value::<String>(vm).ok();
            Some(
                cells
                    .into_iter()
                    .filter_map(|(name, source)| Some((text(name)?, text(source)?)))
                    .collect::<Vec<_>>(),
            )
        });
        for (name, source) in read.unwrap_or_default() {
            self.cells.entry(name).or_insert(source);
        }
    }

    fn run_source(
        &self,
        source: &str,
        name: &str,
        binds: &mut Vec<String>,
        vm: &VirtualMachine,
    ) -> Result<Option<String>, Raised> {
        let translated = magics::translate(source);
        for remark in &translated.remarks {
            self.remark(remark);
        }
        let (source, mode) = (&translated.source, &translated.mode);
        // What `inspect.getsource` reads.
        let kept = vm.sys_module.get_attr("_cells", vm);
        if let Some(cells) = kept.ok().and_then(|cells| cells.downcast::<PyDict>().ok()) {
            let set = cells.set_item(name, vm.ctx.new_str(&**source).into(), vm);
            debug_assert!(set.is_ok(), "a dict takes strings");
        }
        let cell =
            CompiledCell::compile(source, name, vm).map_err(|error| Raised::syntax(&error, source, vm))?;
        binds.clone_from(&cell.binds);
        let start = Instant::now();
        let result = self.execute(&cell, vm);
        let result = plots::flush(vm).and(result);
        match mode {
            CellMode::Timed => {
                // What printing raises says less than what the cell raised.
                let _ = builtins::print_wall_time(start.elapsed().as_secs_f64(), vm);
            }
            CellMode::Captured => {
                let mut output = self.output.borrow_mut();
                output.take();
                output.take_figures();
            }
            _ => {}
        }
        match result {
            Ok(shown) => Ok(shown.filter(|_| *mode != CellMode::Captured)),
            Err(exception) if is_clean_exit(&exception, vm) => {
                self.remark("the cell ended itself with exit(); attn goes on");
                Ok(None)
            }
            Err(exception) => Err(self.failed(&exception, name, vm)),
        }
    }

    /// Runs the cell and returns the text of its last expression. The value becomes `_`.
    fn execute(&self, cell: &CompiledCell, vm: &VirtualMachine) -> PyResult<Option<String>> {
        match self.value(cell, vm)? {
            Some(value) if !vm.is_none(&value) => {
                let text = builtins::display_text(&value, vm)?;
                vm.builtins.as_object().set_attr("_", value, vm)?;
                Ok(Some(text))
            }
            _ => Ok(None),
        }
    }

    /// Runs the cell and returns the value of its last expression.
    fn value(&self, cell: &CompiledCell, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        if let Some(body) = &cell.body {
            vm.run_code_obj(body.clone(), self.scope.clone())?;
        }
        match &cell.last {
            Some(last) => vm.run_code_obj(last.clone(), self.scope.clone()).map(Some),
            None => Ok(None),
        }
    }

    fn remark(&self, text: &str) {
        self.output.borrow_mut().write(Channel::Stderr, &format!("{text}\n"));
    }

    /// Reads the exception, and keeps the context in which it was raised.
    fn failed(&self, exception: &PyBaseExceptionRef, name: &str, vm: &VirtualMachine) -> Raised {
        let is_cell =
            |file: &str| self.cells.contains_key(file) || !torch::is_library(file) && file.ends_with(".py");
        let mut context = ErrorContext::of(exception, &self.scope.globals, is_cell, vm);
        context.failed = self.state.take_failed();
        self.error_context.replace(context);
        let mut raised = Raised::read(exception, name, is_cell, vm);
        raised.interrupted =
            exception.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) && self.interrupter.requested();
        raised
    }
}

/// Whether typed input is a complete cell. A cell with a cell magic (`%%time`) ends with a blank line.
pub fn input_state(source: &str) -> InputState {
    let translated = magics::translate(source);
    let ends_blank = source.rsplit_once('\n').is_some_and(|(_, last)| last.trim().is_empty());
    match translated.mode == CellMode::Plain || ends_blank {
        true => InputState::of(&translated.source),
        false => InputState::Incomplete,
    }
}

/// Whether an exception is `SystemExit` with the status 0 or none.
fn is_clean_exit(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    if !exception.fast_isinstance(vm.ctx.exceptions.system_exit) {
        return false;
    }
    let args = exception.args();
    match args.first() {
        None => true,
        Some(code) => vm.is_none(code) || vm.bool_eq(code, vm.ctx.new_int(0).as_object()).unwrap_or(false),
    }
}
