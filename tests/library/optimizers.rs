//! A step of an optimizer in one pass gives the bits, the state and the versions of the single operations.

use attn::session::{Session, SessionOptions, with_large_stack};

/// What a program prints.
fn printed(source: &str) -> String {
    let source = source.to_owned();
    with_large_stack(move || {
        let outcome = Session::new(SessionOptions::default()).run(&source, "cell 1");
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        outcome.stdout
    })
}

const SINGLE_OPERATIONS: &str = r#"
import copy
import torch, torch.nn as nn
from torch.optim.optimizer import Optimizer

torch.manual_seed(3)

def single(rule):
    class Single(rule):
        def _without_fused(self, group):
            return Optimizer._without_fused(self, group)
    return Single
"#;

#[test]
fn a_step_in_one_pass_is_a_step_of_single_operations() {
    if crate::apart::ran() {
        return;
    }
    let program = format!(
        "{SINGLE_OPERATIONS}{}",
        r#"
sgd = [dict(lr=0.1), dict(lr=0.1, momentum=0.9), dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
       dict(lr=0.1, momentum=0.9, dampening=0.3, maximize=True), dict(lr=0.01, weight_decay=0.2)]
adam = [dict(lr=0.1), dict(lr=0.01, betas=(0.8, 0.99), weight_decay=0.1), dict(amsgrad=True), dict(weight_decay=0.0),
        dict(maximize=True, amsgrad=True, weight_decay=0.3), dict(betas=(0.3, 0.5), eps=1e-3)]
rules = [(torch.optim.SGD, words) for words in sgd]
rules += [(rule, words) for rule in (torch.optim.Adam, torch.optim.AdamW) for words in adam]
for dtype in (torch.float32, torch.float64):
    for rule, words in rules:
        values = [torch.randn(shape, dtype=dtype) for shape in [(3,), (), (7, 5), (300, 400)]]
        values.append(torch.randn(20, 30, dtype=dtype).t())
        ours, theirs = ([nn.Parameter(value.clone()) for value in values] for _ in range(2))
        a, b = rule(ours, **words), single(rule)(theirs, **words)
        for step in range(4):
            for p, q in zip(ours, theirs):
                p.grad = torch.randn(p.shape, dtype=dtype)
                q.grad = p.grad.clone()
            if step == 2:
                ours[0].grad = theirs[0].grad = None
                a.param_groups[0]["lr"] = b.param_groups[0]["lr"] = 0.05
            a.step(); b.step()
            if step == 1:
                saved = copy.deepcopy(a.state_dict())
                a = rule(ours, **words)
                a.load_state_dict(saved)
        for p, q in zip(ours, theirs):
            assert torch.equal(p, q) and p._version == q._version, (rule, words, dtype, p.shape)
            assert list(a.state.get(p, {})) == list(b.state.get(q, {}))
            for name, kept in a.state.get(p, {}).items():
                assert torch.equal(kept, b.state[q][name]), (rule, words, name)
        a.zero_grad()
        assert all(p.grad is None for p in ours)
print("equal")
"#
    );
    assert_eq!(printed(&program), "equal\n");
}

#[test]
fn parameters_that_share_memory_are_changed_one_after_the_other() {
    if crate::apart::ran() {
        return;
    }
    let program = "
import torch, torch.nn as nn
base = torch.zeros(3, 2)
p, q = nn.Parameter(base[:2]), nn.Parameter(base[1:])
p.grad, q.grad = torch.ones(2, 2), torch.ones(2, 2)
torch.optim.SGD([p, q], lr=1.0).step()
print(base.tolist())
p.grad = q.grad = base[:2]
try:
    torch.optim.SGD([p, q], lr=1.0).step()
except RuntimeError as error:
    print(str(error)[:23])
print(base.tolist())
";
    assert_eq!(
        printed(program),
        "[[-1.0, -1.0], [-2.0, -2.0], [-1.0, -1.0]]\nunsupported operation: \n[[0.0, 0.0], [0.0, 0.0], [-1.0, -1.0]]\n"
    );
}

#[test]
fn gradients_are_clipped_as_by_single_operations() {
    if crate::apart::ran() {
        return;
    }
    let program = "
import torch, torch.nn as nn
torch.manual_seed(0)
for shape in [(3,), (400, 400)]:
    params = [nn.Parameter(torch.zeros(shape)) for _ in range(2)]
    grads = [torch.randn(shape) for _ in params]
    for param, grad in zip(params, grads):
        param.grad = grad.clone()
    norm = nn.utils.clip_grad_norm_(params, 1.0)
    factor = (1.0 / (norm + 1e-6)).clamp(max=1.0)
    print(all(torch.equal(param.grad, grad * factor) for param, grad in zip(params, grads)))
";
    assert_eq!(printed(program), "True\nTrue\n");
}

#[test]
fn a_trained_parameter_is_explained_by_its_last_step() {
    if crate::apart::ran() {
        return;
    }
    let program = "
import torch, torch.nn as nn
p = nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([p], lr=0.5)
for _ in range(600):
    p.grad = torch.tensor([1.0, 2.0])
    optimizer.step()
print(p.is_leaf, p.grad_fn, p.requires_grad, p.tolist())
";
    assert_eq!(printed(program), "True None True [-299.0, -599.0]\n");
}
