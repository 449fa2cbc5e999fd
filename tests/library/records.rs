//! What is recorded of long loops is bounded: after N and after 10 N steps it is the same, and nothing leaks.

use attn::session::{Session, SessionOptions, with_large_stack};
use attn::tensor::{RecordCounts, tensor_bytes};

/// A loop: what runs before it, and what it repeats.
type Loop = (&'static str, &'static str);

const MLP: &str = "\
import torch
import torch.nn as nn
torch.manual_seed(1)
x, y = torch.rand(16, 8), torch.rand(16, 4)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
";

const HEAD: &str = "\
import torch
import torch.nn as nn
torch.manual_seed(1)
x, y = torch.rand(2, 6, 8), torch.rand(2, 6, 8)
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer('hide', torch.ones(6, 6).triu(1).bool())
    def forward(self, x):
        scores = self.q(x) @ self.k(x).mT / 8**0.5
        return scores.masked_fill_(self.hide, -torch.inf).softmax(dim=-1) @ self.v(x)
model = Head()
";

const STEP: &str = "    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
";

const SGD: &str = "opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)\n";
const ADAM: &str = "opt = torch.optim.AdamW(model.parameters(), lr=0.001)\n";

fn loops() -> Vec<(String, String)> {
    let plain: &[Loop] = &[
        ("x, w = torch.rand(4, 4), torch.eye(4)", "    x = x @ w\n"),
        ("x = torch.rand(4, 4)", "    x = torch.softmax(x * 2, dim=-1)\n"),
        ("p, g = torch.rand(8, 8), torch.rand(8, 8)", "    p.add_(g, alpha=-0.01)\n"),
        ("p = torch.rand(8, 8)", "    p[0] = p[1] + 1\n    p.mul_(0.5)\n"),
        // Each tensor becomes part of its own history.
        ("", "    x = torch.rand(4)\n    x.add_(x)\n"),
        // The bound has room for 1,600 of these operands.
        ("x = torch.rand(100, 100)", "    x = x * 0.5\n"),
        // The bound is smaller than w, which is alive anyway.
        ("x, w = torch.rand(100, 100), torch.rand(50000, 400)", "    x = x + w[:100, :100]\n"),
        (
            "",
            "    r = torch.rand(2, 2, requires_grad=True)\n    y = (r @ r).sum()\n    (g,) = torch.autograd.grad(y, r)\n",
        ),
        (
            "w = torch.rand(3, 3, requires_grad=True)",
            "    y = (w @ w).sum()\n    (g,) = torch.autograd.grad(y, w, create_graph=True)\n    g.pow(2).sum().backward()\n    w.grad = None\n",
        ),
        ("w = torch.rand(3, 3, requires_grad=True)", "    (w @ w).sum().backward()\n"),
    ];
    let mut loops: Vec<(String, String)> = plain
        .iter()
        .map(|(before, step)| (format!("import torch\n{before}\n"), (*step).to_owned()))
        .collect();
    for (model, opt) in [(MLP, SGD), (MLP, ADAM), (HEAD, SGD), (HEAD, ADAM)] {
        loops.push((format!("{model}{opt}"), STEP.to_owned()));
    }
    loops
}

/// Runs a cell that repeats the step; returns the counts after it and the bytes of all tensors.
fn repeat(session: &mut Session, step: &str, count: usize) -> (RecordCounts, u64) {
    let outcome = session.run(&format!("for _ in range({count}):\n{step}"), "loop");
    assert_eq!(outcome.error, None, "{step}");
    (session.state().record_counts(), tensor_bytes())
}

#[test]
fn after_ten_times_as_many_steps_no_more_is_kept() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        for (before, step) in loops() {
            let mut session = Session::new(SessionOptions::default());
            assert_eq!(session.run(&before, "setup").error, None, "{before}");
            // By then each bound is reached that will be. Training keeps the last steps of its optimizer.
            let is_training = step == STEP;
            let (before, count) = if is_training { (100, 300) } else { (4300, 2000) };
            repeat(&mut session, &step, before);
            let (early, bytes) = repeat(&mut session, &step, count);
            let (late, more) = repeat(&mut session, &step, 10 * count);
            assert_eq!((early.living, early.held, bytes), (late.living, late.held, more), "{step}");
            for counts in [early, late] {
                assert!(counts.living <= 4096 && counts.held <= 65 << 20, "{counts:?} {step}");
                // Each record is in two lists at most, and dropped ones are removed in time.
                assert!(counts.listed <= 7 * (2 * counts.living + 1025), "{counts:?} {step}");
            }
        }
    });
}

/// Parameters and variables cost nothing: only what records alone keep alive counts, to the byte.
#[test]
fn bytes_that_records_keep_alive_are_counted_once() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        let mut held = |source: &str| {
            assert_eq!(session.run(source, "cell").error, None, "{source}");
            session.state().record_counts().held
        };
        let row = 4 * 1000;
        assert_eq!(held("import torch\nw = torch.rand(1000)\nv = w.view(10, 100)"), 0);
        assert_eq!(held("x = torch.rand(1000)\ny = x + w\nz = x * w"), 0);
        assert_eq!(held("del x"), row, "two records have it");
        assert_eq!(held("del y"), row, "one record has it");
        assert_eq!(held("del z"), 0);
        assert_eq!(held("a = (v * 2) * 3"), row, "v * 2 has no name");
        assert_eq!(held("del w"), row, "its view has a name");
        assert_eq!(held("del v"), 2 * row);
        assert_eq!(held("del a"), 0);
        // A large operand that is alive anyway does not cost the history of small tensors.
        assert_eq!(held("big = torch.rand(5000, 5000)\ns = torch.rand(1000)\nt = s + 1\ndel s"), row);
        assert_eq!(held("for _ in range(100): n = big.sum()"), row);
        assert_eq!(held("u = big * 2\ndel big"), 100_000_000 + row, "the newest record stays");
        assert_eq!(held("n = t + 1"), row, "the largest is forgotten first");
    });
}
