//! Each code of the doctor has a section in docs/mistakes.md: code in which it finds the mistake, and code in which it
//! finds nothing.

use attn::explain::{TensorNames, doctor};
use attn::session::{Session, SessionOptions, with_large_stack};

/// The names of the mistakes in a program, from its operations and its syntax.
fn found(source: &str) -> Vec<&'static str> {
    let mut session = Session::new(SessionOptions::default());
    let (outcome, trace, calls) = session.examined(source, "program", doctor::calls_to_repeat);
    assert_eq!(outcome.error, None, "{source}");
    let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let mut all = doctor::examine(&trace, &names, &calls, &session.sources().collect());
    all.extend(doctor::read_together(&[("program", source)], doctor::Reading::Ran));
    all.iter().map(|finding| finding.mistake).collect()
}

#[test]
fn each_code_has_an_example_that_has_it_and_one_that_does_not() {
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for mistake in doctor::MISTAKES {
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
    for (at, mistake) in doctor::MISTAKES.iter().enumerate() {
        let others = &doctor::MISTAKES[at + 1..];
        assert!(
            others.iter().all(|it| it.code != mistake.code && it.name != mistake.name),
            "{}",
            mistake.code
        );
        assert!(!mistake.title.is_empty() && mistake.why.ends_with('.'), "{}", mistake.name);
        for cause in mistake.implied_by {
            assert!(doctor::MISTAKES.iter().any(|it| it.name == *cause), "{cause}");
        }
    }
}

#[test]
fn syntax_is_read_where_nothing_can_run() {
    let source = "\
import torch.nn.functional as F
def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scores.masked_fill(mask, float('-inf'))
    return F.softmax(F.softmax(scores, dim=-1), dim=-1) @ v
def both(q, k, v, mask):
    loss = F.cross_entropy(F.softmax(q, dim=-1), v)
    return attend(q, v, k, mask)
";
    let read = doctor::read_together(&[("cell", source)], doctor::Reading::Instead);
    let told: Vec<(&str, Option<usize>)> = read.iter().map(|it| (it.mistake, it.line)).collect();
    let wanted = [
        ("masked-copy-unused", Some(4)),
        ("softmax-twice", Some(5)),
        ("softmax-before-loss", Some(7)),
        ("arguments-swapped", Some(8)),
    ];
    assert_eq!(told, wanted);
    let ran = doctor::read_together(&[("cell", source)], doctor::Reading::Ran);
    assert_eq!(
        ran.iter().map(|it| it.mistake).collect::<Vec<_>>(),
        ["masked-copy-unused", "arguments-swapped"]
    );
}

#[test]
fn cells_are_read_as_one_program() {
    let class = "\
import torch
from torch import nn
class Head(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d, d) for _ in range(3))
        self.register_buffer('tril', torch.tril(torch.ones(n, n)))
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(-2, -1)
        return torch.softmax(scores, dim=-1) @ keys
";
    let masked = "\
class Masked(Head):
    def forward(self, x):
        return self.tril @ x
";
    let read = |cells: &[(&str, &str)]| -> Vec<(&str, Option<String>, Option<usize>)> {
        let found = doctor::read_together(cells, doctor::Reading::Ran).into_iter();
        found.map(|it| (it.mistake, it.cell, it.line)).collect()
    };
    let place = |mistake, line| (mistake, Some("two".to_owned()), Some(line));
    let alone = read(&[("one", "x = 1\n\n\n"), ("broken", "def ("), ("two", class)]);
    assert!(alone.contains(&place("projection-mixed-up", 11)), "{alone:?}");
    assert!(alone.contains(&place("mask-missing", 7)), "{alone:?}");
    // Another cell reads the buffer.
    let both = read(&[("two", class), ("three", masked)]);
    assert!(!both.iter().any(|(mistake, ..)| *mistake == "mask-missing"), "{both:?}");
    // A notebook shows the value of a cell's last statement.
    assert_eq!(read(&[("one", "scores = 1\nscores.masked_fill(mask, -1)")]), []);
    assert_eq!(read(&[("two", "scores.masked_fill(mask, -1)\nx = 1")]), [place("masked-copy-unused", 1)]);
}

#[test]
fn names_say_what_a_mask_shows() {
    let found = |code: &str| -> Vec<&str> {
        doctor::read_together(&[("cell", code)], doctor::Reading::Ran).iter().map(|it| it.mistake).collect()
    };
    for code in [
        "s = s.masked_fill(visible, -torch.inf)",
        "s = s.masked_fill(~hidden, float('-inf'))",
        "s = torch.where(keep_mask, -1e9, s)",
    ] {
        assert_eq!(found(code), ["mask-inverted"], "{code}");
    }
    for code in [
        "s = s.masked_fill(~visible, -torch.inf)",
        "s = s.masked_fill(hidden, float('-inf'))",
        "s = torch.where(keep_mask, s, -1e9)",
        "s = s.masked_fill(padding_mask, -1e9)",
        "x = x.masked_fill(valid, 0.0)",
        "s = s.masked_fill(visible == 0, -torch.inf)",
    ] {
        assert!(found(code).is_empty(), "{code}");
    }
}

/// Whether the syntax shows a loop that adds to the gradients of all steps before.
fn adds_up(body: &str) -> bool {
    let start =
        "import torch\nmodel = torch.nn.Linear(3, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n";
    let found = doctor::read_together(&[("program", &format!("{start}{body}"))], doctor::Reading::Ran);
    found.iter().any(|finding| finding.mistake == "gradients-not-zeroed")
}

#[test]
fn gradients_that_add_up_are_found_however_the_loop_is_written() {
    let wrong = [
        "for x in data:\n    model(x).sum().backward()\n    opt.step()\n",
        "while True:\n    loss = model(x).sum()\n    loss.backward()\n    opt.step()\n    sched.step()\n",
        "for e in range(3):\n    opt.zero_grad()\n    for x in data:\n        model(x).sum().backward()\n        opt.step()\n",
        "def train_step(x):\n    loss = model(x).sum()\n    loss.backward()\n    opt.step()\nfor x in data:\n    train_step(x)\n",
        "def train_step(x):\n    model(x).sum().backward()\n    adam.step()\nadam = torch.optim.Adam(model.parameters())\nfor x in data:\n    train_step(x)\n",
        "for x in data:\n    (w * x).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n",
        "for x in data:\n    model(x).sum().backward()\n    for p in model.parameters():\n        p.data.sub_(0.1 * p.grad)\n",
        "class Trainer:\n    def fit(self):\n        self.optimizer = torch.optim.Adam(self.model.parameters())\n        for x in self.data:\n            self.loss(x).backward()\n            self.optimizer.step()\n",
    ];
    let right = [
        "for x in data:\n    opt.zero_grad()\n    model(x).sum().backward()\n    opt.step()\n",
        "for x in data:\n    model.zero_grad(set_to_none=True)\n    model(x).sum().backward()\n    opt.step()\n",
        "for i, x in enumerate(data):\n    (model(x).sum() / 4).backward()\n    if (i + 1) % 4 == 0:\n        opt.step()\n        opt.zero_grad()\n",
        "for step in range(9):\n    for x in data:\n        model(x).sum().backward()\n    opt.step()\n    opt.zero_grad()\n",
        "for x in data:\n    (w * x).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None\n",
        "for x in data:\n    (w * x).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n        w.grad.zero_()\n",
        "for x in data:\n    model(x).sum().backward()\n    for p in model.parameters():\n        p.data.sub_(0.1 * p.grad)\n        p.grad = None\n",
        "for lr in [0.1, 0.2]:\n    opt = torch.optim.SGD(model.parameters(), lr=lr)\n    model(x).sum().backward()\n    opt.step()\n",
        "def train_step(x):\n    opt.zero_grad()\n    model(x).sum().backward()\n    opt.step()\nfor x in data:\n    train_step(x)\n",
        "def clear():\n    opt.zero_grad()\nfor x in data:\n    clear()\n    model(x).sum().backward()\n    opt.step()\n",
        "def closure():\n    opt.zero_grad()\n    loss = model(x).sum()\n    loss.backward()\n    return loss\nfor x in data:\n    opt.step(closure)\n",
        "for x in data:\n    model(x).sum().backward()\n    print(model.weight.grad)\n",
        "for x in data:\n    sched.step()\n",
        "model(x).sum().backward()\nopt.step()\n",
    ];
    let missed: Vec<&str> = wrong.into_iter().filter(|body| !adds_up(body)).collect();
    let accused: Vec<&str> = right.into_iter().filter(|body| adds_up(body)).collect();
    assert!(
        missed.is_empty() && accused.is_empty(),
        "missed:\n{}\naccused:\n{}",
        missed.join("\n"),
        accused.join("\n")
    );
}
