//! Every figure that `why` shows gives the element it explains: over all lessons, and over random programs.

use std::collections::BTreeMap;

use attn::explain::{Calc, Statement, TensorNames, Why, WhyEnd, trace::Sources, why};
use attn::lesson::{Lesson, Step};
use attn::session::{Session, SessionOptions, with_large_stack};
use attn::tensor::Tensor;
use attn::view::Look;
use attn::view::why::explanation;
use unicode_width::UnicodeWidthStr;

use crate::course;

/// What the learner calls things in a session.
fn names(session: &Session, steps: &[&Step], lesson: Option<&Lesson>) -> TensorNames {
    let held = session.tensors();
    let axes = steps.iter().rev().flat_map(|step| &step.axes);
    let axes: Vec<_> = axes.map(|axes| (axes.tensor.clone(), axes.axes.clone())).collect();
    let tokens = lesson.map(|lesson| lesson.tokens.clone()).unwrap_or_default();
    TensorNames::new(held.into_iter().map(|variable| (variable.name, variable.value)))
        .with_code(session.sources())
        .with_axes(axes, tokens)
}

/// The first, a middle and the last index of a tensor.
fn indices(tensor: &Tensor) -> Vec<Vec<usize>> {
    let shape = tensor.shape();
    if shape.contains(&0) {
        return Vec::new();
    }
    let ends = |at: fn(usize) -> usize| shape.iter().map(|&size| at(size)).collect();
    let mut all = vec![ends(|_| 0), ends(|size| size / 2), ends(|size| size - 1)];
    all.dedup();
    all
}

/// What is wrong with an explanation: figures that do not give the element, lines too wide, ends that are not known.
fn faults(why: &Why) -> Vec<String> {
    let mut found = wrong_figures(why);
    for look in [(80, false), (40, false), (80, true)] {
        let look = Look { width: look.0, colour: false, plain: look.1 };
        let text = explanation(why, look).render(look);
        let wide = text.lines().find(|line| line.width() > look.width && !look.plain);
        found.extend(wide.map(|line| format!("{} columns wide: {line}", line.width())));
    }
    found
}

/// The figures whose value is not the element, rounding aside; empty if all are right.
fn wrong_figures(why: &Why) -> Vec<String> {
    let Some(value) = why.value else { return Vec::new() };
    let wrong = |line: &Statement| match line {
        Statement::Figures(calc) => {
            let given = calc.value();
            let far = (given - value).abs();
            let count = calc.parts().len().max(1) as f64;
            let allowed = why.rounding * 4.0 * (1.0 + count.sqrt()) * scale(calc).max(value.abs());
            // Below the smallest number of single precision a result is 0.
            let smallest = f64::from(f32::from_bits(1));
            let same = given == value || (given.is_nan() && value.is_nan()) || far <= allowed.max(smallest);
            (!same).then(|| format!("{} = {value}: {} gives {given}", why.what, calc.text()))
        }
        _ => None,
    };
    let own = why.account.statements.iter().filter_map(wrong);
    own.chain(why.below.iter().flat_map(wrong_figures)).collect()
}

/// The largest magnitude among the intermediate results: rounding errors are relative to it.
fn scale(calc: &Calc) -> f64 {
    let own = calc.value().abs();
    let relative = |part: &Calc| scale(part) / part.value().abs().max(f64::MIN_POSITIVE);
    match calc {
        Calc::Sum(parts) | Calc::Apply(_, parts, _) => {
            parts.iter().map(scale).filter(|scale| scale.is_finite()).fold(own, f64::max)
        }
        // The rounding error of a product or quotient is relative to its result.
        Calc::Quotient(a, b) => own * relative(a).max(relative(b)).max(1.0),
        Calc::Product(parts) => own * parts.iter().map(relative).fold(1.0, f64::max),
        _ => own,
    }
}

fn unexplained(why: &Why) -> Vec<String> {
    let own = matches!(why.account.end, Some(WhyEnd::Unknown))
        || (why.account.statements.is_empty() && why.account.end.is_none());
    let own = own.then(|| format!("{} = {} ({:?})", why.what, why.shown, why.op));
    own.into_iter().chain(why.below.iter().flat_map(unexplained)).collect()
}

/// A step that only takes times has no numbers to explain.
#[test]
fn every_cell_of_every_lesson_is_traced_and_explained_by_figures_that_add_up() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let catalogue = course::catalogue();
        let (mut asked, mut found) = (0, BTreeMap::new());
        for lesson in catalogue.lessons().filter_map(Result::ok) {
            let Some(first) = lesson.steps.first() else { continue };
            let mut session = Session::new(SessionOptions::default());
            let needed = catalogue.prelude(first).expect("the lesson's needs are there");
            let mut steps: Vec<&Step> = needed.into_iter().map(|(step, _)| step).collect();
            for step in &steps {
                session.run(&course::shortened(&step.code), &step.name());
            }
            for step in &lesson.steps {
                let code = course::shortened(&step.code);
                let (outcome, traced) = session.traced(&code, &step.name());
                super::trace::is_readable(
                    step,
                    &code,
                    &traced,
                    &Sources::new(session.sources().collect::<Vec<_>>()),
                );
                steps.push(step);
                let names = names(&session, &steps, Some(lesson));
                for variable in outcome.changed.into_iter().filter(|_| !step.varies) {
                    for index in indices(&variable.value) {
                        let mut why = why(&variable.value, &index, &names);
                        why.open(3, &names);
                        asked += 1;
                        let mut faults = faults(&why);
                        faults.extend(unexplained(&why));
                        if !faults.is_empty() {
                            found.insert(format!("{} {}{index:?}", step.name(), variable.name), faults);
                        }
                    }
                }
            }
        }
        assert!(found.is_empty(), "{} of {asked} explanations:\n{found:#?}", found.len());
        assert!(asked > 300, "{asked}");
    });
}

/// Counts the operations that an explanation speaks of.
fn ops_in(why: &Why, ops: &mut BTreeMap<&'static str, usize>) {
    for op in why.passed.iter().copied().chain(why.op) {
        *ops.entry(op).or_default() += 1;
    }
    why.below.iter().for_each(|below| ops_in(below, ops));
}

/// What is wrong with the explanations of what a session holds.
pub(crate) fn faults_in(session: &Session) -> Vec<String> {
    ask_all(session, |_| true, &mut BTreeMap::new())
}

/// Asks why of what a session holds under these names; gives what is wrong.
fn ask_all(
    session: &Session,
    wanted: impl Fn(&str) -> bool,
    ops: &mut BTreeMap<&'static str, usize>,
) -> Vec<String> {
    let names = names(session, &[], None);
    let mut found = Vec::new();
    for variable in session.tensors() {
        if variable.value.numel() > 4096 || !wanted(&variable.name) {
            continue;
        }
        // A view has no record of its own on the way to its elements.
        let origin = variable.value.origin().map(|record| record.called());
        ops.extend(origin.map(|op| (op, 1)));
        for index in indices(&variable.value) {
            let mut why = why(&variable.value, &index, &names);
            why.open(3, &names);
            ops_in(&why, ops);
            let faults = faults(&why).into_iter().chain(unexplained(&why));
            found.extend(faults.map(|fault| format!("{fault}   <{:?}>", why.line)));
        }
    }
    found
}

/// What the expressions of `why/surface.txt` are about; `written` writes in place, `summed` adds in a loop.
const GROUND: &str = "\
import copy, numpy, torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(SEED)
a, b = torch.randn(3, 4), torch.randn(3, 4)
p = torch.rand(3, 4) + 0.1
u = torch.rand(3, 4) * 0.9 + 0.05
m, n = torch.randn(4, 5), torch.randn(4, 4)
v, w = torch.randn(4), torch.randn(4)
s, t3 = torch.randn(2, 3, 4), torch.randn(2, 4, 3)
i, j = torch.randint(0, 3, (3, 4)), torch.randint(1, 6, (3, 4))
k = torch.rand(3, 4) > 0.5
c = torch.randint(0, 4, (3,))
h = torch.randn(2, 4, 6)
def written(a, b):
    r = torch.zeros(3, 4)
    r[0] = a[1]
    r[1, 2] = 7.5
    r[:, 3] = b[:, 0] * 2
    a = r * 1
    r[2] += a[0]
    return r
def summed(a, b):
    total = torch.zeros(4)
    for row, other in zip(a, b):
        total += row * other
    return total
def attended(a, wq, wk):
    queries, keys = a @ wq, a @ wk
    scores = queries @ keys.T
    hide = torch.triu(torch.ones(3, 3), diagonal=1).bool()
    scores.masked_fill_(hide, -torch.inf)
    weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
    return weights @ a
";

/// Operations whose results are no tensors or the operand itself, or that are recorded as the ones they are made of.
const NOT_MET: &[&str] = &[
    "complex_of_real",
    "numel",
    "promote_types",
    "result_type",
    "allclose",
    "equal",
    "detach_",
    "mH",
    "cpu",
    "real",
    "conj",
    "split_with_sizes",
];

/// Numbers that seem random: Marsaglia's xorshift.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn random_programs_over_the_surface_are_explained_by_figures_that_add_up() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let expressions: Vec<&str> =
            include_str!("../why/surface.txt").lines().filter(|line| !line.starts_with('#')).collect();
        let mut ops = BTreeMap::new();
        let mut found = Vec::new();
        let mut state = 88_172_645_463_325_252;
        for seed in 1..=3 {
            let mut order = expressions.clone();
            for at in (1..order.len()).rev() {
                order.swap(at, next(&mut state) as usize % (at + 1));
            }
            for program in order.chunks(8) {
                let mut session = Session::new(SessionOptions::default());
                session.run(&GROUND.replace("SEED", &seed.to_string()), "ground");
                for (at, expression) in program.iter().enumerate() {
                    let outcome = session.run(&format!("r = {expression}"), &format!("cell {at}"));
                    if let Some(raised) = outcome.error {
                        found.push(format!("{expression}: {}: {}", raised.kind, raised.message));
                    }
                    found.extend(ask_all(&session, |name| name == "r" || name.starts_with("r["), &mut ops));
                    // What came out goes into the next, where it can.
                    let fits = "isinstance(r, torch.Tensor) and r.shape == (3, 4) and r.dtype == torch.float32 and not r.requires_grad and bool(r.isfinite().all()) and bool((r.abs() < 50).all())";
                    session.run(&format!("if {fits}: a = r"), "next");
                }
            }
        }
        let stem = |name: &str| name.trim_end_matches('_').to_owned();
        let met: Vec<String> = ops.keys().map(|op| stem(op)).collect();
        let missing: Vec<&str> = attn::ops::table::ops()
            .filter(|op| !op.is_composed())
            .map(|op| op.name)
            .filter(|name| !met.contains(&stem(name)) && !NOT_MET.contains(name))
            .collect();
        found.sort();
        found.dedup();
        assert!(found.is_empty(), "{}\nnot met: {missing:?}", found.join("\n"));
        assert!(missing.is_empty(), "no expression calls {missing:?}");
    });
}

#[test]
fn where_names_its_condition_and_its_choice_as_a_function_and_as_a_method() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        let source = "\
import torch
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
keep = torch.tensor([True, False])
c = torch.where(keep, a, b)
d = a.where(keep, b)";
        session.run(source, "cell 1");
        let names = names(&session, &[], None);
        for name in ["c", "d"] {
            let tensor = session.tensor(name).ok().flatten().expect("it is bound to a tensor");
            let words = |at: usize| {
                let look = Look { width: 80, colour: false, plain: true };
                explanation(&why(&tensor, &[at], &names), look).render(look)
            };
            assert!(words(0).contains("where keep[0] is True: a[0]"), "{}", words(0));
            assert!(words(1).contains("where keep[1] is False: b[1]"), "{}", words(1));
        }
    });
}
