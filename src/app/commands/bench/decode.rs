//! A model of GPT-2's size with random weights that writes text: tokens a second with and without a cache, and how much of
//! the memory's speed the weights are read with. `decode.py` writes with the model of `attn show @gpt2`; PyTorch runs it too.

use super::super::super::json::write_json;
use super::super::super::terminal::shell::{Exit, Failure, Shell};
use super::case::run_code;
use super::system;
use crate::lesson::trained;
use crate::session::{Session, SessionOptions};
use crate::view::bench::{Decoding, decoding};

const LAYERS: usize = 12;
const WORDS: usize = 50_257;

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
    shell.show(&decoding(&document, shell.look))?;
    Ok(Exit::Good)
}

fn measure(count: usize, width: usize, heads: usize, threads: usize) -> Result<Decoding, String> {
    let mut session = Session::new(SessionOptions { max_memory: usize::MAX, ..SessionOptions::default() });
    let sizes = format!(
        "import torch\ntorch.set_num_threads({threads})\n\
         LAYERS, WIDTH, HEADS, WORDS = {LAYERS}, {width}, {heads}, {WORDS}"
    );
    run_code(&mut session, &sizes)?;
    for code in [trained::text("gpt2.py"), trained::text("write.py"), include_str!("decode.py")] {
        run_code(&mut session, code)?;
    }
    // The first tokens start threads and find memory.
    run_code(&mut session, "_ = generate(4, True)")?;
    let seconds = |use_cache| format!("generate({count}, {use_cache})");
    let cached = count as f64 / number(&mut session, &seconds("True"))?;
    let uncached = count as f64 / number(&mut session, &seconds("False"))?;
    // The numbers that are summed up are no part of the model's memory.
    let peak_rss_mb = system::peak_megabytes();
    let weight_bytes = number(&mut session, "weight_bytes")?;
    Ok(Decoding {
        schema: "attn.bench.decode/1",
        cpu: system::cpu(),
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
        Err(raised) => Err(raised.to_string()),
    }
}
