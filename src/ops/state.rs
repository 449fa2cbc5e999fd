//! What belongs to one session and not to a tensor: the random stream, gradient mode, print options.
//! Every function object and every Python tensor refers to it; nothing is global.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::failed::Failed;
use super::trace::Tracer;
use crate::kernel::random::{Family, Generator};
use crate::tensor::show::PrintOptions;
use crate::tensor::{DType, Recorder};

/// The state of the `torch` module of one session.
#[derive(Debug)]
pub struct State {
    /// The default stream of random numbers (`torch.manual_seed`).
    pub(crate) generator: Rc<RefCell<Generator>>,
    /// Which build's random numbers dropout and the like draw (`--random`).
    pub(crate) family: Cell<Family>,
    /// Whether operations are recorded for gradients (`torch.no_grad` turns it off).
    pub(crate) grad_mode: Cell<bool>,
    /// The dtype of Python floats (`torch.set_default_dtype`).
    pub(crate) default_dtype: Cell<DType>,
    /// How tensors are printed (`torch.set_printoptions`).
    pub(crate) print_options: RefCell<PrintOptions>,
    /// Whether backward is running: what runs then is not the learner's own code. Only `create_graph` records it.
    pub(crate) in_backward: Cell<bool>,
    /// Whether gradients are computed by the rules in Python where there are others.
    pub(crate) rules_in_python: Cell<bool>,
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
        Rc::new(State {
            generator: Rc::new(RefCell::new(Generator::default())),
            family: Cell::new(family),
            grad_mode: Cell::new(true),
            default_dtype: Cell::new(DType::Float32),
            print_options: RefCell::new(PrintOptions::default()),
            in_backward: Cell::new(false),
            rules_in_python: Cell::new(false),
            recorder: Recorder::default(),
            failed: RefCell::default(),
            tracer: Tracer::default(),
        })
    }

    /// Whether calls are to be traced: those of the learner's code, not those of backward.
    #[inline]
    pub(crate) fn is_traced(&self) -> bool {
        self.tracer.is_on() && !self.in_backward.get()
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
