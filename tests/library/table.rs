//! The table of operations: each row states everything that is known of its operation, and nothing else does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use attn::ops::op::Op;
use attn::ops::schema::passed_on;
use attn::ops::table::{find, operator, ops, row_of};
use attn::session::{Session, SessionOptions};
use attn::tensor::descriptor::{Descriptor, InPlace, OpFamily, OpNotation, SETITEM, ShapeRule, Sign};
use attn::tensor::explanation::Explanation;

use super::structure::{Source, sources};

/// Operations with a node in the gradient graph for which attn has no rule: `backward` names them in its error.
const WITHOUT_RULE: &str = "bernoulli bernoulli_ bool byte char erfinv exponential_ \
    floor_divide int linalg_eigh linalg_eigvalsh linalg_qr linalg_svd \
    linalg_svdvals long normal normal_ random_ short uniform_ unique";

/// Operations of families through which gradients flow that have no gradient in PyTorch either.
const NOT_DIFFERENTIABLE: &str = "all any argmax argmin argsort argwhere bitwise_and bitwise_left_shift \
    bitwise_not bitwise_or bitwise_right_shift bitwise_xor complex_abs complex_div complex_exp complex_of_real \
    conj cpu detach eq ge gt \
    isclose isfinite isinf isnan le logical_and logical_not logical_or logical_xor lt ne \
    nonzero real";

#[test]
fn every_row_states_what_is_known_of_its_operation() {
    let not_differentiable: BTreeSet<&str> = NOT_DIFFERENTIABLE.split_whitespace().collect();
    let mut wrong = Vec::new();
    let mut check = |op: &Op, fits: bool, what: &str| {
        if !fits {
            wrong.push(format!("{}: {what}", op.name));
        }
    };
    for op in ops() {
        check(op, !op.forms.is_empty(), "has no signature");
        check(op, op.doc.ends_with(['.', ')']), "has no line on what it computes that ends with a full stop");
        let found = row_of(&op.descriptor).is_some_and(|row| std::ptr::eq(row, op));
        check(op, found, "is not found by its descriptor");
        let differentiable = matches!(
            op.family,
            OpFamily::Pointwise
                | OpFamily::Product
                | OpFamily::Reduction
                | OpFamily::Scan
                | OpFamily::View
                | OpFamily::Copy
                | OpFamily::Cast
                | OpFamily::Index
                | OpFamily::Normalisation
                | OpFamily::Loss
                | OpFamily::Attention
                | OpFamily::LinearAlgebra
        );
        let has_gradient = op.gradient.is_some() || not_differentiable.contains(op.name);
        check(
            op,
            !differentiable || has_gradient,
            "has no .grad(\"NodeName\"), and is not in NOT_DIFFERENTIABLE",
        );
        let alone = op.in_place == InPlace::Always;
        check(op, alone == op.name.ends_with('_') || op.family == OpFamily::View, "is misnamed");
        let broadcast = matches!(op.shapes, ShapeRule::Broadcast(..));
        check(op, op.operator().is_none() || broadcast || op.family == OpFamily::Product, "has a sign");
        let is_formula = matches!(op.explanation, Explanation::Pointwise(_));
        check(op, !is_formula || op.family == OpFamily::Pointwise, "has a formula and is not pointwise");
        let pages = match op.shapes {
            ShapeRule::Broadcast(a, b) | ShapeRule::MatrixProduct(a, b) | ShapeRule::LastAxes(a, b) => a != b,
            _ => true,
        };
        check(op, pages, "combines an operand with itself");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_operator_calls_one_operation() {
    let mut by_sign: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for op in ops() {
        if let OpNotation::Infix(sign) = op.notation {
            by_sign.entry(sign.code()).or_default().push(op.name);
        }
    }
    assert!(by_sign.values().all(|names| names.len() == 1), "{by_sign:?}");
    let infix = [
        "!=", "%", "&", "*", "**", "+", "-", "/", "//", "<", "<<", "<=", "==", ">", ">=", ">>", "@", "^", "|",
    ];
    assert_eq!(by_sign.keys().copied().collect::<Vec<_>>(), infix);
    assert_eq!(operator(Sign::Neg).map(|op| op.name), Some("neg"));
    assert_eq!(operator(Sign::Invert).map(|op| op.name), Some("bitwise_not"));
}

#[test]
fn names_say_whether_a_call_is_in_place() {
    let called = |descriptor: &'static Descriptor| (descriptor.called(false), descriptor.called(true));
    let of = |name: &str| called(&find(name).expect("the table has it").descriptor);
    assert_eq!(of("add"), ("add", "add_"));
    assert_eq!(of("unsqueeze"), ("unsqueeze", "unsqueeze_"));
    assert_eq!(of("zero_"), ("zero_", "zero_"));
    assert_eq!(called(&SETITEM), ("setitem", "setitem"));
}

#[test]
fn every_gradient_has_a_rule() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    let listed = session.run("import torch\nfrom torch._gradients import _rules\nprint(*_rules)", "cell 1");
    assert_eq!(listed.error.map(|error| error.message), None);
    let rules: BTreeSet<&str> = listed.stdout.split_whitespace().collect();
    let without: BTreeSet<&str> = WITHOUT_RULE.split_whitespace().collect();
    let rows: BTreeSet<&str> =
        ops().filter(|op| op.gradient.is_some() && !op.is_composed()).map(|op| op.name).collect();
    let native: BTreeSet<&str> = ops().filter(|op| op.has_recorded_rule()).map(|op| op.name).collect();
    let twice: Vec<&&str> = native.iter().filter(|name| rules.contains(**name)).collect();
    assert!(
        twice.is_empty(),
        "{twice:?} have a rule in src/ops/backward that can be recorded, and one in Python"
    );
    let has_rule = |name: &str| rules.contains(name) || native.contains(name) || without.contains(name);
    let missing: Vec<&&str> = rows.iter().filter(|name| !has_rule(name)).collect();
    let listed_in_vain: Vec<&&str> =
        without.iter().filter(|name| rules.contains(**name) || !rows.contains(**name)).collect();
    assert!(listed_in_vain.is_empty(), "{listed_in_vain:?} have a rule or need none");
    let unused: Vec<&&str> =
        rules.iter().filter(|name| !rows.contains(**name) && **name != "function").collect();
    assert!(
        missing.is_empty() && unused.is_empty(),
        "no rule for {missing:?}; no operation with a gradient for the rules {unused:?}"
    );
    // Rules are differentiated themselves: what they call has rules. Conversions to integers end a gradient.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/torch/py/torch/_gradients");
    for file in fs::read_dir(folder).expect("the rules have a folder") {
        let text = fs::read_to_string(file.expect("a file of rules").path()).expect("rules are text");
        let ends = ["bool", "byte", "char", "int", "long", "short"];
        let called = |name: &&&str| !ends.contains(name) && text.contains(&format!(".{name}("));
        let called: Vec<&&str> = without.iter().filter(called).collect();
        assert!(called.is_empty(), "{called:?} have no rules, and a rule calls them");
    }
}

/// A composed row and its function have the same parameters; what Python modules define besides the table is not in it; and no
/// name that is there is said to be missing.
#[test]
fn names_stand_in_one_place() {
    if crate::apart::ran() {
        return;
    }
    let rows: Vec<String> = ops().map(|op| format!("{:?}", op.name)).collect();
    let params = |op: &Op| -> BTreeSet<String> {
        op.forms.iter().flat_map(|form| passed_on(form)).map(str::to_owned).collect()
    };
    let composed: Vec<String> =
        ops().filter(|op| op.is_composed()).map(|op| format!("{:?}: {:?}", op.name, params(op))).collect();
    let cell = format!(
        "import inspect, importlib, re, torch, torch._composed, torch._more, torch._names, torch.utils.data\n\
         from torch.optim import lr_scheduler\n\
         rows, composed = {{{}}}, {{{}}}\n\
         absent = {:?}\n\
         {}",
        rows.join(", "),
        composed.join(", "),
        include_str!("../../src/torch/absent.txt"),
        include_str!("table_names.py")
    );
    let outcome = Session::new(SessionOptions::default()).run(&cell, "names");
    assert_eq!(outcome.error.map(|error| error.message), None);
    assert_eq!(outcome.stdout, "");
}

#[test]
fn no_code_compares_the_name_of_an_operation_with_text() {
    let names: BTreeSet<&str> = ops().map(|op| op.name.trim_end_matches('_')).collect();
    let is_name = |text: &str| names.contains(text.trim_end_matches('_')) || text == SETITEM.name;
    let found: Vec<String> = sources().iter().flat_map(|source| comparisons(source, &is_name)).collect();
    assert!(
        found.is_empty(),
        "an operation's descriptor says what is known of it; its name is for people:\n{}",
        found.join("\n")
    );
}

#[test]
fn a_comparison_with_a_name_is_seen() {
    let is_name = |text: &str| ["exp", "softmax"].contains(&text);
    let seen = |text: &str| {
        let source = Source { path: String::new(), text: text.to_owned() };
        !comparisons(&source, &is_name).is_empty()
    };
    for line in [
        "if op.name == \"softmax\" {",
        "record.called() != \"softmax\"",
        "if row.name.starts_with(\"softmax\") {",
        "matches!(step.operation.name, \"exp\" | \"softmax\")",
        "let x = match op.name {\n    \"softmax\" => 1,",
        "const OPS: &[&str] = &[\n    \"exp\",\n    \"softmax\",\n];",
    ] {
        assert!(seen(line), "{line}");
    }
    for line in [
        "find(\"softmax\")",
        "if param.name == \"dim\" {",
        "op.infix == Sign::Add",
        "match name {\n    \"x\" => 1,",
    ] {
        assert!(!seen(line), "{line}");
    }
}

/// The lines of a source file that compare the name of an operation with a text that is one.
fn comparisons(source: &Source, is_name: &dyn Fn(&str) -> bool) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    let mut tell = |at: usize| found.push(format!("{}:{}: {}", source.path, at + 1, lines[at].trim()));
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().starts_with("//")) {
        let literals = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        let named = |line: &str| literals(line).iter().any(|text| is_name(text));
        let compares = ["== \"", "!= \"", ".starts_with(\"", ".ends_with(\"", ".contains(\""]
            .iter()
            .any(|sign| line.split_once(sign).is_some_and(|(before, _)| is_operation(before.trim_end())));
        let matches = line.split_once("matches!(").is_some_and(|(_, rest)| {
            rest.split_once(',').is_some_and(|(matched, _)| is_operation(matched.trim()))
        });
        if (compares || matches) && named(line) {
            tell(at);
        }
        let matched = line.split_once("match ").and_then(|(_, rest)| rest.trim_end().strip_suffix(" {"));
        if matched.is_some_and(is_operation) && lines.get(at + 1).is_some_and(|next| named(next)) {
            tell(at);
        }
        // A list of names is such a comparison too, wherever it is used.
        if line.contains(": &[&str] =") {
            let end = lines[at..].iter().position(|line| line.contains("];")).map_or(at, |more| at + more);
            let all: Vec<String> = lines[at..=end].iter().flat_map(|line| literals(line)).collect();
            if all.len() > 1 && all.iter().filter(|text| is_name(text)).count() > all.len() / 2 {
                tell(at);
            }
        }
    }
    found
}

/// Whether an expression ends in the name of an operation.
fn is_operation(expression: &str) -> bool {
    let bare = expression
        .trim_end_matches("()")
        .trim_end_matches(".trim_end_matches('_'")
        .trim_end_matches(".trim_end_matches('_')");
    let last =
        bare.rsplit(|letter: char| letter.is_whitespace() || "(&!".contains(letter)).next().unwrap_or(bare);
    let parts: Vec<&str> = last.split('.').collect();
    match parts.as_slice() {
        [.., owner, "name"] => ["op", "operation", "row", "descriptor"].contains(owner),
        [.., "called" | "twin_name" | "op"] => true,
        _ => false,
    }
}

/// Names that PyTorch has and attn has not, each in a module that answers by itself.
const ABSENT: &[(&str, &str)] = &[
    ("torch", "stft"),
    ("torch.nn", "Conv3d"),
    ("torch.nn.functional", "grid_sample"),
    ("torch.nn.init", "sparse_"),
    ("torch.linalg", "eig"),
    ("torch.optim", "LBFGS"),
    ("torch.optim.lr_scheduler", "CyclicLR"),
];

#[test]
fn a_name_that_is_not_here_is_not_found_and_says_so() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    for (module, name) in ABSENT {
        let import = format!("import {module} as place");
        let found = session.run(
            &format!("{import}\nprint(hasattr(place, '{name}'), getattr(place, '{name}', 3))"),
            "cell 1",
        );
        assert_eq!(found.stdout, "False 3\n", "{module}.{name}: {:?}", found.error);
        for (code, kind) in [
            (format!("{import}\nplace.{name}"), "NotImplementedError"),
            (format!("from {module} import {name}"), "ImportError"),
        ] {
            let error = session.run(&code, "cell 2").error.expect("the name is not here");
            assert_eq!(error.kind, kind, "{code}: {}", error.message);
            assert!(
                error.message.starts_with(&format!("{module}.{name} is not part of attn")),
                "{}",
                error.message
            );
        }
    }
    let unknown =
        session.run("from torch.nn import Missing", "cell 3").error.expect("PyTorch has no such name");
    assert!(
        unknown.message.starts_with("cannot import name 'Missing' from 'torch.nn'"),
        "{}",
        unknown.message
    );
}
