//! What if: a change affects the tensors that depend on it and no others, as the recorded graph shows.

use std::collections::BTreeSet;

use attn::explain::what_if::{AxisLabels, Change, ChangedTensor, LessonWords, WhatIf, what_if};
use attn::lesson::Target;
use attn::session::{Session, SessionOptions, with_large_stack};
use attn::tensor::{Arg, Tensor};

use crate::course;

/// Tokens, but no names for axes.
struct TokensOnly;

impl LessonWords for TokensOnly {
    fn axis_labels(&self, _name: &str, _shape: &[usize]) -> AxisLabels {
        AxisLabels::default()
    }

    fn tokens(&self) -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }

    fn token_tensors(&self) -> Vec<String> {
        vec!["x".to_owned()]
    }
}

type Cells = Vec<(String, String)>;

fn cells(sources: &[&str]) -> Cells {
    sources
        .iter()
        .enumerate()
        .map(|(at, source)| (format!("cell {}", at + 1), (*source).to_owned()))
        .collect()
}

fn asked(cells: &Cells, changes: &[&str]) -> Result<WhatIf, String> {
    let changes: Vec<Change> =
        changes.iter().map(|text| Change::typed(text)).collect::<Result<_, String>>()?;
    what_if(cells, &changes, &[], &TokensOnly, &mut || Session::new(SessionOptions::default()))
}

fn names(differences: &[ChangedTensor]) -> BTreeSet<String> {
    differences.iter().map(|it| it.name.clone()).collect()
}

/// The cells of a lesson and the cells that they need.
fn lesson(section: &str) -> Cells {
    let catalogue = course::catalogue();
    let Ok(Target::Lesson(lesson)) = catalogue.find(section) else { panic!("there is no lesson {section}") };
    let mut wanted = std::collections::BTreeMap::new();
    for step in &lesson.steps {
        for (before, _) in catalogue.prelude(step).expect("the prelude can be read") {
            wanted.insert(before.number, before);
        }
        wanted.insert(step.number, step);
    }
    wanted.values().map(|step| (step.name(), step.code.clone())).collect()
}

/// Whether the record of a tensor leads back to this storage.
fn comes_from(tensor: &Tensor, inputs: &Tensor) -> bool {
    let mut open = vec![tensor.clone()];
    let mut seen = BTreeSet::new();
    while let Some(tensor) = open.pop() {
        if tensor.storage().same(inputs.storage()) {
            return true;
        }
        if !seen.insert(tensor.id()) {
            continue;
        }
        let mut records: Vec<_> = tensor.origin().into_iter().collect();
        // The operations that wrote into its elements.
        let writes = (0..tensor.numel()).filter_map(|at| {
            tensor.storage().last_write(tensor.layout().position(at), u64::MAX).map(|write| write.record)
        });
        records.extend(writes);
        for record in records {
            open.extend(record.args().iter().flat_map(Arg::tensors).cloned());
        }
    }
    false
}

/// The tensors of 3.3.2 that change with one number of one embedding are those that are computed from that number.
#[test]
fn exactly_what_depends_on_an_input_changes() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cells = lesson("3.3.2");
        let what = asked(&cells, &["inputs[1,0]=0.9"]).expect("the change fits");
        let mut session = Session::new(SessionOptions::default());
        for (name, source) in &cells {
            assert_eq!(session.run(source, name).error, None, "{name}");
        }
        let inputs = session.tensor("inputs").ok().flatten().expect("it is bound");
        for changed in &what.differences {
            let tensor = session.tensor(&changed.name).ok().flatten().expect("it is bound");
            assert!(comes_from(&tensor, &inputs), "{} changed and does not come from inputs", changed.name);
        }
        let changed = names(&what.differences);
        for name in &what.unchanged {
            let tensor = session.tensor(name).ok().flatten().expect("it is bound");
            // A tensor that comes from inputs may be unchanged only if it is a view of other rows.
            let sees = tensor.storage().same(inputs.storage()) && tensor.layout().contains(3);
            assert!(!sees && !changed.contains(name), "{name} sees the number and is unchanged");
            assert!(
                !comes_from(&tensor, &inputs) || tensor.storage().same(inputs.storage()),
                "{name} is unchanged"
            );
        }
        for name in ["inputs", "query", "attn_scores", "looped", "attn_weights", "all_context_vecs"] {
            assert!(changed.contains(name), "{name} depends on it: {changed:?}");
        }
        let scores = what.differences.iter().find(|it| it.name == "attn_scores").expect("it changed");
        assert_eq!((scores.differing.len(), scores.row_and_column()), (11, Some(1)));
    });
}

/// In random straight-line programs, exactly the variables that are computed from the changed one change.
#[test]
fn random_programs_change_what_is_reached() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut state = 7u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for _ in 0..12 {
            let mut source = "import torch\ntorch.manual_seed(1)\n".to_owned();
            // Whether each variable is computed from the changed one.
            let mut reached: Vec<bool> = Vec::new();
            for at in 0..8 {
                let (a, b) = (draw(at.max(1)), draw(at.max(1)));
                let line = match draw(4) {
                    _ if at < 2 => format!("v{at} = torch.rand(3, 3)"),
                    0 => format!("v{at} = v{a} @ v{b}"),
                    1 => format!("v{at} = torch.softmax(v{a} + v{b}, dim=-1)"),
                    2 => format!("v{at} = torch.rand(3, 3)\nv{at} += v{a} * v{b}"),
                    _ => format!("v{at} = torch.stack([row * 2 for row in v{a}]) - v{b}"),
                };
                source.push_str(&line);
                source.push('\n');
                let made = line.contains('=') && line.matches("rand").count() == 1 && !line.contains("+=");
                reached.push(at == 0 || (!made && (reached[a] || reached[b])));
            }
            let what = asked(&cells(&[&source]), &["v0[1,2]=5"]).expect("the change fits");
            let expected: BTreeSet<String> =
                (0..8).filter(|at| reached[*at]).map(|at| format!("v{at}")).collect();
            let changed = names(&what.differences);
            // The difference of two equal tensors is 0 in both runs.
            let lost: Vec<&String> = expected.difference(&changed).collect();
            assert!(changed.is_subset(&expected), "{source}\n{changed:?}\n{expected:?}");
            assert!(lost.len() <= 1, "{source}\n{lost:?}");
        }
    });
}

#[test]
fn a_variable_is_set_wherever_it_is_bound() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\nx = torch.zeros(3)\ny = x + 1\nfor i in range(3): x[i] = i\nz = x * 2",
            "x = torch.ones(3)\nw = x * 3\nw",
        ]);
        let what = asked(&cells, &["x[0]=5"]).expect("the change fits");
        let after =
            |name: &str| what.differences.iter().find(|it| it.name == name).map(|it| it.after.clone());
        assert_eq!(after("y"), Some(vec![6.0, 1.0, 1.0]));
        assert_eq!(after("z"), Some(vec![10.0, 2.0, 4.0]), "set again after the loop writes into it");
        assert_eq!(after("w"), Some(vec![15.0, 3.0, 3.0]), "set again in the next cell");
        assert_eq!(what.changes[0].cells, ["cell 1", "cell 2"]);
        assert!(what.changes[0].remarks.iter().any(|remark| remark.contains("line 1")), "{:?}", what.changes);
        assert_eq!((what.changes[0].before.as_str(), what.changes[0].after.as_str()), ("0", "5"));
    });
}

#[test]
fn seeds_edits_tokens_and_lists_change_what_runs() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\ntorch.manual_seed(123)\nx = torch.rand(3, 2)",
            "k = 2\nw = torch.softmax(x @ x.T / k, dim=-1)",
        ]);
        let changed = |change: &str| asked(&cells, &[change]).map(|what| names(&what.differences));
        let set = |all: &[&str]| Ok(all.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>());
        assert_eq!(changed("seed 7"), set(&["x", "w"]));
        assert_eq!(changed("seed 123"), set(&[]));
        assert_eq!(changed("k=64"), set(&["w"]));
        assert_eq!(changed("dim=-1 => dim=0"), set(&["w"]));
        assert_eq!(changed("x[1]=[0.5, 0.8]"), set(&["x", "w"]));
        assert_eq!(changed("x[1]=x[0]"), set(&["x", "w"]));
        assert_eq!(changed("token b=a"), set(&["x", "w"]));
        let what = asked(&cells, &["drop b"]).expect("the change fits");
        let shapes: Vec<_> =
            what.reshaped.iter().map(|other| (other.name.as_str(), other.after.clone())).collect();
        assert_eq!(shapes, [("x", vec![2, 2]), ("w", vec![2, 2])]);
        assert_eq!(names(&what.differences), ["w".to_owned()].into(), "the remaining rows of x are the same");
    });
}

#[test]
fn what_cannot_be_changed_says_why() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\ninputs = torch.ones(2, 2)\ndef f(x):\n    keys = x + 1\n    return keys\ny = f(inputs)\nx = y",
            "z = y @ inputs\nz = z @ torch.ones(2, 1)",
        ]);
        let refused = |change: &str| asked(&cells, &[change]).err().unwrap_or_default();
        assert!(refused("inptus[0,0]=1").contains("the nearest: inputs"), "{}", refused("inptus[0,0]=1"));
        assert!(refused("keys[0,0]=1").contains("only inside `f`"), "{}", refused("keys[0,0]=1"));
        assert!(refused("inputs[7,0]=1").contains("inputs is (2,2)"), "{}", refused("inputs[7,0]=1"));
        assert!(refused("seed 4").contains("no torch.manual_seed"));
        assert!(refused("drop word").contains("not a token"));
        assert!(
            refused("ones => zeros").contains("several places: cell 1, cell 2"),
            "{}",
            refused("ones => zeros")
        );
        assert!(refused("nowhere => x").contains("none of the cells"));
        // If a change makes a cell raise, the answer says so.
        let what = asked(&cells, &["y=torch.ones(3)"]).expect("it can be made");
        let (cell, raised) = what.raised.expect("shapes clash");
        assert_eq!((cell.as_str(), raised.kind.as_str(), raised.line), ("cell 2", "RuntimeError", Some(1)));
        assert!(what.reshaped.iter().any(|other| other.name == "y"), "what ran before it is compared");
    });
}

/// Cells are run in parts; statements on one line stay together, and lines keep their numbers.
#[test]
fn parts_of_cells_keep_their_lines() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\nx = torch.zeros(1)\nb = [\n  2,\n]; c = torch.tensor(b)\nfor i in b:\n    x = x + i\ny = x / (3 - b[0])\nz = [1, 2, 3][b[0]]",
        ]);
        let what = asked(&cells, &["x=torch.tensor([7.])"]).expect("the change fits");
        let y = what.differences.iter().find(|it| it.name == "y").expect("it changed");
        assert_eq!(y.after, [7.0], "set after the loop too");
        let refused = asked(&cells, &["i=3"]).err().unwrap_or_default();
        assert!(refused.contains("cell 1: in b: => in [3]:"), "{refused}");
        let what = asked(&cells, &["b=[3]"]).expect("the change fits");
        assert!(what.unchanged.contains(&"c".to_owned()), "it is bound on the line that binds b");
        let (_, raised) = what.raised.expect("the index is out of range");
        assert_eq!((raised.kind.as_str(), raised.line), ("IndexError", Some(9)));
    });
}

#[test]
fn settings_are_read_as_python_reads_them() {
    let read = |text: &str| match Change::set(text) {
        Ok(Change::Set { target, variable, value, .. }) => Ok((target, variable, value)),
        Ok(_) => Err("another change".to_owned()),
        Err(message) => Err(message),
    };
    let set = |target: &str, variable: &str, value: &str| Ok((target.into(), variable.into(), value.into()));
    assert_eq!(read("inputs[1,0]=0.9"), set("inputs[1,0]", "inputs", "0.9"));
    assert_eq!(read(" d_k = 64 "), set("d_k", "d_k", "64"));
    assert_eq!(read("sa.W[0]=x==y"), set("sa.W[0]", "sa", "x==y"));
    for wrong in ["", "inputs", "inputs[1,0]", "inputs[1,0]==2", "a=b=c", "a, b = 1, 2", "f()=2", "a=1; b=2"]
    {
        assert!(read(wrong).is_err_and(|message| message.contains("a change is NAME=VALUE")), "{wrong}");
    }
}

#[test]
fn changes_typed_at_a_prompt_are_distinguished() {
    assert_eq!(Change::typed("seed 7"), Ok(Change::Seed(7)));
    assert!(matches!(Change::typed("seed = 7"), Ok(Change::Set { .. })));
    assert_eq!(Change::typed("drop journey"), Ok(Change::Drop("journey".into())));
    let edit = |cell: Option<&str>| Change::Edit {
        cell: cell.map(str::to_owned),
        old: "dim=-1".into(),
        new: "dim=0".into(),
    };
    assert_eq!(Change::typed("dim=-1 => dim=0"), Ok(edit(None)));
    assert_eq!(Change::edit("weights: dim=-1 => dim=0"), Ok(edit(Some("weights"))));
    assert!(Change::typed("seed x").is_err() && Change::edit("a = b").is_err());
}

fn tensor(values: &[f32], shape: &[usize]) -> Tensor {
    Tensor::from_f32(values.to_vec(), shape)
}

#[test]
fn nan_equals_itself_and_infinities_count_most() {
    let before = tensor(&[f32::NAN, 1.0, 2.0, f32::NEG_INFINITY], &[4]);
    assert_eq!(ChangedTensor::between("x", &before, &before, AxisLabels::default()), None);
    let after = tensor(&[f32::NAN, 9.0, f32::NAN, f32::NEG_INFINITY], &[4]);
    let changed = ChangedTensor::between("x", &before, &after, AxisLabels::default()).expect("two differ");
    assert_eq!(
        (changed.differing.as_slice(), changed.largest_at, changed.largest()),
        (&[1, 2][..], 2, f64::INFINITY)
    );
}

#[test]
fn parts_that_changed_are_named() {
    let words = |places: &[usize]| {
        let before = tensor(&[0.0; 9], &[3, 3]);
        let mut values = [0.0; 9];
        places.iter().for_each(|place| values[*place] = 1.0);
        let labels = Some(["a", "b", "c"].map(str::to_owned).to_vec());
        let axes = vec!["query".to_owned(), "key".to_owned()];
        let names = AxisLabels { axes, labels: vec![labels.clone(), labels] };
        ChangedTensor::between("x", &before, &tensor(&values, &[3, 3]), names).map(|changed| changed.part())
    };
    assert_eq!(words(&[3, 4, 5]).as_deref(), Some("query \"b\""));
    assert_eq!(words(&[1, 3, 4, 5, 7]).as_deref(), Some("row and column \"b\""));
    assert_eq!(words(&[2, 5, 8]).as_deref(), Some("key \"c\""));
    assert_eq!(words(&[0, 1, 2, 3, 4, 5, 6, 7, 8]).as_deref(), Some(""));
    let before = tensor(&[0.0; 5], &[5]);
    let after = tensor(&[0.0, 1.0, 1.0, 1.0, 1.0], &[5]);
    let changed = ChangedTensor::between("x", &before, &after, AxisLabels::default()).expect("four differ");
    assert_eq!(changed.part(), "all but element 0");
}

#[test]
fn the_other_tokens_are_compared_if_one_is_left_out() {
    let before = tensor(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[3, 3]);
    let after = tensor(&[0.0, 2.0, 6.0, 9.0], &[2, 2]);
    let changed =
        ChangedTensor::without("x", &before, &after, 1, 3, AxisLabels::default()).expect("one differs");
    assert_eq!((changed.before, changed.differing), (vec![0.0, 2.0, 6.0, 8.0], vec![3]));
    assert_eq!(
        ChangedTensor::without("x", &before, &tensor(&[0.0], &[1]), 1, 3, AxisLabels::default()),
        None
    );
}
