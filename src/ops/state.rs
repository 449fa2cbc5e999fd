//! What belongs to one session and not to a tensor: the random stream, gradient mode, print options.
//! Every function object and every Python tensor refers to it; nothing is global.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::autocast::AutocastMode;
use super::failed::Failed;
use super::trace::Tracer;
use crate::kernel::random::{Family, Generator};
use crate::tensor::show::PrintOptions;
use crate::tensor::{DType, Error, RecordCounts, Recorder, Result, Site, Tensor};

/// The state of the `torch` module of one session.
#[derive(Debug)]
pub struct State {
    /// The default stream of random numbers (`torch.manual_seed`).
    pub(crate) generator: Rc<RefCell<Generator>>,
    /// Which build's random numbers dropout and the like draw (`--random`).
    pub(crate) family: Cell<Family>,
    /// The kinds of devices for which the CPU is taken (`--device`).
    pub(crate) on_cpu: RefCell<Vec<String>>,
    /// How many numbers were drawn that depend on it.
    pub(crate) family_draws: Cell<u64>,
    /// The most of them: beyond it a draw raises.
    pub(crate) family_limit: Cell<u64>,
    /// Whether operations are recorded for gradients (`torch.no_grad` turns it off).
    pub(crate) grad_mode: Cell<bool>,
    /// The dtype of Python floats (`torch.set_default_dtype`).
    pub(crate) default_dtype: Cell<DType>,
    /// How tensors are printed (`torch.set_printoptions`).
    pub(crate) print_options: RefCell<PrintOptions>,
    /// Whether backward is running: what runs then is not the learner's own code. Only `create_graph` records it.
    pub(crate) in_backward: Cell<bool>,
    /// Whether a gradient that is NaN is an error (`torch.autograd.set_detect_anomaly`).
    pub(crate) nan_is_error: Cell<bool>,
    /// Whether backward is recorded even so, to explain a gradient.
    pub(crate) backward_recorded: Cell<bool>,
    /// The settings of `torch.autocast`.
    pub(crate) autocast: AutocastMode,
    /// Records what ran.
    pub(crate) recorder: Recorder,
    /// The last call that raised.
    pub(super) failed: RefCell<Option<Failed>>,
    /// Traces what runs, operation by operation, while it is on.
    pub tracer: Tracer,
}

impl State {
    /// The state of a fresh session.
    pub(crate) fn new(family: Family) -> Rc<State> {
        let recorder = Recorder::default();
        Rc::new(State {
            generator: Rc::new(RefCell::new(Generator::default())),
            family: Cell::new(family),
            on_cpu: RefCell::default(),
            family_draws: Cell::new(0),
            family_limit: Cell::new(u64::MAX),
            grad_mode: Cell::new(true),
            default_dtype: Cell::new(DType::Float32),
            print_options: RefCell::new(PrintOptions::default()),
            in_backward: Cell::new(false),
            nan_is_error: Cell::new(false),
            backward_recorded: Cell::new(false),
            autocast: AutocastMode::default(),
            tracer: Tracer::new(recorder.keeping()),
            recorder,
            failed: RefCell::default(),
        })
    }

    /// Which build's random numbers to draw, for this many numbers. Errors: they are more than the session may draw.
    pub(crate) fn family_of(&self, count: usize) -> Result<Family> {
        let drawn = self.family_draws.get() + count as u64;
        self.family_draws.set(drawn);
        match drawn > self.family_limit.get() {
            true => Err(Error::runtime("this session draws no more random numbers")),
            false => Ok(self.family.get()),
        }
    }

    /// Whether calls are to be traced: those of the learner's code, not those of backward.
    #[inline]
    pub(crate) fn is_traced(&self) -> bool {
        self.tracer.is_on() && !self.in_backward.get()
    }

    /// Whether what runs is not recorded at all: backward, unless `create_graph` or an explanation asks for records.
    #[inline]
    pub(crate) fn is_unrecorded(&self) -> bool {
        self.in_backward.get() && !self.records_backward()
    }

    /// Whether backward runs as recorded operations: for `create_graph`, or for an explanation.
    pub(crate) fn records_backward(&self) -> bool {
        self.grad_mode.get() || self.backward_recorded.get()
    }

    /// States that backward added to this tensor in this line, without a record.
    pub(crate) fn mark_sum(&self, gradient: &Tensor, site: Option<Site>) {
        let record = self.recorder.gradient(gradient.shape(), site);
        gradient.storage().forget_writes();
        gradient.storage().remember(gradient.layout(), &record, false);
        gradient.set_origin(record, 0);
    }

    /// States that backward computed this tensor in this line, unless a record says more.
    pub(crate) fn mark_gradient(&self, gradient: &Tensor, site: Option<Site>) {
        if !gradient.has_origin() {
            gradient.set_made(self.recorder.gradient(gradient.shape(), site), 0);
        }
    }

    /// The figures of the session's records, for tests.
    #[cfg_attr(private_layers, expect(dead_code, reason = "tests use it"))]
    pub fn record_counts(&self) -> RecordCounts {
        self.recorder.counts()
    }

    /// Keeps a call that raised; the one before it is forgotten.
    pub(super) fn keep_failed(&self, failed: Failed) {
        self.failed.replace(Some(failed));
    }

    /// The last call that raised since this was last called.
    pub(crate) fn take_failed(&self) -> Option<Failed> {
        self.failed.take()
    }
}

/// What a call needs besides its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// The session's state.
    pub(crate) state: &'a State,
    /// The line that called.
    pub(crate) site: &'a dyn Fn() -> Option<Site>,
}
