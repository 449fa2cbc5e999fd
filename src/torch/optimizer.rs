//! Steps of `torch.optim.SGD`, `Adam` and `AdamW` over all parameters of a group: the settings and the state that Python
//! keeps, read here; the numbers are computed in `tensor::ops::optimize`.
//!
//! A step leaves one record for each parameter, which replaces those of the steps before: a parameter has no chain of
//! records. Of a small parameter the record has the values that made the last one, so that `attn why` shows the formula.

use std::rc::Rc;

use rustpython_vm::builtins::{PyDict, PyDictRef, PyList};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::numbers::{items, number};
use super::py_tensor::tensor_of;
use super::site::site;
use crate::kernel::optimizer::{Adam, Sgd};
use crate::kernel::random::Family;
use crate::ops::state::State;
use crate::ops::table::row;
use crate::tensor::descriptor::{
    DENOM, DIRECTION, Descriptor, EXP_AVG, EXP_AVG_SQ, MOMENTUM_BUFFER, OPTIMIZER_STEP, STEP,
};
use crate::tensor::ops::optimize::{self, Moved, UpdateRule, separate, step};
use crate::tensor::ops::pointwise;
use crate::tensor::{Arg, CompletedOperation, DType, Tensor, ops};

/// Up to how many elements the values that made a parameter are kept.
const EXPLAINED: usize = 4096;

/// A setting of a group; none if it is no Python number.
fn setting(group: &Py<PyDict>, name: &str, vm: &VirtualMachine) -> Option<f64> {
    number(&*group.get_item_opt(name, vm).ok()??, vm)?.number()
}

fn is_on(group: &Py<PyDict>, name: &str, vm: &VirtualMachine) -> bool {
    group.get_item_opt(name, vm).ok().flatten().is_some_and(|value| value.is(&vm.ctx.true_value))
}

fn kept(own: &Py<PyDict>, name: &str, vm: &VirtualMachine) -> Option<Tensor> {
    tensor_of(&*own.get_item_opt(name, vm).ok()??)
}

/// The settings of a group that its rule takes; there are none for what only the single operations do.
enum Settings {
    Sgd { rule: Sgd<f64> },
    Adam { rule: Adam<f64>, betas: [f64; 2], lr: f64 },
}

fn sgd_settings(group: &Py<PyDict>, vm: &VirtualMachine) -> Option<Settings> {
    let of = |name| setting(group, name, vm);
    let decay = of("weight_decay")?;
    let rule = Sgd {
        weight_decay: (decay != 0.0).then_some(decay),
        momentum: of("momentum")?,
        share: 1.0 - of("dampening")?,
        nesterov: is_on(group, "nesterov", vm),
        rate: -of("lr")?,
    };
    Some(Settings::Sgd { rule })
}

fn adam_settings(
    group: &Py<PyDict>,
    decoupled: bool,
    family: Family,
    vm: &VirtualMachine,
) -> Option<Settings> {
    let of = |name| setting(group, name, vm);
    let betas = items(&*group.get_item_opt("betas", vm).ok()??)?;
    let [first, second] = &betas[..] else { return None };
    let betas = [number(first, vm)?.number()?, number(second, vm)?.number()?];
    let (lr, decay) = (of("lr")?, of("weight_decay")?);
    let rule = Adam {
        weight_decay: (decay != 0.0 && !decoupled).then_some(decay),
        shrink: if decoupled && decay != 0.0 { 1.0 - lr * decay } else { 1.0 },
        mean_share: 1.0 - betas[0],
        square_kept: betas[1],
        square_share: 1.0 - betas[1],
        root: 1.0,
        eps: of("eps")?,
        rate: 0.0,
        library_roots: family == Family::Mkl,
    };
    Some(Settings::Adam { rule, betas, lr })
}

impl Settings {
    /// What is done with a parameter whose state is `own`; none before its first step, and where the state is not as the
    /// optimizer makes it.
    fn of_parameter(
        &self,
        param: Tensor,
        grad: Tensor,
        own: Option<&Py<PyDict>>,
        vm: &VirtualMachine,
    ) -> Option<Moved> {
        match self {
            Settings::Sgd { rule } => {
                let velocity = match rule.momentum != 0.0 {
                    true => vec![kept(own?, "momentum_buffer", vm)?],
                    false => Vec::new(),
                };
                Some(Moved { param, grad, kept: velocity, counter: None, rule: UpdateRule::Sgd(*rule) })
            }
            Settings::Adam { rule, betas: [beta1, beta2], lr } => {
                let own = own?;
                let counter = kept(own, "step", vm)
                    .filter(|step| step.dtype() == DType::Float32 && step.ndim() == 0)?;
                let means = vec![kept(own, "exp_avg", vm)?, kept(own, "exp_avg_sq", vm)?];
                let step = f64::from(counter.item().ok()? as f32 + 1.0);
                let rule = Adam {
                    root: (1.0 - beta2.powf(step)).powf(0.5),
                    rate: -lr / (1.0 - beta1.powf(step)),
                    ..*rule
                };
                Some(Moved { param, grad, kept: means, counter: Some(counter), rule: UpdateRule::Adam(rule) })
            }
        }
    }
}

/// Does a step of SGD, or of Adam where `decay` says whether its decay goes beside the gradient, for all parameters of a
/// group that have a gradient. Returns those that it left out: their first step, other layouts, traced sessions,
/// rare settings.
pub(super) fn step_group(
    state: &Rc<State>,
    group: &PyDictRef,
    states: &PyDictRef,
    decay: Option<bool>,
    vm: &VirtualMachine,
) -> PyResult {
    let params = items(&*group.get_item("params", vm)?).unwrap_or_default();
    let with_grad = |param: &PyObjectRef| {
        let tensor = tensor_of(param)?;
        Some((param.clone(), tensor.grad()?, tensor))
    };
    let params: Vec<_> = params.iter().filter_map(with_grad).collect();
    let settings = match decay {
        None => sgd_settings(group, vm),
        Some(decoupled) => adam_settings(group, decoupled, state.family.get(), vm),
    };
    let single = state.tracer.is_on() || is_on(group, "maximize", vm) || is_on(group, "amsgrad", vm);
    let settings = settings.filter(|_| !single);
    let (mut moved, mut objects, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for (object, grad, param) in params {
        let own = states.get_item_opt::<PyObject>(&object, vm)?;
        let own = own.as_ref().and_then(|own| own.downcast_ref::<PyDict>());
        let one = settings.as_ref().and_then(|settings| settings.of_parameter(param, grad, own, vm));
        match one.filter(Moved::fits) {
            Some(one) => {
                objects.push((one.param.id(), object));
                moved.push(one);
            }
            None => rest.push(object),
        }
    }
    let (alone, shared) = separate(moved);
    let is_shared = |id: usize| shared.iter().any(|one| one.param.id() == id);
    rest.extend(objects.into_iter().filter(|(id, _)| is_shared(*id)).map(|(_, object)| object));
    apply(state, &alone, vm);
    Ok(PyList::from(rest).into_pyobject(vm))
}

/// Clears the gradients of all tensors of a list.
pub(super) fn forget_grads(params: &PyObject) {
    for param in items(params).unwrap_or_default().iter().filter_map(|param| tensor_of(param)) {
        param.set_grad(None);
    }
}

/// Does the steps, and records for each parameter what made it.
fn apply(state: &Rc<State>, moved: &[Moved], vm: &VirtualMachine) {
    let explained = |one: &Moved| one.param.numel() <= EXPLAINED && !state.recorder.is_off();
    let before: Vec<Option<Tensor>> = moved.iter().map(|one| explained(one).then(|| shrunk(one))).collect();
    let versions: Vec<u64> = moved.iter().map(|one| one.param.storage().version()).collect();
    step(moved);
    let site = site(vm);
    let recorded = |operation, shape: &[usize], args: Vec<Arg>| {
        let in_place = !args.is_empty();
        let ran = CompletedOperation::new(operation, args, shape, site.clone());
        state.recorder.record(CompletedOperation { in_place, ..ran })
    };
    for ((one, before), version) in moved.iter().zip(before).zip(versions) {
        // As often as PyTorch writes them: AdamW's decay is a write of its own, and the mean square has two.
        if let UpdateRule::Adam(rule) = one.rule {
            if rule.shrink != 1.0 {
                drop(one.param.storage().write());
            }
            drop(one.kept[1].storage().write());
        }
        let (operation, args) = before.map_or((&OPTIMIZER_STEP, Vec::new()), |before| formula(one, before));
        // What the pass computed on the way has no operation of its own.
        let (computing, keeping) = state_names(one);
        let computed = args.iter().skip(1).filter_map(Arg::tensor).zip(computing);
        for (computed, name) in computed.filter(|(computed, _)| !computed.has_origin()) {
            computed.set_made(recorded(name, computed.shape(), Vec::new()), 0);
        }
        let record = recorded(operation, one.param.shape(), args);
        one.param.storage().replaced(one.param.layout(), &record, version);
        one.param.set_origin(record, 0);
        let kept = one.kept.iter().zip(keeping);
        for (kept, name) in kept.chain(one.counter.iter().map(|counter| (counter, &STEP))) {
            let record = recorded(name, kept.shape(), Vec::new());
            kept.storage().replaced(kept.layout(), &record, 0);
            kept.set_origin(record, 0);
        }
    }
}

/// What the operands of a step's last operation are called, after the parameter, and what the optimizer keeps.
fn state_names(one: &Moved) -> (Vec<&'static Descriptor>, Vec<&'static Descriptor>) {
    match one.rule {
        UpdateRule::Adam(_) => (vec![&EXP_AVG, &DENOM], vec![&EXP_AVG, &EXP_AVG_SQ]),
        UpdateRule::Sgd(rule) if one.kept.is_empty() || rule.nesterov => {
            (vec![&DIRECTION], vec![&MOMENTUM_BUFFER])
        }
        UpdateRule::Sgd(_) => (vec![&MOMENTUM_BUFFER], vec![&MOMENTUM_BUFFER]),
    }
}

/// The parameter before a step, after the decay of its own.
fn shrunk(one: &Moved) -> Tensor {
    match one.rule {
        UpdateRule::Adam(rule) if rule.shrink != 1.0 => {
            let (param, shrink) = (Arg::Tensor(one.param.clone()), Arg::Float(rule.shrink));
            pointwise::mul(&param, &shrink, DType::Float32).expect("a number scales any parameter")
        }
        _ => ops::copy(&one.param),
    }
}

/// The last operation of a step as PyTorch writes it, with its operands: what `attn why` shows.
fn formula(one: &Moved, before: Tensor) -> (&'static Descriptor, Vec<Arg>) {
    let copied = |x: &Tensor| Arg::Tensor(ops::copy(x));
    match (one.rule, &one.kept[..]) {
        (UpdateRule::Adam(rule), [mean, square]) => {
            let size = Arg::Tensor(optimize::size(square, &rule));
            (&row("addcdiv").descriptor, vec![Arg::Tensor(before), copied(mean), size, Arg::Float(rule.rate)])
        }
        (UpdateRule::Sgd(rule), _) => {
            let plain = one.kept.is_empty() && rule.weight_decay.is_none();
            let along = if plain { one.grad.clone() } else { optimize::along(&before, one, &rule) };
            (&row("add").descriptor, vec![Arg::Tensor(before), Arg::Tensor(along), Arg::Float(rule.rate)])
        }
        _ => (&OPTIMIZER_STEP, Vec::new()),
    }
}
