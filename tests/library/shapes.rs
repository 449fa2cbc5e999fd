//! The shapes in an expression, operation by operation.

use attn::explain::shape_steps::{ShapeStep, is_harmless, shape_steps};
use attn::session::{Session, SessionOptions};

fn lines(expression: &str) -> Vec<String> {
    let mut session = Session::new(SessionOptions::default());
    let made =
        "import torch\nqueries = torch.ones(6, 2)\nkeys = torch.ones(6, 2)\nd_k = 2\nb = torch.ones(6)";
    assert_eq!(session.run(made, "cell").error, None);
    let steps = shape_steps(expression, &mut session).expect("it is an expression");
    let line = |step: ShapeStep| {
        let result = step.result.unwrap_or_else(|raised| raised.kind);
        format!("{} : {} -> {result} {}", step.code, step.algebra, step.remark).trim().to_owned()
    };
    steps.into_iter().map(line).collect()
}

#[test]
fn each_operation_is_a_step() {
    if crate::apart::ran() {
        return;
    }
    assert_eq!(lines("queries @ keys.T"), ["queries @ keys.T : (6,2) @ (2,6) -> (6,6)"]);
    assert_eq!(
        lines("torch.softmax((queries @ keys.transpose(0, 1)) / d_k**0.5 + b, dim=-1)"),
        [
            "keys.transpose(0, 1) : (6,2) -> (2,6)",
            "queries @ … : (6,2) @ (2,6) -> (6,6)",
            "… / d_k**0.5 : (6,6) / 1.4142 -> (6,6)",
            "… + b : (6,6) + (6) -> (6,6) broadcast",
            "torch.softmax(…, dim=-1) : (6,6) -> (6,6)",
        ]
    );
    assert_eq!(
        lines("torch.cat([queries, keys], dim=1)"),
        ["torch.cat([queries, keys], dim=1) : (6,2), (6,2) -> (6,4)"]
    );
    assert_eq!(lines("keys.T"), ["keys.T : (6,2) -> (2,6)"]);
    assert_eq!(lines("keys"), ["keys :  -> (6,2)"]);
    assert_eq!(lines("d_k"), ["d_k :  -> 2"]);
    assert_eq!(lines("keys[1:, 0]"), ["keys[1:, 0] : (6,2) -> (5)"]);
}

#[test]
fn expressions_that_change_nothing_are_known() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    session.run("import torch\nx = torch.ones(2, 2)\ns = set()\ndef f(): pass", "cell");
    for code in ["x", "x.T @ x[0, 1:] + 1", "torch.softmax(x * 2, dim=-1).sum()", "torch.rand(2) > 0.5"] {
        assert!(is_harmless(code, &mut session), "{code}");
    }
    for code in
        ["f()", "x.add_(1)", "s.add(3)", "torch.add(x, x, out=x)", "[y for y in x]", "print(x)", "x ="]
    {
        assert!(!is_harmless(code, &mut session), "{code}");
    }
}

#[test]
fn the_first_operation_that_raises_is_the_last_step() {
    if crate::apart::ran() {
        return;
    }
    assert_eq!(lines("(queries @ keys) * 2"), ["queries @ keys : (6,2) @ (6,2) -> RuntimeError"]);
    assert_eq!(lines("nothing + 1"), ["nothing :  -> NameError"]);
}
