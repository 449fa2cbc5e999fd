//! Each code of the doctor has a section in docs/mistakes.md: code in which it finds the mistake, and code in which it
//! finds nothing.

use attn::explain::{TensorNames, doctor};
use attn::session::{Session, SessionOptions, with_large_stack};

/// The names of the mistakes in a program, from its operations and its training.
fn found(source: &str) -> Vec<&'static str> {
    let mut session = Session::new(SessionOptions::default());
    if source.contains("nn.Module") || source.contains("optim") {
        doctor::watch(&mut session);
    }
    let (outcome, trace, calls) = session.examined(source, "program", doctor::calls_to_repeat);
    assert_eq!(outcome.error, None, "{source}");
    let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let mut all = doctor::examine(&trace, &names, &calls, &session.sources().collect());
    all.extend(doctor::watched(&mut session));
    all.iter().map(|finding| finding.mistake).collect()
}

#[test]
fn each_code_has_an_example_that_has_it_and_one_that_does_not() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for mistake in doctor::mistakes() {
            let Some(example) = doctor::example_of(mistake) else {
                wrong.push(format!("{} has no section", mistake.code));
                continue;
            };
            let (first, second) = (found(example.wrong), found(example.right));
            if !first.contains(&mistake.name) || !second.is_empty() {
                wrong.push(format!("{} {}: {first:?}, then {second:?}", mistake.code, mistake.name));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn codes_and_names_are_unique() {
    for (at, mistake) in doctor::mistakes().enumerate() {
        let mut others = doctor::mistakes().skip(at + 1);
        assert!(others.all(|it| it.code != mistake.code && it.name != mistake.name), "{}", mistake.code);
        assert!(!mistake.title.is_empty() && mistake.why.ends_with('.'), "{}", mistake.name);
        for cause in mistake.implied_by {
            assert!(doctor::mistakes().any(|it| it.name == *cause), "{cause}");
        }
    }
}

/// Whether a loop adds to the gradients of all steps before.
fn adds_up(body: &str) -> bool {
    let start = "import torch\ntorch.manual_seed(1)\nmodel = torch.nn.Linear(3, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n\
                 data = [torch.randn(2, 3) for _ in range(4)]\n";
    found(&format!("{start}{body}")).contains(&"gradients-not-zeroed")
}

#[test]
fn gradients_that_add_up_are_found_however_the_loop_is_written() {
    if crate::apart::ran() {
        return;
    }
    let wrong = [
        "for x in data:\n    model(x).sum().backward()\n    opt.step()\n",
        "for e in range(3):\n    opt.zero_grad()\n    for x in data:\n        model(x).sum().backward()\n        opt.step()\n",
        "def train_step(x):\n    loss = model(x).sum()\n    loss.backward()\n    opt.step()\nfor x in data:\n    train_step(x)\n",
    ];
    let right = [
        "for x in data:\n    opt.zero_grad()\n    model(x).sum().backward()\n    opt.step()\n",
        "for x in data:\n    model.zero_grad(set_to_none=True)\n    model(x).sum().backward()\n    opt.step()\n",
        "for i, x in enumerate(data):\n    (model(x).sum() / 4).backward()\n    if (i + 1) % 4 == 0:\n        opt.step()\n        opt.zero_grad()\n",
        "for x in data:\n    model(x).sum().backward()\n    opt.step()\n    for p in model.parameters():\n        p.grad = None\n",
        "for lr in [0.1, 0.2]:\n    model = torch.nn.Linear(3, 1)\n    opt = torch.optim.SGD(model.parameters(), lr=lr)\n    model(data[0]).sum().backward()\n    opt.step()\n",
        "def closure():\n    opt.zero_grad()\n    loss = model(data[0]).sum()\n    loss.backward()\n    return loss\nfor x in data:\n    opt.step(closure)\n",
        "model(data[0]).sum().backward()\nopt.step()\n",
    ];
    with_large_stack(|| {
        let missed: Vec<&str> = wrong.into_iter().filter(|body| !adds_up(body)).collect();
        let accused: Vec<&str> = right.into_iter().filter(|body| adds_up(body)).collect();
        let told = [missed.join("\n"), accused.join("\n")];
        assert!(missed.is_empty() && accused.is_empty(), "missed:\n{}\naccused:\n{}", told[0], told[1]);
    });
}
