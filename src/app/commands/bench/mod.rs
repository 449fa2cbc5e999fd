//! `attn bench`: measures the time and the memory of a layer of multi-head attention. Each case runs in its own process, so
//! that peak memory is measured per case.
//!
//! | file | what it does |
//! |---|---|
//! | [`case`] | one case, timed in this process |
//! | `decode` | a model of GPT-2's size that writes text |
//! | `system` | what the system says of the machine |
//! | `layer.py`, `decode.py` | the layer and the model, in the code a learner would write |

pub mod case;
mod decode;
mod system;

use std::time::Duration;

use serde_json::{Value, json};

use super::super::cells::processes;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::options::GlobalOptions;
use crate::kernel::threads;
use crate::session::machine_memory;
use crate::view::bench::{BenchReport, BenchRow, bench, machine};
use case::{AttentionPath, BenchCase, MeasuredCase};

/// What `attn bench` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Numbers of tokens, with commas between them
    #[arg(long, value_name = "T", value_delimiter = ',', default_value = "256,1024,4096,16384")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    tokens: Vec<u32>,
    /// Width of the model (of the screen elsewhere; COLUMNS sets that here)
    #[arg(long, value_name = "C", default_value_t = 768, value_parser = clap::value_parser!(u16).range(1..))]
    width: u16,
    /// Heads; the width is split among them
    #[arg(long, value_name = "H", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1 << 12))]
    heads: u32,
    /// Sequences in a batch
    #[arg(long, value_name = "B", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 12))]
    batch: u32,
    /// With the causal mask only (default: the fused path with and without)
    #[arg(long)]
    causal: bool,
    /// fused keeps no scores, materialised keeps all of them; with commas between them
    #[arg(long, value_enum, value_name = "PATH", value_delimiter = ',', hide_possible_values = true)]
    path: Vec<AttentionPath>,
    /// Threads (default: ATTN_THREADS, or as many as there are)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Most repetitions of a case; a case stops after some seconds in any event
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    reps: u32,
    /// Write so many tokens (default: 200) with a model of GPT-2's size, with and without a cache
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "200")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1020), conflicts_with_all = ["tokens", "batch", "causal", "path", "reps"])]
    decode: Option<u16>,
}

/// The time after which a case is not repeated.
const BUDGET: Duration = Duration::from_secs(4);

/// Measures all cases, and shows a table or writes a document.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    // clap gives `--width` to the global option of that name, too.
    shell.set(GlobalOptions { width: None, ..shell.options.clone() });
    if !u32::from(args.width).is_multiple_of(args.heads) {
        return Err(Failure::Usage(format!(
            "--heads {}: the width {} does not split into {} heads of equal width",
            args.heads, args.width, args.heads
        )));
    }
    let threads = args.threads.map_or_else(threads::count, usize::from);
    if let Some(count) = args.decode {
        let (width, heads) = (usize::from(args.width), args.heads as usize);
        return decode::run(count.into(), width, heads, threads, shell);
    }
    let cases = cases(args, threads);
    let memory = machine_memory().map_or(u64::MAX, |bytes| bytes as u64);
    let names: Vec<String> = cases.iter().map(BenchCase::to_string).collect();
    let one = |at: usize, _: &mut Shell| match cases[at].most_bytes() {
        needed if needed > memory / 2 => {
            let gigabytes = needed as f64 / f64::from(1 << 30);
            Ok(Err(format!("it needs {gigabytes:.0} GB, more than half of what there is")))
        }
        _ => Ok(cases[at].measure(args.reps as usize, BUDGET)),
    };
    let (mut measured, mut skipped): (Vec<MeasuredCase>, _) = (Vec::new(), Vec::new());
    // One after the other: each has the machine for itself.
    processes::each(&names, 1, shell, one, |at, ran, _| {
        match ran.and_then(|measured| measured) {
            Ok(case) => measured.push(case),
            Err(why) => skipped.push((&cases[at], why)),
        }
        Ok(true)
    })?;
    let cpu = system::cpu();
    if shell.options.json {
        let left_out = |(case, why): &(&BenchCase, String)| json!({"tokens": case.tokens, "path": case.path, "why": why});
        let document = json!({
            "schema": "attn.bench/2",
            "cpu": cpu,
            "threads": threads,
            "cases": measured,
            "skipped": skipped.iter().map(left_out).collect::<Value>(),
        });
        write_json(&document, shell)?;
        return Ok(Exit::Good);
    }
    let row = |measured: &MeasuredCase| BenchRow {
        tokens: measured.case.tokens,
        name: measured.case.path.words(measured.case.causal),
        median: Duration::from_secs_f64(measured.ms_median / 1e3),
        best: Duration::from_secs_f64(measured.ms_min / 1e3),
        megabytes: measured.peak_rss_mb,
    };
    let left_out = |(case, why): &(&BenchCase, String)| {
        format!("{} tokens, {}: left out, {why}", case.tokens, case.path.words(false))
    };
    let materialised = measured.iter().rfind(|it| it.case.path == AttentionPath::Materialised);
    let report = BenchReport {
        layer: format!(
            "Multi-head attention, {} wide, {} heads, batch of {}, float32, forward",
            args.width, args.heads, args.batch
        ),
        machine: machine(&cpu, threads),
        scores: materialised.map(|it| (it.case.tokens, it.case.batch * it.case.heads)),
        rows: measured.iter().map(row).collect(),
        skipped: skipped.iter().map(left_out).collect(),
    };
    shell.show(&bench(&report, shell.look))?;
    Ok(Exit::Good)
}

/// The cases asked for, shortest first; where no path is asked for, the fused one with the causal mask and without.
fn cases(args: &Args, threads: usize) -> Vec<BenchCase> {
    let mut cases = Vec::new();
    let (width, heads, batch) = (args.width as usize, args.heads as usize, args.batch as usize);
    for &tokens in &args.tokens {
        for path in [AttentionPath::Materialised, AttentionPath::Fused] {
            let with_mask: &[bool] = match args.path.is_empty() {
                true if path == AttentionPath::Fused && !args.causal => &[false, true],
                false if !args.path.contains(&path) => &[],
                _ => &[args.causal],
            };
            let case =
                |&causal| BenchCase { tokens: tokens as usize, width, heads, batch, causal, path, threads };
            cases.extend(with_mask.iter().map(case));
        }
    }
    cases
}
