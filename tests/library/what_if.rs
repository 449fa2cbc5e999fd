//! What if: a change moves what depends on it and nothing else, held against the recorded graph.

use std::collections::BTreeSet;

use attn::explain::what_if::{Change, Moved, Names, Naming, WhatIf, what_if};
use attn::lesson::Target;
use attn::session::{Session, SessionOptions, with_large_stack};
use attn::tensor::{Arg, Tensor};

use crate::course;

/// No names at all.
struct Unnamed;

impl Names for Unnamed {
    fn naming(&self, _name: &str, _shape: &[usize]) -> Naming {
        Naming::default()
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
    what_if(cells, &changes, &[], &Unnamed, &mut || Session::new(SessionOptions::default()))
}

fn names(moved: &[Moved]) -> BTreeSet<String> {
    moved.iter().map(|moved| moved.name.clone()).collect()
}

/// The cells of a lesson and all that they need.
fn lesson(section: &str) -> Cells {
    let catalogue = course::catalogue();
    let Ok(Target::Lesson(lesson)) = catalogue.find(section) else { panic!("there is no lesson {section}") };
    let mut wanted = std::collections::BTreeMap::new();
    for step in &lesson.steps {
        for before in catalogue.prelude(step).expect("the prelude can be read") {
            wanted.insert(before.number, before);
        }
        wanted.insert(step.number, step);
    }
    wanted.values().map(|step| (step.name(), step.code.clone())).collect()
}

/// Whether one of these storages is met on the way back through the record of a tensor.
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
        // What was written into it, element by element.
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

/// The tensors of 3.3.2 that move with one number of one embedding are those whose recorded history leads to
/// `inputs`, and whose figures that number is in.
#[test]
fn exactly_what_depends_on_an_input_moves() {
    with_large_stack(|| {
        let cells = lesson("3.3.2");
        let what = asked(&cells, &["inputs[1,0]=0.9"]).expect("the change fits");
        let mut session = Session::new(SessionOptions::default());
        for (name, source) in &cells {
            assert_eq!(session.run(source, name).error, None, "{name}");
        }
        let inputs = session.tensor("inputs").ok().flatten().expect("it is bound");
        for moved in &what.moved {
            let tensor = session.tensor(&moved.name).ok().flatten().expect("it is bound");
            assert!(comes_from(&tensor, &inputs), "{} moved and does not come from inputs", moved.name);
        }
        let moved = names(&what.moved);
        for name in &what.stayed {
            let tensor = session.tensor(name).ok().flatten().expect("it is bound");
            // What comes from inputs and stayed does so because it never sees that number: rows of other tokens.
            let sees = tensor.storage().same(inputs.storage()) && tensor.layout().contains(3);
            assert!(!sees && !moved.contains(name), "{name} sees the number and stayed");
            assert!(
                !comes_from(&tensor, &inputs) || tensor.storage().same(inputs.storage()),
                "{name} stayed"
            );
        }
        for name in ["inputs", "query", "attn_scores", "looped", "attn_weights", "all_context_vecs"] {
            assert!(moved.contains(name), "{name} depends on it: {moved:?}");
        }
        let scores = what.moved.iter().find(|moved| moved.name == "attn_scores").expect("it moved");
        assert_eq!((scores.changed.len(), scores.cross()), (11, Some(1)));
    });
}

/// Programs of random straight lines: what moves is what is reached from the changed name, and nothing else.
#[test]
fn random_programs_move_what_is_reached() {
    with_large_stack(|| {
        let mut state = 7u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for _ in 0..12 {
            let mut source = "import torch\ntorch.manual_seed(1)\n".to_owned();
            // Which of the variables each one is made of.
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
            let moved = names(&what.moved);
            // A difference of two equal things is what it was, whatever they are.
            let lost: Vec<&String> = expected.difference(&moved).collect();
            assert!(moved.is_subset(&expected), "{source}\n{moved:?}\n{expected:?}");
            assert!(lost.len() <= 1, "{source}\n{lost:?}");
        }
    });
}

#[test]
fn a_setting_holds_wherever_its_variable_is_made() {
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\nx = torch.zeros(3)\ny = x + 1\nfor i in range(3): x[i] = i\nz = x * 2",
            "x = torch.ones(3)\nw = x * 3\nw",
        ]);
        let what = asked(&cells, &["x[0]=5"]).expect("the change fits");
        let after =
            |name: &str| what.moved.iter().find(|moved| moved.name == name).map(|moved| moved.after.clone());
        assert_eq!(after("y"), Some(vec![6.0, 1.0, 1.0]));
        assert_eq!(after("z"), Some(vec![10.0, 2.0, 4.0]), "set again after what wrote into it");
        assert_eq!(after("w"), Some(vec![15.0, 3.0, 3.0]), "and where it is bound anew");
        assert_eq!(what.settings[0].at, ["cell 1", "cell 2"]);
        assert!(
            what.settings[0].remarks.iter().any(|remark| remark.contains("line 1")),
            "{:?}",
            what.settings
        );
        assert_eq!((what.settings[0].before.as_str(), what.settings[0].after.as_str()), ("0", "5"));
    });
}

#[test]
fn seeds_edits_tokens_and_lists_change_what_runs() {
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\ntorch.manual_seed(123)\nx = torch.rand(3, 2)",
            "k = 2\nw = torch.softmax(x @ x.T / k, dim=-1)",
        ]);
        let moved = |change: &str| asked(&cells, &[change]).map(|what| names(&what.moved));
        let set = |all: &[&str]| Ok(all.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>());
        assert_eq!(moved("seed 7"), set(&["x", "w"]));
        assert_eq!(moved("seed 123"), set(&[]));
        assert_eq!(moved("k=64"), set(&["w"]));
        assert_eq!(moved("dim=-1 => dim=0"), set(&["w"]));
        assert_eq!(moved("x[1]=[0.5, 0.8]"), set(&["x", "w"]));
        assert_eq!(moved("x[1]=x[0]"), set(&["x", "w"]));
        assert_eq!(moved("token b=a"), set(&["x", "w"]));
        let what = asked(&cells, &["drop b"]).expect("the change fits");
        let shapes: Vec<_> =
            what.reshaped.iter().map(|other| (other.name.as_str(), other.after.clone())).collect();
        assert_eq!(shapes, [("x", vec![2, 2]), ("w", vec![2, 2])]);
        assert_eq!(names(&what.moved), ["w".to_owned()].into(), "the rows that remain are as they were in x");
    });
}

#[test]
fn what_cannot_be_changed_says_why() {
    with_large_stack(|| {
        let cells = cells(&[
            "import torch\ninputs = torch.ones(2, 2)\ndef f(x):\n    keys = x + 1\n    return keys\ny = f(inputs)\nx = y",
            "z = y @ inputs\nz = z @ torch.ones(2, 1)",
        ]);
        let refused = |change: &str| asked(&cells, &[change]).err().unwrap_or_default();
        assert!(refused("inptus[0,0]=1").contains("the nearest: inputs"), "{}", refused("inptus[0,0]=1"));
        assert!(refused("keys[0,0]=1").contains("only inside f"), "{}", refused("keys[0,0]=1"));
        assert!(refused("inputs[7,0]=1").contains("inputs is (2,2)"), "{}", refused("inputs[7,0]=1"));
        assert!(refused("seed 4").contains("no torch.manual_seed"));
        assert!(refused("drop word").contains("no token"));
        assert!(
            refused("ones => zeros").contains("several places: cell 1, cell 2"),
            "{}",
            refused("ones => zeros")
        );
        assert!(refused("nowhere => x").contains("none of the cells"));
        // A change that makes a cell raise is an answer.
        let what = asked(&cells, &["y=torch.ones(3)"]).expect("it can be made");
        let (cell, raised) = what.raised.expect("shapes clash");
        assert_eq!((cell.as_str(), raised.kind.as_str(), raised.line), ("cell 2", "RuntimeError", Some(1)));
        assert!(what.reshaped.iter().any(|other| other.name == "y"), "what was reached is compared");
    });
}
