//! Every rule of the table computes the same gradients with and without records on operands of every layout, bit for bit
//! unless a kernel computes them in one pass; and those are the slopes that central differences find.

use attn::ops::table::ops;
use attn::session::{Session, SessionOptions, with_large_stack};

/// Runs `examples.py` on these operations and returns what it prints: one line for each thing that is wrong.
fn wrong(names: Vec<&'static str>) -> String {
    with_large_stack(move || {
        let mut session = Session::new(SessionOptions::default());
        let examples = include_str!("backward.py");
        let outcome =
            session.run(&format!("{examples}\nfor name in {names:?}:\n    check(name)\n"), "cell 1");
        outcome.error.map_or(outcome.stdout, |error| error.message)
    })
}

#[test]
fn rules_agree_with_and_without_records_and_with_central_differences() {
    if crate::apart::ran() {
        return;
    }
    let mut names: Vec<&str> = ops().filter(|op| op.has_rule()).map(|op| op.name).collect();
    names.extend(["setitem", "copy_slices"]);
    names.dedup();
    assert!(names.len() > 60, "{} rules", names.len());
    assert_eq!(wrong(names), "");
}

#[test]
fn gradients_add_up_in_one_order_and_are_kept_apart() {
    if crate::apart::ran() {
        return;
    }
    let program = "
import torch
x = torch.randn(3, 4, requires_grad=True)
y = torch.randn(3, 4, requires_grad=True)
(x + y).sum().backward()
x.grad.add_(1)  # The gradients of two leaves share no memory, though one tensor reached both.
print(bool((y.grad == 1).all()), x.grad.is_contiguous())
before = x.grad
(x * y).sum().backward()
print(before is x.grad or before.data_ptr() == x.grad.data_ptr(), torch.equal(x.grad, 2 + y))
print(x.grad._version, x.grad.grad_fn, x.grad.requires_grad)
seed = torch.ones(3, 4)
(x * 1).backward(seed)
print(bool((seed == 1).all()))
h = x * 2
h.retain_grad()
(h + h).sum().backward()
kept = h.grad.clone()
h.grad.zero_()
print(bool((kept == 2).all()))
print([tuple(g.shape) for g in torch.autograd.grad((x.t() @ y).sum(), (x, y))])
";
    let printed = with_large_stack(move || {
        let outcome = Session::new(SessionOptions::default()).run(program, "cell 1");
        outcome.error.map_or(outcome.stdout, |error| error.message)
    });
    assert_eq!(printed, "True True\nTrue True\n2 None False\nTrue\nTrue\n[(3, 4), (3, 4)]\n");
}
