//! A model of GPT-2's size with random weights that writes text: tokens a second with and without a cache, and how much of
//! the memory's speed the weights are read with. The model is in `decode.py`, which PyTorch runs too.

use serde::Serialize;

use super::super::super::json::write_json;
use super::super::super::terminal::shell::{Exit, Failure, Shell};
use super::case::run_code;
use super::machine;
use crate::session::{Session, SessionOptions};
use crate::view::bench::{Decoding, decoding};

const MODEL: &str = include_str!("decode.py");
const LAYERS: usize = 12;
const WORDS: usize = 50_257;

/// The document `attn.bench.decode/1`.
#[derive(Serialize)]
struct DecodeDocument {
    schema: &'static str,
    cpu: String,
    threads: usize,
    layers: usize,
    width: usize,
    heads: usize,
    words: usize,
    /// The number of tokens written.
    tokens: usize,
    tokens_per_s_cached: f64,
    tokens_per_s_uncached: f64,
    /// The bytes of the weights that each token reads.
    weight_bytes: f64,
    /// Bytes of weights a second with the cache, and of numbers that are summed up; in 10^9.
    gb_per_s_cached: f64,
    gb_per_s_sum: f64,
    peak_rss_mb: Option<f64>,
}

/// Measures the model in this process, and shows some lines or writes a document.
pub(super) fn run(
    count: usize,
    width: usize,
    heads: usize,
    threads: usize,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let document = measure(count, width, heads, threads).map_err(Failure::Unreadable)?;
    if shell.options.json {
        write_json(&document, shell)?;
        return Ok(Exit::Good);
    }
    let shown = Decoding {
        model: format!(
            "GPT-2's size, random weights: {LAYERS} layers, {} wide, {} heads, 50,257 words, float32",
            document.width, document.heads
        ),
        machine: machine::line(&document.cpu, threads),
        tokens: count,
        cached: document.tokens_per_s_cached,
        uncached: document.tokens_per_s_uncached,
        weight_megabytes: document.weight_bytes / 1e6,
        read_speed: document.gb_per_s_cached,
        sum_speed: document.gb_per_s_sum,
        megabytes: document.peak_rss_mb,
    };
    shell.show(&decoding(&shown, shell.look))?;
    Ok(Exit::Good)
}

fn measure(count: usize, width: usize, heads: usize, threads: usize) -> Result<DecodeDocument, String> {
    let mut session = Session::new(SessionOptions { max_memory: usize::MAX, ..SessionOptions::default() });
    crate::tensor::set_memory_limit(u64::MAX);
    let sizes = format!(
        "import torch\ntorch.set_num_threads({threads})\n\
         LAYERS, WIDTH, HEADS, WORDS = {LAYERS}, {width}, {heads}, {WORDS}"
    );
    run_code(&mut session, &sizes)?;
    run_code(&mut session, MODEL)?;
    // The first tokens start threads and find memory.
    run_code(&mut session, "_ = generate(start_ids, 4, True)")?;
    let seconds = |use_cache| format!("sum(generate(start_ids, {count}, {use_cache})[1])");
    let cached = count as f64 / number(&mut session, &seconds("True"))?;
    let uncached = count as f64 / number(&mut session, &seconds("False"))?;
    // The numbers that are summed up are no part of the model's memory.
    let peak_rss_mb = machine::peak_megabytes();
    let weight_bytes = number(&mut session, "weight_bytes")?;
    Ok(DecodeDocument {
        schema: "attn.bench.decode/1",
        cpu: machine::cpu(),
        threads,
        layers: LAYERS,
        width,
        heads,
        words: WORDS,
        tokens: count,
        tokens_per_s_cached: cached,
        tokens_per_s_uncached: uncached,
        weight_bytes,
        gb_per_s_cached: cached * weight_bytes / 1e9,
        gb_per_s_sum: number(&mut session, "sum_speed()")?,
        peak_rss_mb,
    })
}

/// The value of an expression.
fn number(session: &mut Session, expression: &str) -> Result<f64, String> {
    match session.tensor(&format!("torch.tensor({expression}, dtype=torch.float64)")) {
        Ok(Some(tensor)) => Ok(tensor.to_f64_vec()[0]),
        Ok(None) => Err(format!("{expression} is no number")),
        Err(raised) => Err(format!("{}: {}", raised.kind, raised.message)),
    }
}
