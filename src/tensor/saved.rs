//! What backward needs of a record as it was: the operands that its rule reads, and the result that PyTorch saves.

use std::rc::Rc;

use super::error::{Error, ErrorFact, Result};
use super::graph::{Arg, Record, SavedResult, Storage, Tensor};

impl SavedResult {
    fn new(tensor: &Tensor) -> SavedResult {
        SavedResult {
            elements: Rc::downgrade(&tensor.storage().0),
            layout: tensor.layout().clone(),
            dtype: tensor.dtype(),
            version: tensor.storage().version(),
        }
    }

    /// The result without its history, if it exists still.
    fn tensor(&self) -> Option<Tensor> {
        Some(Tensor::from_parts(Storage(self.elements.upgrade()?), self.layout.clone(), self.dtype))
    }
}

impl Record {
    /// Saves the last result for backward.
    pub(crate) fn save_result(&self, result: &Tensor) {
        self.result.get_or_init(|| SavedResult::new(result));
    }

    /// Saves the operands of a composed operation, whose last part this is.
    pub(crate) fn save_operands<'a>(&self, operands: impl Iterator<Item = &'a Tensor>) {
        self.operands.get_or_init(|| operands.map(SavedResult::new).collect());
    }

    /// The saved result without its history: `None` if the operation saved none, or nobody has it any more.
    pub(crate) fn saved_result(&self) -> Option<Tensor> {
        self.result.get()?.tensor()
    }

    /// The saved result as what the operation returned.
    pub(crate) fn saved_result_with_history(self: &Rc<Self>) -> Option<Tensor> {
        let result = self.saved_result()?;
        if result.dtype().is_float() {
            result.mark_result();
            result.set_origin(self.clone(), self.outputs - 1);
        }
        Some(result)
    }

    /// Errors: the saved result, or an operand saved by [`Record::save_operands`], was written to since.
    pub(crate) fn check_saved(&self) -> Result<()> {
        for saved in self.operands.get().into_iter().flatten() {
            if let Some(operand) = saved.tensor() {
                self.unchanged(&operand, saved.version, || None)?;
            }
        }
        match self.result.get().and_then(|saved| Some((saved.tensor()?, saved.version))) {
            Some((result, version)) => {
                let is_float = result.dtype().is_float();
                self.unchanged(&result, version, || is_float.then(|| made(self, self.outputs - 1)))
            }
            None => Ok(()),
        }
    }

    /// Errors: tensor `at` of the arguments, which is this one, was written to since the operation ran.
    pub(crate) fn check_operand(&self, at: usize, operand: &Tensor) -> Result<()> {
        self.unchanged(operand, self.versions[at], || {
            let origin = operand.origin().filter(|_| !operand.is_leaf())?;
            Some(made(&origin, operand.output_index()))
        })
    }

    /// Errors: a tensor of the index expression among these, its arguments, was written to since the operation ran.
    pub(crate) fn check_index(&self, args: &[Arg]) -> Result<()> {
        let first: usize = args.iter().map(|arg| arg.tensors().len()).sum();
        let mut indices = args.iter().flat_map(Arg::indices).enumerate();
        indices.try_for_each(|(at, index)| self.check_operand(first + at, index))
    }

    /// Errors: a tensor that its gradient is made of was written to after this version. `made` says what made it.
    fn unchanged(&self, tensor: &Tensor, version: u64, made: impl FnOnce() -> Option<String>) -> Result<()> {
        let now = tensor.storage().version();
        if now == version {
            return Ok(());
        }
        let (kind, shape, made) = (tensor.dtype().cpp_name(), tensor.shape(), made().unwrap_or_default());
        let write = tensor.storage().write_after(version);
        let place = write.and_then(|write| write.site.as_ref().map(|site| (site.cell, site.line)));
        Err(Error::runtime(format!(
            "one of the variables needed for gradient computation has been modified by an inplace operation: \
             [torch.{kind}Tensor {shape:?}]{made} is at version {now}; expected version {version} instead. Hint: enable \
             anomaly detection to find the operation that failed to compute its gradient, with \
             torch.autograd.set_detect_anomaly(True).",
        ))
        .about(ErrorFact::ChangedInPlace { operation: self.called(), place }))
    }
}

/// Which tensor it is, in the words of the error.
fn made(record: &Record, output: usize) -> String {
    let name = record.grad_name.get().map_or_else(String::new, |name| name.to_string());
    format!(", which is output {output} of {name},")
}
