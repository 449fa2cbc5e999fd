//! The trained model inside the program: what attn computes with it is what PyTorch recorded, and it does what it is for.

use std::fs;

use serde_json::Value;

use std::path::{Path, PathBuf};

use attn::lesson::trained::{
    Head, HeadDoes, LAST, Looked, NEXT_PIECE, Question, Sizes, Writing, cells, config_cells, files,
    folder_cells, read, sentence, text, tokens_source, words,
};
use attn::session::{Session, SessionOptions, with_large_stack};
use attn::shims::FileAccess;

fn recorded() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/trained_model.json");
    serde_json::from_str(&fs::read_to_string(file).expect("the figures")).expect("JSON")
}

/// A session in which the model is loaded, without permission to read any file.
fn session() -> Session {
    let mut session = Session::new(SessionOptions::default());
    for (name, source) in cells() {
        runs(&mut session, &source, name);
    }
    session
}

#[track_caller]
fn runs(session: &mut Session, source: &str, name: &str) -> String {
    let outcome = session.run(source, name);
    assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
    outcome.stdout
}

/// A session in which a model with random weights is loaded, from its folder.
fn session_of(name: &str) -> (Session, Sizes) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files/models").join(name);
    let files = FileAccess::new(&folder, &[PathBuf::new()], &[]).expect("the folder is there");
    let mut session = Session::new(SessionOptions { files, ..SessionOptions::default() });
    let mut printed = String::new();
    for (name, source) in config_cells(".") {
        printed = runs(&mut session, &source, name);
    }
    let sizes = read::<Sizes>(&printed).expect("sizes");
    for (name, source) in folder_cells(sizes.kind) {
        runs(&mut session, &source, name);
    }
    (session, sizes)
}

fn near(one: f64, other: f64, what: &str) {
    assert!((one - other).abs() <= 1e-4, "{what}: {one} and {other}");
}

#[test]
fn a_sentence_has_the_numbers_of_pytorch() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = session();
        for case in recorded()["recorded"].as_array().expect("cases") {
            let typed = case["sentence"].as_str().expect("a sentence");
            let without = case["without"].as_array().expect("heads").iter();
            let number = |value: &Value| value.as_u64().expect("a number") as usize + 1;
            let question = Question {
                text: sentence(typed).expect("the model knows its words").join(" "),
                at: case["at"].as_u64().map(|at| at as usize),
                without: without
                    .map(|head| Head { layer: number(&head[0]), head: number(&head[1]) })
                    .collect(),
                ..Question::default()
            };
            let looked = read::<Looked>(&runs(&mut session, &question.source(), "look")).expect("a document");
            let wanted: Looked = serde_json::from_value(case["looked"].clone()).expect("a document");
            assert_eq!((&looked.words, looked.at), (&wanted.words, wanted.at));
            assert_eq!(LAST, Head { layer: looked.weights.len(), head: looked.weights[0].len() });
            for (one, other) in looked.heads.iter().flatten().zip(wanted.heads.iter().flatten()) {
                let shares = |head: &HeadDoes| [head.previous, head.first, head.same, head.induction];
                for (one, other) in shares(one).into_iter().zip(shares(other)) {
                    assert_eq!(one.is_some(), other.is_some(), "{typed}");
                    near(one.unwrap_or(0.0), other.unwrap_or(0.0), typed);
                }
            }
            for (one, other) in looked.next.iter().zip(&wanted.next) {
                assert_eq!(one.word, other.word, "{typed}");
                near(one.share, other.share, typed);
                near(one.whole, other.whole, typed);
            }
            let flat = |looked: &Looked| looked.weights.concat().concat().concat();
            assert_eq!(flat(&looked).len(), flat(&wanted).len());
            flat(&looked).iter().zip(flat(&wanted)).for_each(|(one, other)| near(*one, other, typed));
            near(looked.why.logit, wanted.why.logit, typed);
            let mut sum = 0.0;
            for (one, other) in looked.why.parts.iter().zip(&wanted.why.parts) {
                near(one.adds, other.adds, typed);
                sum += one.adds;
                one.words.iter().zip(&other.words).for_each(|(one, other)| near(*one, *other, typed));
                if !one.words.is_empty() {
                    near(one.words.iter().sum(), one.adds, typed);
                }
            }
            assert!((sum - looked.why.logit).abs() < 1e-4, "the parts of a logit make the logit: {typed}");
        }
    });
}

/// On each of the recorded 100 sentences of a behaviour: how many next words are right, and the mean weight of each head on
/// the word that decides.
const MEASURE: &str = "
def measured(cases):
    right, share = 0, torch.zeros(len(model.blocks), 4)
    for text, answers, decides in cases:
        logits, caught = seen(model, tokenizer.encode(text))
        right += tokenizer.decode([logits[-1].argmax()]) in answers.split()
        for layer in range(len(model.blocks)):
            share[layer] += caught['weights', layer][:, -1, decides] / len(cases)
    return right, share.flatten().tolist()
";

#[test]
fn the_model_is_right_on_sentences_it_was_not_trained_on() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let recorded = recorded();
        let mut session = session();
        runs(&mut session, MEASURE, "measure");
        for (kind, wanted) in recorded["behaviours"].as_object().expect("behaviours") {
            let printed =
                runs(&mut session, &format!("print(json.dumps(measured({})))", wanted["cases"]), kind);
            let found: Value = serde_json::from_str(printed.trim()).expect("JSON");
            assert_eq!(found[0], wanted["right"], "{kind}");
            assert!(found[0].as_u64().expect("a number") >= 98, "{kind}: {}", found[0]);
            let shares = wanted["share"].as_object().expect("shares").values();
            for (one, other) in found[1].as_array().expect("shares").iter().zip(shares) {
                let (one, other) = (one.as_f64().expect("a number"), other.as_f64().expect("a number"));
                assert!((one - other).abs() <= 1e-3, "{kind}: {one} and {other}");
            }
        }
    });
}

#[test]
fn the_recorded_figures_show_heads_with_work_of_their_own() {
    let recorded = recorded();
    let most = |figures: &Value| {
        let values = figures.as_object().expect("figures").values();
        values.map(|value| value.as_f64().expect("a number")).fold(0.0, f64::max)
    };
    let least = |figures: &Value| {
        let values = figures.as_object().expect("figures").values();
        values.map(|value| value.as_f64().expect("a number")).fold(f64::MAX, f64::min)
    };
    let behaviours = &recorded["behaviours"];
    for (kind, share) in SHARES {
        assert!(most(&behaviours[kind]["share"]) >= share, "{kind}: {}", behaviours[kind]["share"]);
    }
    for (kind, right) in WITHOUT {
        assert!(
            least(&behaviours[kind]["right without"]) <= right,
            "{kind}: {}",
            behaviours[kind]["right without"]
        );
    }
    assert!(most(&recorded["induction"]["score"]) >= 0.9);
    assert!(most(&recorded["induction"]["previous word"]) >= 0.5);
}

/// At least this share of the weight goes to the deciding word, in one head.
const SHARES: [(&str, f64); 4] = [("bank", 0.9), ("it", 0.4), ("name", 0.9), ("agreement", 0.65)];
/// Without one head, at most so many of 100 are right.
const WITHOUT: [(&str, f64); 3] = [("bank", 65.0), ("it", 65.0), ("name", 60.0)];

#[test]
fn the_model_is_small_and_its_files_are_readable_without_permission() {
    if crate::apart::ran() {
        return;
    }
    let weights = files().iter().find(|(path, _)| *path == "model/model.safetensors").expect("the weights");
    assert!(weights.1.len() <= 400_000, "{} bytes", weights.1.len());
    assert!((150..=250).contains(&words().len()), "{} words", words().len());
    with_large_stack(|| {
        let mut session = session();
        let read = runs(&mut session, "print(open('model/model.py').read(), end='')", "read");
        assert_eq!(read, text("model.py"));
        for mode in ["w", "a"] {
            let outcome = session.run(&format!("open('model/model.py', '{mode}')"), "write");
            assert_eq!(outcome.error.map(|raised| raised.kind).as_deref(), Some("PermissionError"), "{mode}");
        }
    });
}

#[test]
fn words_that_the_model_does_not_know_are_named_with_the_nearest() {
    assert_eq!(sentence("The river ____").expect("known").join(" "), "the river");
    assert_eq!(
        sentence("a.").expect_err("no word of it"),
        "the model does not know the word \"a\" (the nearest: at)"
    );
    let said = sentence("the rivr and the rivr").expect_err("a mistake");
    assert_eq!(said, "the model does not know the word \"rivr\" (the nearest: river)");
    assert_eq!(sentence(" ").expect_err("nothing"), "there is no word to read");
    assert!(sentence(&"the ".repeat(65)).expect_err("too many").contains("at most 64 words"));
}

/// The numbers of a nested list, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(parts) => parts.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().expect("a number")],
    }
}

#[test]
fn models_in_folders_have_the_numbers_of_transformers() {
    if crate::apart::ran() {
        return;
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/models.json");
    let recorded: Value =
        serde_json::from_str(&fs::read_to_string(file).expect("the figures")).expect("JSON");
    for (name, wanted) in recorded.as_object().expect("models") {
        with_large_stack(|| {
            let (mut session, sizes) = session_of(name);
            assert_eq!(sizes.parameters, wanted["parameters"].as_u64().expect("a number"), "{name}");
            let typed = wanted["text"].as_str().expect("a text");
            let seen = "print(json.dumps([tokenizer.encode(TEXT), *[rounded(one) for one in [\
                        seen(model, tokenizer.encode(TEXT))[0][-4:], *[seen(model, tokenizer.encode(TEXT))[1]['weights', layer] \
                        for layer in range(2)]]]]))";
            let printed = runs(&mut session, &format!("TEXT = {typed:?}\n{seen}"), "seen");
            let found: Value = serde_json::from_str(printed.trim()).expect("JSON");
            assert_eq!(found[0], wanted["tokens"], "{name}");
            for (one, other) in [
                (&found[1], &wanted["logits"]),
                (&found[2], &wanted["weights"][0]),
                (&found[3], &wanted["weights"][1]),
            ] {
                let (one, other) = (numbers(one), numbers(other));
                assert_eq!(one.len(), other.len(), "{name}");
                one.iter().zip(&other).for_each(|(one, other)| near(*one, *other, name));
            }
            let last = Head { layer: 2, head: 3 };
            let without = Head { layer: 1, head: 1 };
            let question = Question {
                text: typed.to_owned(),
                without: vec![without],
                maps: Some(vec![last]),
                to: Some((last, 1)),
                ..Question::default()
            };
            let looked = read::<Looked>(&runs(&mut session, &question.source(), "look")).expect("a document");
            let sum: f64 = looked.why.parts.iter().map(|part| part.adds).sum();
            near(sum, looked.why.logit, "the parts of a logit make the logit");
            let weight = looked.weight.expect("a weight");
            near(weight.weight, looked.weights[1][2][looked.at][1], "the weight is that of the map");
            let root = (weight.query.len() as f64).sqrt();
            let whole: f64 = weight.products.iter().map(|product| (product / root).exp()).sum();
            near((weight.products[1] / root).exp() / whole, weight.weight, "query and key make the weight");
            let product: f64 = weight.query.iter().zip(&weight.key).map(|(query, key)| query * key).sum();
            near(product, weight.products[1], "the products make the score");
            let heads: Vec<f64> = looked.heads.iter().flatten().filter_map(|head| head.previous).collect();
            assert_eq!(heads.len(), sizes.layers * sizes.heads, "{name}");
        });
    }
}

#[test]
fn a_text_is_the_same_with_the_cache_and_without() {
    if crate::apart::ran() {
        return;
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/models.json");
    let recorded: Value =
        serde_json::from_str(&fs::read_to_string(file).expect("the figures")).expect("JSON");
    for (name, wanted) in recorded.as_object().expect("models") {
        with_large_stack(|| {
            let (mut session, _) = session_of(name);
            // The first four tokens, of which transformers went on.
            let start = format!("print(tokenizer.decode({}[:4]), end='')", wanted["tokens"]);
            let text = runs(&mut session, &start, "start");
            let tokens = runs(&mut session, &tokens_source(&text), "tokens");
            assert_eq!(serde_json::from_str::<Vec<String>>(tokens.trim()).expect("tokens").len(), 4);
            let greedy = runs(
                &mut session,
                &format!("print(tokenizer.decode({}), end='')", wanted["greedy"]),
                "greedy",
            );
            let mut write = |temperature, seed, cached| {
                let writing = Writing {
                    text: text.clone(),
                    tokens: 12,
                    temperature,
                    top_k: (temperature > 0.0).then_some(20),
                    top_p: (temperature > 0.0).then_some(0.9),
                    seed,
                    cached,
                };
                assert_eq!(runs(&mut session, &writing.source(), "write").trim(), "4");
                let (mut text, mut count) = (String::new(), 0);
                while let Some((piece, tokens)) =
                    read::<Option<(String, usize)>>(&runs(&mut session, NEXT_PIECE, "next")).expect("a piece")
                {
                    text += &piece;
                    count += tokens;
                }
                assert!(count <= 12, "{name}: {count}");
                text
            };
            for cached in [true, false] {
                assert_eq!(write(0.0, 1, cached), greedy, "{name}");
            }
            assert_eq!(write(0.9, 1, true), write(0.9, 1, false), "{name}");
            assert_ne!(write(0.9, 1, true), write(0.9, 2, true), "{name}");
        });
    }
}
