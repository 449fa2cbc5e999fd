//! The session itself: one interpreter, one namespace, cells run one after another.
//! Everything a cell does comes back in its [`Outcome`].

use std::{
    cell::RefCell,
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    time::{Duration, Instant},
};

use rustpython_vm::{
    AsObject, Interpreter, PyObjectRef, PyResult, VirtualMachine, builtins::PyBaseExceptionRef, scope::Scope,
};

use super::{
    cell::{Cell, InputState},
    display, guard, held,
    interrupt::Interrupter,
    magics::{self, Whole},
    memory,
    namespace::{self, Moment, Variable},
    output::{Channel, Listener, Sink},
    raised::Raised,
    scene::Scene,
    setup, timing,
};
use crate::{
    kernel::{random::Family, spare},
    ops::{self, trace::Trace},
    tensor::Tensor,
    torch,
};

/// How a session behaves.
pub struct Options {
    /// Hears output while the cell runs; the [`Outcome`] holds all of it in any case.
    pub on_output: Option<Listener>,
    /// Bytes that one cell may write before the rest is dropped, with a remark.
    pub max_output: usize,
    /// Bytes that one object, and the process as a whole, may take before a cell sees a `MemoryError`.
    pub max_memory: usize,
    /// Which builds' random numbers dropout and its kin draw.
    pub random: Family,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            on_output: None,
            max_output: 1 << 20,
            max_memory: memory::default_limit(),
            random: Family::default(),
        }
    }
}

/// What running a cell gave.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What the cell printed.
    pub stdout: String,
    /// Warnings and remarks.
    pub stderr: String,
    /// The last bare expression as Jupyter shows it; `None` when there is nothing to show.
    pub result: Option<String>,
    /// What the cell raised.
    pub error: Option<Raised>,
    /// How long the cell ran.
    pub elapsed: Duration,
    /// The tensors that the cell bound or changed in place, in order of binding.
    pub changed: Vec<Variable>,
}

/// An interpreter with one namespace that lasts from cell to cell.
pub struct Session {
    interpreter: Interpreter,
    scope: Scope,
    sink: Rc<RefCell<Sink>>,
    state: Rc<ops::State>,
    interrupter: Interrupter,
    watch: memory::Watch,
    runs: u64,
    cells: HashMap<String, String>,
    scene: RefCell<Scene>,
}

impl Session {
    /// A new interpreter with an empty namespace. Start-up takes some milliseconds.
    pub fn new(options: Options) -> Session {
        guard::quiet_panics();
        let (interrupter, signals) = Interrupter::new();
        let interpreter = setup::interpreter(signals);
        let sink = Rc::new(RefCell::new(Sink::new(options.max_output, options.on_output)));
        let state = ops::State::new(options.random);
        let furnished = interpreter.enter(|vm| {
            memory::install(options.max_memory, vm);
            // What results may leave behind for the next ones: a share of what they may take.
            spare::set_most(options.max_memory / 8);
            let furnished = setup::furnish(&sink, &state, vm);
            furnished.map_err(|exception| Raised::read(&exception, "", |_| false, vm).message)
        });
        let scope = match furnished {
            Ok(scope) => scope,
            Err(message) => panic!("attn's interpreter does not start: {message}"),
        };
        let watch = memory::Watch::start(options.max_memory, interrupter.clone());
        Session {
            interpreter,
            scope,
            sink,
            state,
            interrupter,
            watch,
            runs: 0,
            cells: HashMap::new(),
            scene: RefCell::default(),
        }
    }

    /// Runs one cell; `name` stands in tracebacks and marks lines of this cell.
    pub fn run(&mut self, source: &str, name: &str) -> Outcome {
        self.cells.insert(name.to_owned(), source.to_owned());
        self.scene.take();
        self.state.take_failed();
        let start = Instant::now();
        let mut changed = Vec::new();
        let ended = self.guarded(|session, vm| {
            let before = Moment::of(&session.scope.globals, vm);
            let mut binds = Vec::new();
            let ended = session.run_source(source, name, &mut binds, vm);
            changed = before.changes(&session.scope.globals, &binds, vm);
            ended
        });
        let elapsed = start.elapsed();
        let (result, error) = match ended {
            Ok(result) => (result, None),
            Err(raised) => (None, Some(raised)),
        };
        let (stdout, stderr) = self.sink.borrow_mut().take();
        Outcome { stdout, stderr, result, error, elapsed, changed }
    }

    /// Runs one cell as [`Session::run`] does, and tells each operation that ran.
    pub fn traced(&mut self, source: &str, name: &str) -> (Outcome, Trace) {
        self.state.tracer.begin();
        let outcome = self.run(source, name);
        let trace = self.interpreter.enter(|_| self.state.tracer.end());
        (outcome, trace)
    }

    /// The value of an expression in the namespace, as `read` takes it. What it prints is dropped.
    pub fn evaluate<T>(
        &mut self,
        expression: &str,
        read: impl FnOnce(&PyObjectRef, &VirtualMachine) -> T,
    ) -> Result<T, Raised> {
        const NAME: &str = "<expression>";
        self.cells.insert(NAME.to_owned(), expression.to_owned());
        let read = self.guarded(|session, vm| {
            let cell = Cell::compile(expression.trim(), NAME, vm)
                .map_err(|error| Raised::syntax(&error, expression, vm))?;
            let value = session.value(&cell, vm).map_err(|exception| session.failed(&exception, NAME, vm))?;
            Ok(read(&value.unwrap_or_else(|| vm.ctx.none()), vm))
        });
        self.sink.borrow_mut().take();
        read
    }

    /// The tensor that an expression gives, if it gives one.
    pub fn tensor(&mut self, expression: &str) -> Result<Option<Tensor>, Raised> {
        self.evaluate(expression, torch::tensor_value)
    }

    /// What stops a running cell from another thread.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// The tensors of the namespace in the order in which their names were first bound.
    pub fn variables(&self) -> Vec<Variable> {
        self.interpreter.enter(|vm| namespace::tensors(&self.scope.globals, vm))
    }

    /// The tensors of the namespace, then those that it holds in attributes, lists and dicts, each by the path that
    /// leads to it: `sa_v2.W_key.weight`, `qs[0]`.
    pub fn tensors(&self) -> Vec<Variable> {
        let held = self.interpreter.enter(|vm| held::tensors(&self.scope.globals, vm));
        self.variables().into_iter().chain(held).collect()
    }

    /// The cells that ran, by name, with their sources as they were given.
    pub fn sources(&self) -> impl Iterator<Item = (String, String)> {
        self.cells.iter().map(|(name, source)| (name.clone(), source.clone()))
    }

    /// The names that the learner has bound, in that order: tensors, modules, functions and the rest.
    pub fn names(&self) -> Vec<String> {
        let entries = self.interpreter.enter(|_| namespace::entries(&self.scope.globals));
        entries.into_iter().map(|(name, _)| name).collect()
    }

    /// The attributes of what a dotted name stands for; of the builtins when it is empty.
    pub fn attributes(&mut self, name: &str) -> Vec<String> {
        let plain = name.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter));
        let expression = match (name.is_empty(), plain) {
            (true, _) => "dir(__builtins__)".to_owned(),
            (false, true) => format!("dir({name})"),
            (false, false) => return Vec::new(),
        };
        let listed = self.evaluate(&expression, |found, vm| found.try_to_value::<Vec<String>>(vm).ok());
        listed.ok().flatten().unwrap_or_default()
    }

    /// Whether what was typed so far is a whole cell.
    pub fn complete_state(&self, source: &str) -> InputState {
        input_state(source)
    }

    /// From now on `listener` hears output while a cell runs; nobody does if there is none.
    pub fn heard_by(&mut self, listener: Option<Listener>) {
        self.sink.borrow_mut().set_listener(listener);
    }

    /// What the `torch` module of this session keeps: random stream, records, print options.
    pub fn state(&self) -> &Rc<ops::State> {
        &self.state
    }

    /// What was in reach where the last cell, or an expression after it, raised; nothing if none did.
    pub fn scene(&self) -> Scene {
        self.scene.borrow().clone()
    }

    /// The source of a cell that has run, by the name it ran under.
    pub fn source(&self, cell: &str) -> Option<&str> {
        self.cells.get(cell).map(String::as_str)
    }

    /// Forgets all names. Modules stay imported, the random stream goes on.
    pub fn reset(&mut self) {
        let cleared = self.interpreter.enter(|vm| setup::clear(&self.scope.globals, vm));
        debug_assert!(cleared.is_ok(), "a dict takes new entries");
    }

    /// Runs `work` as a cell runs: it can be stopped, and a panic becomes an error.
    fn guarded<T>(
        &mut self,
        work: impl FnOnce(&Session, &VirtualMachine) -> Result<T, Raised>,
    ) -> Result<T, Raised> {
        self.runs += 1;
        let session = &*self;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let _running = guard::Running::begin(&session.interrupter, session.runs);
            session.watch.look();
            session.interpreter.enter(|vm| work(session, vm))
        }));
        ended.unwrap_or_else(|panic| match self.interrupter.asked(self.runs) {
            true => Err(Raised::stopped()),
            false => Err(Raised::defect(guard::defect(&*panic))),
        })
    }

    fn run_source(
        &self,
        source: &str,
        name: &str,
        binds: &mut Vec<String>,
        vm: &VirtualMachine,
    ) -> Result<Option<String>, Raised> {
        let prepared = magics::prepare(source);
        for remark in &prepared.remarks {
            self.remark(remark);
        }
        let source = &prepared.source;
        let cell = Cell::compile(source, name, vm).map_err(|error| Raised::syntax(&error, source, vm))?;
        binds.clone_from(&cell.binds);
        let start = Instant::now();
        let ended = match prepared.whole {
            Whole::TimedOften => timing::often(|| self.value(&cell, vm).map(|_| ())).map(|report| {
                self.sink.borrow_mut().write(Channel::Stdout, &report);
                None
            }),
            _ => self.execute(&cell, vm),
        };
        match prepared.whole {
            Whole::Timed => {
                self.sink.borrow_mut().write(Channel::Stdout, &timing::wall_time(start.elapsed()));
            }
            Whole::Captured => drop(self.sink.borrow_mut().take()),
            _ => {}
        }
        match ended {
            Ok(shown) => Ok(shown.filter(|_| prepared.whole != Whole::Captured)),
            Err(exception) if left_well(&exception, vm) => {
                self.remark("the cell ended itself with exit(); attn goes on");
                Ok(None)
            }
            Err(exception) => Err(self.failed(&exception, name, vm)),
        }
    }

    fn execute(&self, cell: &Cell, vm: &VirtualMachine) -> PyResult<Option<String>> {
        match self.value(cell, vm)? {
            Some(value) if !vm.is_none(&value) => {
                let text = display::shown(&value, vm)?;
                vm.builtins.as_object().set_attr("_", value, vm)?;
                Ok(Some(text))
            }
            _ => Ok(None),
        }
    }

    fn value(&self, cell: &Cell, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        if let Some(body) = &cell.body {
            vm.run_code_obj(body.clone(), self.scope.clone())?;
        }
        match &cell.last {
            Some(last) => vm.run_code_obj(last.clone(), self.scope.clone()).map(Some),
            None => Ok(None),
        }
    }

    fn remark(&self, text: &str) {
        self.sink.borrow_mut().write(Channel::Stderr, &format!("{text}\n"));
    }

    /// What was raised, and from now on what was in reach there is the scene.
    fn failed(&self, exception: &PyBaseExceptionRef, name: &str, vm: &VirtualMachine) -> Raised {
        let mut scene = Scene::of(exception, &self.scope.globals, |file| self.cells.contains_key(file), vm);
        scene.failed = self.state.take_failed();
        self.scene.replace(scene);
        self.raised(exception, name, vm)
    }

    fn raised(&self, exception: &PyBaseExceptionRef, name: &str, vm: &VirtualMachine) -> Raised {
        let mut raised = Raised::read(exception, name, |file| self.cells.contains_key(file), vm);
        raised.interrupted =
            exception.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) && self.interrupter.requested();
        raised
    }
}

/// Whether what was typed so far is a whole cell. A cell magic (`%%time`) takes lines up to a blank one.
pub fn input_state(source: &str) -> InputState {
    let prepared = magics::prepare(source);
    let last = source.rsplit('\n').next().unwrap_or_default();
    let open = prepared.whole != Whole::Plain && !(source.contains('\n') && last.trim().is_empty());
    if open { InputState::Incomplete } else { InputState::of(&prepared.source) }
}

/// Whether an exception is an `exit()` without a complaint.
fn left_well(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    if !exception.fast_isinstance(vm.ctx.exceptions.system_exit) {
        return false;
    }
    let args = exception.args();
    match args.first() {
        None => true,
        Some(code) => vm.is_none(code) || vm.bool_eq(code, vm.ctx.new_int(0).as_object()).unwrap_or(false),
    }
}
