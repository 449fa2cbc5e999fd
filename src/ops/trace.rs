//! The tracer of one session: which operations ran, in order.
//! It is off unless a session turns it on; then a call costs one check of a flag.
//!
//! Only calls from Python are traced, not the calls that an operation makes of others.
//! Tensors are kept as they were when the operation ran, up to [`Trace::BYTES`], copies of their values included; beyond
//! that only their shapes are kept, and beyond [`Trace::KEPT`] operations only their number. So a traced training loop of
//! any length takes bounded memory, and its later steps are not slower than its first.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::ops::value::Value;
use crate::tensor::{Arg, Buffer, DType, Descriptor, Layout, Result, Site, SourceRange, Storage, Tensor};

/// The operations that one cell ran.
#[derive(Debug, Default)]
pub struct Trace {
    /// In the order in which they ended.
    pub steps: Vec<Traced>,
    /// How many more ran than are kept.
    pub beyond: usize,
    /// How many of them ran in a line where operations with operands of the same shapes are kept.
    pub(crate) repeats: usize,
}

impl Trace {
    /// Most operations that are kept.
    pub const KEPT: usize = 50_000;
    /// Most bytes that kept tensors may take, each storage counted once.
    pub(crate) const BYTES: usize = 256 << 20;
    /// Elements up to which the values of a tensor are kept as they were, whatever is written later.
    pub(crate) const COPIED: usize = 4096;
    /// What a call of an operation costs, in elements: so many are computed in the time that a call takes.
    pub(crate) const WORK_OF_CALL: usize = 2000;

    /// How many operations are kept with all of their tensors.
    pub(crate) fn complete(&self) -> usize {
        self.steps.iter().filter(|step| step.is_complete()).count()
    }

    /// How many operations are not kept, or not with all of their tensors, and repeat none that are.
    pub(crate) fn lost(&self) -> usize {
        self.steps.len() - self.complete() + self.beyond - self.repeats
    }

    /// How much the operations computed: the elements that each of them read and returned, and the call itself. The
    /// same program does the same work on every machine.
    pub(crate) fn work(&self) -> usize {
        let kept: usize = self.steps.iter().map(Traced::elements).sum();
        kept.saturating_add((self.steps.len() + self.beyond) * Trace::WORK_OF_CALL)
    }

    /// The work of each call of the learner's functions, by the number of its activation.
    pub(crate) fn work_of_calls(&self) -> HashMap<u64, usize> {
        let mut work: HashMap<u64, usize> = HashMap::new();
        for step in &self.steps {
            for call in &step.calls {
                *work.entry(call.activation).or_default() += step.elements() + Trace::WORK_OF_CALL;
            }
        }
        work
    }
}

/// One operation that ran, or raised.
#[derive(Debug)]
pub struct Traced {
    pub operation: &'static Descriptor,
    /// Whether it wrote into its first argument.
    pub in_place: bool,
    /// All arguments in the order of its signature, with defaults; a tensor that is not kept is `None` here.
    pub(crate) args: Vec<Arg>,
    /// The tensors among the arguments as they were before it ran.
    pub operands: Vec<TracedTensor>,
    /// What it returned; for an operation in place, what it wrote into.
    pub results: Vec<TracedTensor>,
    /// The message of its error, if it raised.
    pub error: Option<String>,
    /// The calls that led to it, the cell itself first. Library frames that led to no learner's line are there too.
    pub calls: Vec<Called>,
    /// Whether it moved no data: every result is another view of an operand's elements.
    pub is_view: bool,
    /// How long it took.
    pub(crate) elapsed: Duration,
}

impl Traced {
    /// How many elements it read and returned.
    fn elements(&self) -> usize {
        self.operands.iter().chain(&self.results).map(|it| it.layout.numel()).sum()
    }

    /// Whether all of its tensors are kept.
    fn is_complete(&self) -> bool {
        self.operands.iter().chain(&self.results).all(|it| it.tensor.is_some())
    }

    /// The learner's line that ran it: the innermost that is not library Python.
    pub fn place(&self) -> Option<&Called> {
        self.calls.iter().rev().find(|call| !call.library)
    }

    /// That line as records have it.
    pub fn site(&self) -> Option<Site> {
        self.place().map(Called::site)
    }

    /// The library's functions between the learner's line and the operation, outermost first.
    pub fn inside(&self) -> &[Called] {
        let own = self.calls.iter().rposition(|call| !call.library).map_or(0, |at| at + 1);
        &self.calls[own..]
    }

    /// The tensor that was argument `at`.
    pub(crate) fn operand(&self, at: usize) -> Option<&TracedTensor> {
        self.operands.iter().find(|seen| seen.at == at)
    }

    /// The same as the tensor itself, if it is kept.
    pub(crate) fn tensor(&self, at: usize) -> Option<&Tensor> {
        self.operand(at)?.tensor.as_ref()
    }

    /// Its first result, if it is kept.
    pub(crate) fn result(&self) -> Option<&Tensor> {
        self.results.first()?.tensor.as_ref()
    }

    /// Whether this tensor is one of its results.
    pub(crate) fn made(&self, tensor: &Tensor) -> bool {
        self.results.iter().any(|result| result.is(tensor))
    }
}

/// A tensor as an operation met it.
#[derive(Clone, Debug)]
pub struct TracedTensor {
    /// Which argument or which result it was, from 0 on.
    pub(crate) at: usize,
    /// What the learner's code calls it there: a variable, or an attribute (`self.W_query`); none for what has no name.
    pub name: Option<String>,
    /// The tensor itself; none where tensors took more than [`Trace::BYTES`].
    pub tensor: Option<Tensor>,
    /// Its shape, strides and offset.
    pub(crate) layout: Layout,
    /// Its element type.
    pub(crate) dtype: DType,
    pub(crate) storage: usize,
    then: Option<Rc<Buffer>>,
    version: u64,
}

impl TracedTensor {
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Bytes of its elements.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.numel() * self.dtype.size()
    }

    /// Its elements as they were then, row-major; none if they were overwritten since, or not kept.
    pub fn values(&self) -> Option<Buffer> {
        match (&self.then, &self.tensor) {
            (Some(then), _) => Some(Buffer::clone(then)),
            (None, Some(tensor)) if tensor.storage().version() == self.version => Some(tensor.to_buffer()),
            _ => None,
        }
    }

    /// The same as floats.
    pub(crate) fn floats(&self) -> Option<Vec<f64>> {
        self.values().map(|values| (0..values.len()).map(|at| values.float(at)).collect())
    }

    /// Whether it is this tensor.
    pub(crate) fn is(&self, tensor: &Tensor) -> bool {
        self.tensor.as_ref().is_some_and(|own| own.is(tensor))
    }

    /// Whether both share memory; false if either is not kept.
    pub fn shares(&self, other: &TracedTensor) -> bool {
        self.storage == other.storage && self.tensor.is_some() && other.tensor.is_some()
    }
}

/// A call on the way to an operation, and where its code called the next one, or the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The cell, by the name it ran under; the file of library Python.
    pub(crate) cell: &'static str,
    /// Whether it is library Python.
    pub library: bool,
    /// The function as Python names it: `<module>`, `CausalAttention.forward`.
    pub function: &'static str,
    /// The class of its `self`.
    pub class: Option<String>,
    /// A number of that `self`, which no other object has at the same time.
    pub(crate) owner: Option<usize>,
    /// Whether that `self` is in training mode, where it is a module.
    pub(crate) training: Option<bool>,
    /// The expression that was running in it.
    pub span: SourceRange,
    /// A number of this activation of the function, unique in the trace.
    pub activation: u64,
}

impl Called {
    /// Its line, as records have it.
    pub(crate) fn site(&self) -> Site {
        Site { cell: self.cell, line: self.span.start.line, span: self.span, call: 0 }
    }
}

/// Tells the tracer which code is running. The Python binding implements it, so that this layer knows no interpreter.
pub(crate) trait CallObserver {
    /// The calls that led to the operation that runs now, outermost first.
    fn calls(&self) -> Vec<Called>;

    /// What the innermost of the learner's calls calls each tensor among these arguments, those in lists one by one.
    fn names(&self, calls: &[Called], args: &[Arg]) -> Vec<Option<String>>;

    /// Releases whatever was kept between calls: the trace has ended.
    fn end(&self);
}

/// A storage's version, what of it was copied, and the copy.
type CopiedValues = (u64, Layout, Rc<Buffer>);

/// Makes a [`Trace`] while it is on.
#[derive(Default)]
pub struct Tracer {
    on: Cell<bool>,
    begun: Cell<bool>,
    trace: RefCell<Trace>,
    /// Tells which code made a call; none while only Rust calls operations.
    observer: RefCell<Option<Rc<dyn CallObserver>>>,
    /// Storages that are kept, so that each is counted once.
    held: RefCell<HashMap<usize, Storage>>,
    /// The last copy of each storage's values, and what was copied: operations share it.
    copies: RefCell<HashMap<usize, CopiedValues>>,
    bytes: Cell<usize>,
    /// What is known of the lines that ran; none if each operation is kept however often its line runs.
    lines: RefCell<Option<KnownLines>>,
    /// Whether records that are made now are kept.
    keeping: Rc<Cell<bool>>,
}

/// The operations that are kept, by their lines.
#[derive(Default)]
struct KnownLines {
    /// How often an operation is kept, by a hash of its calls and of the shapes of its operands.
    counts: HashMap<u64, usize>,
    /// The storages that kept operations wrote and no kept operation has read.
    unread: HashSet<usize>,
}

impl KnownLines {
    /// How often an operation is kept in one line with operands of the same shapes, and how often where kept tensors take half of
    /// what they may take: what runs later, such as other kinds of a model, is to be seen too.
    const KEPT: usize = 4;
    const KEPT_LATE: usize = 1;

    /// Whether an operation is to be kept: its line is new, or it reads what a new line has made and nothing has read.
    fn keeps(
        &mut self,
        operation: &Descriptor,
        in_place: bool,
        args: &[Arg],
        calls: &[Called],
        is_late: bool,
    ) -> (bool, bool) {
        let mut hash = DefaultHasher::new();
        (operation.name, in_place).hash(&mut hash);
        for call in calls {
            (call.cell, call.function, call.training).hash(&mut hash);
            let (start, end) = (call.span.start, call.span.end);
            (start.line, start.column, end.line, end.column).hash(&mut hash);
        }
        // In a loop over kinds of a model, each of them is another object.
        calls.iter().find_map(|call| call.owner).hash(&mut hash);
        let tensors = || args.iter().flat_map(Arg::tensors);
        tensors()
            .chain(args.iter().flat_map(Arg::indices))
            .for_each(|tensor| (tensor.shape(), tensor.dtype() as u8).hash(&mut hash));
        let count = self.counts.entry(hash.finish()).or_default();
        let is_new = *count < if is_late { KnownLines::KEPT_LATE } else { KnownLines::KEPT };
        *count += usize::from(is_new);
        let mut reads = false;
        tensors().for_each(|tensor| reads |= self.unread.remove(&tensor.storage().address()));
        (is_new || reads, is_new)
    }
}

impl std::fmt::Debug for Tracer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracer").field("on", &self.on).finish_non_exhaustive()
    }
}

impl Tracer {
    /// Sets the observer that tells which code made a call.
    pub(crate) fn set_observer(&self, observer: Rc<dyn CallObserver>) {
        self.observer.replace(Some(observer));
    }

    /// A tracer that sets `keeping` while it runs operations whose records are to be kept.
    pub(crate) fn new(keeping: Rc<Cell<bool>>) -> Tracer {
        Tracer { keeping, ..Tracer::default() }
    }

    fn calls(&self) -> Vec<Called> {
        self.observer.borrow().as_ref().map(|observer| observer.calls()).unwrap_or_default()
    }

    fn names(&self, calls: &[Called], args: &[Arg]) -> Vec<Option<String>> {
        match &*self.observer.borrow() {
            Some(observer) => observer.names(calls, args),
            None => args.iter().flat_map(Arg::tensors).map(|_| None).collect(),
        }
    }

    /// Whether calls are to be traced.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on.get()
    }

    /// Traces from here on; what was traced before is dropped.
    pub(crate) fn begin(&self) {
        self.end();
        self.on.set(true);
        self.begun.set(true);
    }

    /// As [`Tracer::begin`]; of a line that runs often, the first operations are kept, and their records with them.
    pub(crate) fn begin_lines(&self) {
        self.begin();
        self.lines.replace(Some(KnownLines::default()));
    }

    /// Ends the trace and returns it. Drops Python objects: call it where Python may run.
    pub fn end(&self) -> Trace {
        self.on.set(false);
        self.begun.set(false);
        if let Some(observer) = &*self.observer.borrow() {
            observer.end();
        }
        self.held.take();
        self.copies.take();
        self.bytes.set(0);
        self.lines.take();
        self.trace.take()
    }

    /// Runs what is no part of the program that is traced.
    pub(crate) fn without<T>(&self, run: impl FnOnce() -> T) -> T {
        let was = self.on.replace(false);
        // An operation that ends in between switches the tracer on again.
        let begun = self.begun.replace(false);
        let done = run();
        self.on.set(was);
        self.begun.set(begun);
        done
    }

    /// Runs one call of an operation and adds it to the trace. What it calls in turn is not traced.
    pub(crate) fn around<T>(
        &self,
        operation: &'static Descriptor,
        in_place: bool,
        args: Vec<Arg>,
        run: impl FnOnce(Vec<Arg>) -> Result<T>,
        results: impl FnOnce(&T) -> Vec<Tensor>,
    ) -> Result<T> {
        self.on.set(false);
        let _on = Resumed(self);
        let full = self.trace.borrow().steps.len() >= Trace::KEPT;
        if full {
            let ended = run(args);
            self.trace.borrow_mut().beyond += 1;
            return ended;
        }
        let calls = self.calls();
        let mut is_new = false;
        if let Some(lines) = &mut *self.lines.borrow_mut() {
            let is_late = self.bytes.get() > Trace::BYTES / 2;
            let (keeps, new) = lines.keeps(operation, in_place, &args, &calls, is_late);
            if !keeps {
                drop(calls);
                let mut trace = self.trace.borrow_mut();
                trace.beyond += 1;
                trace.repeats += 1;
                drop(trace);
                return run(args);
            }
            is_new = new;
        }
        let names = self.names(&calls, &args);
        let tensors =
            args.iter().enumerate().flat_map(|(at, arg)| arg.tensors().iter().map(move |it| (at, it)));
        let operands: Vec<TracedTensor> =
            tensors.zip(names).map(|((at, tensor), name)| self.seen(at, tensor, name)).collect();
        let kept: Vec<Arg> = args.iter().map(|arg| self.kept(arg)).collect();
        let keeping = self.lines.borrow().is_some() && operands.iter().all(|it| it.tensor.is_some());
        self.keeping.set(keeping);
        let start = Instant::now();
        let ended = run(args);
        let elapsed = start.elapsed();
        self.keeping.set(false);
        let (results, error) = match &ended {
            Ok(value) => (results(value), None),
            Err(error) => (Vec::new(), Some(error.message.clone())),
        };
        let results: Vec<TracedTensor> =
            results.iter().enumerate().map(|(at, tensor)| self.seen(at, tensor, None)).collect();
        if let Some(lines) = self.lines.borrow_mut().as_mut().filter(|_| is_new) {
            let kept = results.iter().filter(|result| result.tensor.is_some());
            lines.unread.extend(kept.map(|result| result.storage));
        }
        // All of these live now, so that an address means one storage.
        let is_view = !in_place
            && !results.is_empty()
            && results.iter().all(|result| operands.iter().any(|operand| operand.storage == result.storage));
        let traced =
            Traced { operation, in_place, args: kept, operands, results, error, calls, is_view, elapsed };
        self.trace.borrow_mut().steps.push(traced);
        ended
    }

    /// As [`Tracer::around`], for calls that return a [`Value`].
    pub(crate) fn call(
        &self,
        operation: &'static Descriptor,
        args: Vec<Arg>,
        run: impl FnOnce(Vec<Arg>) -> Result<Value>,
    ) -> Result<Value> {
        self.around(operation, false, args, run, |value| value.tensors().into_iter().cloned().collect())
    }

    /// As [`Tracer::around`], for calls that write into `target`.
    pub(crate) fn write<T>(
        &self,
        operation: &'static Descriptor,
        target: &Tensor,
        args: Vec<Arg>,
        run: impl FnOnce(Vec<Arg>) -> Result<T>,
    ) -> Result<T> {
        self.around(operation, true, args, run, |_| vec![target.clone()])
    }

    /// Keeps a tensor's storage if there is room in the bound; returns whether it is kept.
    fn holds(&self, tensor: &Tensor) -> bool {
        let mut held = self.held.borrow_mut();
        let address = tensor.storage().address();
        if held.contains_key(&address) {
            return true;
        }
        let bytes = self.bytes.get() + tensor.storage().read().len() * tensor.dtype().size();
        if bytes > Trace::BYTES {
            return false;
        }
        self.bytes.set(bytes);
        held.insert(address, tensor.storage().clone());
        true
    }

    fn kept(&self, arg: &Arg) -> Arg {
        if arg.tensors().iter().all(|tensor| self.holds(tensor)) { arg.clone() } else { Arg::None }
    }

    /// The values of a small tensor as they are now, if there is room in the bound.
    fn copy(&self, tensor: &Tensor) -> Option<Rc<Buffer>> {
        let (address, version) = (tensor.storage().address(), tensor.storage().version());
        let mut copies = self.copies.borrow_mut();
        if let Some((then, layout, copy)) = copies.get(&address)
            && (*then, layout) == (version, tensor.layout())
        {
            return Some(copy.clone());
        }
        let bytes = self.bytes.get() + tensor.numel() * tensor.dtype().size();
        if tensor.numel() > Trace::COPIED || bytes > Trace::BYTES {
            return None;
        }
        self.bytes.set(bytes);
        let copy = Rc::new(tensor.to_buffer());
        copies.insert(address, (version, tensor.layout().clone(), copy.clone()));
        Some(copy)
    }

    fn seen(&self, at: usize, tensor: &Tensor, name: Option<String>) -> TracedTensor {
        let holds = self.holds(tensor);
        TracedTensor {
            at,
            name,
            layout: tensor.layout().clone(),
            dtype: tensor.dtype(),
            storage: tensor.storage().address(),
            then: if holds { self.copy(tensor) } else { None },
            version: tensor.storage().version(),
            tensor: holds.then(|| tensor.clone()),
        }
    }
}

/// Turns the tracer on again when an operation ends, however it ends.
struct Resumed<'a>(&'a Tracer);

impl Drop for Resumed<'_> {
    fn drop(&mut self) {
        self.0.on.set(self.0.begun.get());
    }
}
