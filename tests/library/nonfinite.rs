//! The operation that first returned a nan.

use attn::explain::{TensorNames, first_nan};
use attn::session::{Session, SessionOptions, with_large_stack};

#[test]
fn the_first_operation_is_named() {
    if crate::apart::ran() {
        return;
    }
    const CASES: &[(&str, &str, &str)] = &[
        (
            "s = torch.zeros(3, 3)\nm = s.masked_fill(torch.ones(3, 3).triu(0).bool(), -torch.inf)\nw = torch.softmax(m, dim=-1)\ny = w @ torch.ones(3, 2) + 1",
            "y",
            "cell, line 3: row 0 of m is -inf throughout: its softmax is 0/0",
        ),
        ("x = torch.tensor([1., 0.])\ny = x / x.T\nz = y * 2", "z", "cell, line 2: 0 / 0 = nan, at [1]"),
        ("x = torch.tensor([1., 1000.])\ne = torch.exp(x)\nw = e / e.sum()", "w", "inf / inf = nan, at [1]"),
        ("x = torch.tensor([4., -1.])\ny = x.sqrt().sum()", "y", "sqrt(-1) = nan, at [1]"),
    ];
    with_large_stack(|| {
        for (code, name, words) in CASES {
            let mut session = Session::new(SessionOptions::default());
            let outcome = session.run(&format!("import torch; {code}"), "cell");
            assert_eq!(outcome.error, None, "{code}");
            let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
            let tensor = names.get(name).expect("it is bound").clone();
            let origin = first_nan(&tensor, &names).expect("it has a nan");
            let sentence = origin.sentence(name);
            assert!(sentence.contains(words), "{code}\n{sentence}");
        }
        let mut session = Session::new(SessionOptions::default());
        session.run("import torch\nx = torch.ones(2)", "cell");
        let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
        assert_eq!(first_nan(names.get("x").expect("it is bound"), &names), None);
    });
}
