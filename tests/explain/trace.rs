//! The tracer: the operations that ran, their calls, and their operands as they were at that time.

use attn::explain::trace::{Cost, OutlineItem, Sources, outline};
use attn::lesson::Step;
use attn::ops::trace::{Trace, Traced};
use attn::session::{Session, SessionOptions, with_large_stack};
use attn::view::{Look, trace};

const CLASS: &str = "\
import torch
import torch.nn as nn
class Head(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer('mask', torch.ones(3, 3).triu(1))
    def forward(self, x):
        keys = self.W(x)
        scores = x @ keys.T
        scores.masked_fill_(self.mask.bool(), -torch.inf)
        return torch.softmax(scores, dim=-1) @ x
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(2, 2) for _ in range(2)])
    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)
torch.manual_seed(123)
two = Two()
x = torch.rand(3, 2)
";

/// Passes the trace of a cell to `check`, on the thread that ran the cell.
fn traced(before: &'static str, cell: &'static str, check: fn(&Trace)) {
    with_large_stack(move || {
        let mut session = Session::new(SessionOptions::default());
        let outcome = session.run(before, "before");
        assert_eq!(outcome.error, None);
        check(&session.traced(cell, "cell").1);
    });
}

fn functions(step: &Traced) -> Vec<&str> {
    step.calls.iter().filter(|call| !call.library).map(|call| call.function).collect()
}

#[test]
fn a_forward_is_traced_with_its_calls_names_and_lines() {
    if crate::apart::ran() {
        return;
    }
    traced(CLASS, "y = two(x)\n", |trace| {
        let ops: Vec<&str> = trace.steps.iter().map(|step| step.operation.called(step.in_place)).collect();
        let head = ["linear", "T", "matmul", "bool", "masked_fill_", "softmax", "matmul"];
        assert_eq!(ops, [&head[..], &head[..], &["cat"]].concat());

        let linear = &trace.steps[0];
        assert_eq!(functions(linear), ["<module>", "Two.forward", "Head.forward"]);
        let inside: Vec<_> =
            linear.inside().iter().map(|call| (call.function, call.class.as_deref())).collect();
        assert_eq!(inside, [("Linear.forward", Some("Linear"))]);
        let site = linear.site().expect("a line ran it");
        assert_eq!((site.cell, site.line), ("before", 9));
        let names: Vec<_> = linear.operands.iter().map(|operand| operand.name.as_deref()).collect();
        assert_eq!(names, [Some("x"), Some("self.W.weight")]);
        let span = linear.place().expect("a line ran it").span;
        assert_eq!((span.start.column, span.end.column), (16, 25), "self.W(x)");

        // The two heads are two activations of one function, called from one place.
        let activation =
            |at: usize| trace.steps[at].calls.iter().rfind(|call| !call.library).map(|it| it.activation);
        assert_eq!(activation(0), activation(6));
        assert_ne!(activation(0), activation(7));
        assert_eq!(trace.steps[0].calls[0].activation, trace.steps[14].calls[0].activation);
    });
}

#[test]
fn tensors_are_held_as_they_were() {
    if crate::apart::ran() {
        return;
    }
    traced(CLASS, "y = two(x)\n", |trace| {
        let (transposed, product, filled) = (&trace.steps[1], &trace.steps[2], &trace.steps[4]);
        assert!(transposed.is_view && !product.is_view && !filled.is_view);
        assert!(filled.in_place && filled.results[0].shares(&filled.operands[0]));
        let (before, after) = (product.results[0].values(), filled.results[0].values());
        let (before, after) = (before.expect("it is small"), after.expect("it is small"));
        assert!(before.float(1).is_finite() && after.float(1) == f64::NEG_INFINITY);
        assert_eq!(filled.operands[0].values().expect("it is small").float(1), before.float(1));
        assert_eq!(filled.operands[0].name.as_deref(), Some("scores"));
        assert!(product.results[0].shares(&filled.operands[0]));
    });
}

#[test]
fn an_operation_that_raises_is_traced_and_a_tracer_that_is_off_keeps_nothing() {
    if crate::apart::ran() {
        return;
    }
    traced("import torch\n", "x = torch.tensor([1., 2.])\nx[0] = 3\nx @ torch.ones(3)\n", |trace| {
        let ops: Vec<&str> = trace.steps.iter().map(|step| step.operation.called(step.in_place)).collect();
        assert_eq!(ops, ["tensor", "setitem", "ones", "matmul"]);
        let last = trace.steps.last().expect("four ran");
        assert!(last.error.as_deref().is_some_and(|said| said.contains("size")), "{:?}", last.error);
    });
    with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        session.traced("import torch\ntorch.ones(2)\n", "cell");
        session.run("torch.ones(3)\n", "cell");
        assert!(session.state().tracer.end().steps.is_empty());
    });
}

/// A traced cell binds the same names and has the same result.
#[test]
fn tracing_leaves_the_names_alone() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cell = "import torch\nx = torch.eye(2)\ny = [row * 2 for row in x]\nclass A:\n    w = x + 1\n\
                    z = [[a @ b for a in x] for b in y]\nsorted(vars(A))";
        let run = |traced: bool| {
            let mut session = Session::new(SessionOptions::default());
            let outcome = if traced { session.traced(cell, "cell").0 } else { session.run(cell, "cell") };
            (outcome.error, outcome.result, session.names())
        };
        assert_eq!(run(true), run(false));
    });
}

#[test]
fn long_and_large_traces_are_bounded() {
    if crate::apart::ran() {
        return;
    }
    traced("import torch\nx = torch.zeros(1)\n", "for i in range(50_010): x = x + 1\n", |trace| {
        assert_eq!((trace.steps.len(), trace.beyond), (Trace::KEPT, 10));
    });
    traced("import torch\n", "x = torch.zeros(12_000_000)\nfor i in range(9): y = x + i\n", |trace| {
        let held = trace.steps.iter().filter(|step| step.results[0].tensor.is_some()).count();
        assert!((2..9).contains(&held), "{held}");
        assert_eq!(trace.steps[9].results[0].shape(), [12_000_000]);
    });
}

/// The total operations and cost of the items.
fn summed(items: &[OutlineItem]) -> (usize, Cost) {
    items
        .iter()
        .fold((0, Cost::default()), |(count, cost), item| (count + item.operations(), cost + item.cost()))
}

/// Folding nested loops with calls in them keeps every operation and its cost, and shows each line of code once.
#[test]
fn folding_keeps_every_operation_and_its_cost() {
    if crate::apart::ran() {
        return;
    }
    let mut state = 11u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for _ in 0..20 {
        let mut source = "import torch\nx = torch.ones(2, 2)\ndef f(y):\n    return y @ y + y\n".to_owned();
        let mut depth = 0;
        let mut lines = 0;
        for _ in 0..7 {
            let line = match draw(5) {
                0 | 1 => {
                    depth += 1;
                    format!("for i{depth} in range({}):", draw(3) + 2)
                }
                2 => "x = f(x) / 9".to_owned(),
                3 => "x = torch.softmax(x, dim=-1)".to_owned(),
                _ => "x[0] = x[1] * 2".to_owned(),
            };
            let indent = depth - usize::from(line.starts_with("for"));
            source.push_str(&format!("{}{line}\n", "    ".repeat(indent)));
            lines += 1;
        }
        source.push_str(&format!("{}x = x * 1\n", "    ".repeat(depth)));
        with_large_stack(move || {
            let mut session = Session::new(SessionOptions::default());
            let (outcome, trace) = session.traced(&source, "cell");
            assert_eq!(outcome.error, None, "{source}");
            let sources = Sources::new([("cell".to_owned(), source.clone())]);
            let (all, folded) = (outline(&trace, &sources, true), outline(&trace, &sources, false));
            assert_eq!(summed(&all.items), (all.operations, all.cost), "{source}");
            assert_eq!(summed(&folded.items), (all.operations, all.cost), "{source}");
            // A line of code has at most three rows: it reads, computes, and writes.
            assert!(rows(&folded.items) <= 3 * (lines + 4), "{source}\n{folded:?}");
        });
    }
}

fn rows(items: &[OutlineItem]) -> usize {
    let of = |item: &OutlineItem| match item {
        OutlineItem::Operation(_) => 1,
        OutlineItem::Call(group) => rows(&group.items),
        OutlineItem::Loop(group) => rows(&group.items),
    };
    items.iter().map(of).sum()
}

/// The trace of a cell of the chapter fits the screen, and its rows have the learner's code.
pub(super) fn is_readable(step: &Step, code: &str, traced: &Trace, sources: &Sources) {
    let outline = outline(traced, sources, false);
    // What is beyond the bound of a trace is counted, and has no line.
    let (listed, cost) = summed(&outline.items);
    assert_eq!((listed + traced.beyond, cost), (outline.operations, outline.cost), "{}", step.name());
    // Long traces have many rows of a kind: they are shown in one of the ways, by turns.
    let looks = [(80, false), (40, false), (60, true)];
    let is_long = outline.items.len() > 500;
    for (at, (width, plain)) in looks.into_iter().enumerate() {
        if is_long && at != step.number % looks.len() {
            continue;
        }
        let text = trace::trace(&outline, Look { width, colour: false, plain });
        assert!(text.width() <= width, "{} at {width}:\n{}", step.name(), text.characters());
        let odd = |letter: char| "│×▁▂▃▄▅▆▇█…".contains(letter);
        assert!(!plain || !text.characters().contains(odd), "{}", text.characters());
    }
    // A call that was written over several lines is one line of a trace.
    let own: String = code.split_whitespace().collect();
    for row in outline.items.iter().filter_map(|item| match item {
        OutlineItem::Operation(row) => Some(row),
        _ => None,
    }) {
        assert!(own.contains(row.code.split_whitespace().next().unwrap_or("?")), "{row:?}");
    }
}
