//! Every recorded print comes out again, character for character.
//! `tests/golden/make_show.py` draws the tensors and records what a real PyTorch prints for them.

use std::{env, fs};

use attn::tensor::show::{
    ElementValue, Frame, Grad, PrintOptions, PrintSource, element_texts, tensor_repr, tuple_repr,
};
use serde_json::Value as Json;

/// The recorded cases, or those of the file that `ATTN_SHOW_CASES` names (for long runs).
fn cases() -> Vec<Json> {
    let path = env::var("ATTN_SHOW_CASES").unwrap_or_else(|_| "tests/golden/show_more.json".to_owned());
    let text = fs::read_to_string(&path).expect("the recorded cases are in the repository");
    let mut doc: Json = serde_json::from_str(&text).expect("the recorded cases are JSON");
    match doc["cases"].take() {
        Json::Array(cases) => cases,
        other => panic!("{path}: cases should be a list, not {other}"),
    }
}

enum Held {
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Int(Vec<i64>),
    Bool(Vec<bool>),
}

/// Row-major elements with their shape.
struct Shaped<'a>(&'a [usize], &'a Held);

impl PrintSource for Shaped<'_> {
    fn shape(&self) -> &[usize] {
        self.0
    }

    fn at(&self, place: usize) -> ElementValue {
        match self.1 {
            Held::Float32(values) => ElementValue::Float(f64::from(values[place])),
            Held::Float64(values) => ElementValue::Float(values[place]),
            Held::Int(values) => ElementValue::Int(values[place]),
            Held::Bool(values) => ElementValue::Bool(values[place]),
        }
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn bits(hex: &str, digits: usize) -> Vec<u64> {
    hex.as_bytes()
        .chunks(digits)
        .map(|chunk| {
            let text = std::str::from_utf8(chunk).expect("hex digits are ASCII");
            u64::from_str_radix(text, 16).expect("hex digits")
        })
        .collect()
}

fn ramp_whole(case: &Json, numel: usize) -> Vec<i64> {
    let ramp = list(&case["ramp"]);
    let part = |i: usize| ramp[i].as_i64().expect("a whole number of the ramp");
    (0..numel as i64).map(|i| (i * part(0)) % part(1) - part(2)).collect()
}

/// float16 and bfloat16 as they would lie in a float32 buffer: rounded to nearest, ties to even.
fn rounded(x: f64, dtype: &str) -> f32 {
    let (digits, least) = match dtype {
        "float16" => (11, -24),
        "bfloat16" => (8, -133),
        _ => return x as f32,
    };
    if x == 0.0 {
        return x as f32;
    }
    let exponent = x.abs().log2().floor() as i32 + 1 - digits;
    let unit = 2f64.powi(exponent.max(least));
    let near = (x / unit).round_ties_even() * unit;
    if dtype == "float16" && near.abs() > 65504.0 {
        return (f64::INFINITY * near.signum()) as f32;
    }
    near as f32
}

fn held(case: &Json, dtype: &str, numel: usize) -> Held {
    let ramp = case.get("ramp").is_some();
    let whole: Vec<i64> = if ramp {
        ramp_whole(case, numel)
    } else {
        list(&case["ints"]).iter().filter_map(Json::as_i64).collect()
    };
    match dtype {
        "bool" => Held::Bool(whole.iter().map(|&n| n != 0).collect()),
        "int64" | "int32" | "int16" | "int8" | "uint8" => Held::Int(whole),
        _ if ramp => {
            let scale = case["ramp"][3].as_f64().expect("the ramp's scale");
            let values = whole.iter().map(|&n| n as f64 * scale);
            match dtype {
                "float64" => Held::Float64(values.collect()),
                _ => Held::Float32(values.map(|x| rounded(x, dtype)).collect()),
            }
        }
        _ => {
            let hex = case["hex"].as_str().expect("the bits of a float tensor");
            match dtype {
                "float64" => Held::Float64(bits(hex, 16).into_iter().map(f64::from_bits).collect()),
                _ => Held::Float32(bits(hex, 8).into_iter().map(|b| f32::from_bits(b as u32)).collect()),
            }
        }
    }
}

fn options(case: &Json) -> PrintOptions {
    let given = &case["options"];
    let unset = PrintOptions::default();
    let size = |name: &str, unset: usize| given[name].as_u64().map_or(unset, |n| n as usize);
    let threshold = given.get("threshold");
    PrintOptions {
        precision: size("precision", unset.precision),
        threshold: threshold.map_or(unset.threshold, |n| n.as_f64().unwrap_or(f64::INFINITY)),
        edgeitems: size("edgeitems", unset.edgeitems),
        linewidth: size("linewidth", unset.linewidth),
        sci_mode: given["sci_mode"].as_bool(),
    }
}

#[test]
fn recorded_tensors_print_as_recorded() {
    let cases = cases();
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let shape: Vec<usize> =
            list(&case["shape"]).iter().filter_map(|n| n.as_u64().map(|n| n as usize)).collect();
        let dtype = case["dtype"].as_str().expect("a dtype");
        let held = held(case, dtype, shape.iter().product());
        let full = format!("torch.{dtype}");
        let default = format!("torch.{}", case["default"].as_str().unwrap_or("float32"));
        let frame = Frame {
            dtype: &full,
            default_dtype: &default,
            grad: match case["grad"].as_str() {
                None => Grad::None,
                Some("leaf") => Grad::Leaf,
                Some(name) => Grad::Made(name),
            },
            parameter: case["parameter"].as_bool().unwrap_or(false),
        };
        let text = tensor_repr(&Shaped(&shape, &held), &frame, &options(case));
        let recorded = case["text"].as_str().expect("the recorded text");
        if text != recorded {
            wrong.push(format!("case {index}\n-- recorded\n{recorded}\n-- printed\n{text}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ; the first:\n{}",
        wrong.len(),
        cases.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
}

#[test]
fn the_texts_of_elements_are_those_of_the_print() {
    let of = |held| element_texts(&Shaped(&[2, 2], &held), &PrintOptions::default());
    assert_eq!(of(Held::Float32(vec![1.0, -2.0, 0.0, 10.0])), ["1.", "-2.", "0.", "10."]);
    let mixed = [0.5, f32::NEG_INFINITY, f32::NAN, -0.0];
    assert_eq!(of(Held::Float32(mixed.to_vec())), ["0.5000", "-inf", "nan", "-0.0000"]);
    assert_eq!(of(Held::Float64(vec![1e-5, 1.0, 2.0, 3.0]))[0], "1.0000e-05");
    assert_eq!(of(Held::Int(vec![1, 20, -300, 4])), ["1", "20", "-300", "4"]);
    assert_eq!(of(Held::Bool(vec![true, false, true, true]))[1], "False");
}

/// A tensor too large to hold, which counts how often it is asked.
struct Vast {
    shape: [usize; 3],
    asked: std::cell::Cell<usize>,
}

impl PrintSource for Vast {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn at(&self, place: usize) -> ElementValue {
        self.asked.set(self.asked.get() + 1);
        ElementValue::Float((place % 7) as f64)
    }
}

#[test]
fn only_shown_elements_are_read() {
    let vast = Vast { shape: [1_000_000, 1_000_000, 1_000], asked: std::cell::Cell::new(0) };
    let text = tensor_repr(&vast, &Frame::default(), &PrintOptions::default());
    assert!(text.starts_with("tensor([[[0., 1., 2.,  ..., "), "{text}");
    assert_eq!(vast.asked.get(), 6 * 6 * 6);
}

#[test]
fn shapes_print_as_tuples() {
    assert_eq!(tuple_repr(&[]), "()");
    assert_eq!(tuple_repr(&[4]), "(4,)");
    assert_eq!(tuple_repr(&[0, 3]), "(0, 3)");
}

#[test]
fn a_profile_is_a_set_of_options() {
    let start = PrintOptions { precision: 7, sci_mode: Some(true), ..PrintOptions::default() };
    let short = start.of_profile("short");
    assert_eq!((short.precision, short.edgeitems, short.sci_mode), (2, 2, None));
    assert!(start.of_profile("full").threshold.is_infinite());
    assert_eq!(start.of_profile("default"), PrintOptions::default());
    assert_eq!(start.of_profile("none"), start);
}
