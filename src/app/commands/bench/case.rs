//! One case of the benchmark, timed in this process. The layer runs as a learner's cell does.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::system::peak_megabytes;
use crate::session::{Session, SessionOptions};

/// The layer in a learner's code.
pub const LAYER: &str = include_str!("layer.py");

/// How attention is computed.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum AttentionPath {
    /// `scaled_dot_product_attention`: scores block by block, none kept.
    Fused,
    /// The chapter's class: scores and weights as tensors.
    Materialised,
}

impl AttentionPath {
    /// Its name on the command line, in JSON and in `layer.py`.
    pub fn name(self) -> &'static str {
        match self {
            AttentionPath::Fused => "fused",
            AttentionPath::Materialised => "materialised",
        }
    }

    /// Its name in the table.
    pub(crate) fn words(self, causal: bool) -> String {
        format!("{}{}", self.name(), if causal { ", causal" } else { "" })
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct BenchCase {
    /// T, the number of tokens.
    pub tokens: usize,
    /// C, the width of the model.
    pub width: usize,
    /// H, the number of heads.
    pub heads: usize,
    /// B, the size of the batch.
    pub batch: usize,
    /// Whether later tokens are hidden.
    pub causal: bool,
    /// How it is computed.
    pub path: AttentionPath,
    pub threads: usize,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct MeasuredCase {
    #[serde(flatten)]
    pub(crate) case: BenchCase,
    /// The number of repetitions.
    pub(crate) reps: usize,
    /// The shortest time, milliseconds.
    pub(crate) ms_min: f64,
    /// The median time, milliseconds.
    pub(crate) ms_median: f64,
    /// The peak memory of the process; `None` if the system does not report it.
    pub(crate) peak_rss_mb: Option<f64>,
}

impl fmt::Display for BenchCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens, {}", self.tokens, self.path.words(self.causal))
    }
}

impl BenchCase {
    /// A rough upper bound of the memory it needs, in bytes. The materialised path has three tables of scores.
    pub fn most_bytes(&self) -> u64 {
        let [b, h, t, c] = [self.batch, self.heads, self.tokens, self.width].map(|size| size as u64);
        let tables = if self.path == AttentionPath::Materialised { 3 } else { 0 };
        4u64.saturating_mul(b).saturating_mul(10 * t * c + tables * h * t * t)
    }

    /// Measures the case in this process: one run to warm up, then `reps` runs or as many as `budget` allows.
    /// Errors: the error that the layer's code raised.
    pub(crate) fn measure(&self, reps: usize, budget: Duration) -> Result<MeasuredCase, String> {
        let mut session =
            Session::new(SessionOptions { max_memory: usize::MAX, ..SessionOptions::default() });
        let truth = |value: bool| if value { "True" } else { "False" };
        let sizes = format!(
            "import torch\ntorch.set_num_threads({})\nBATCH, TOKENS, WIDTH, HEADS, CAUSAL = {}, {}, {}, {}, {}",
            self.threads,
            self.batch,
            self.tokens,
            self.width,
            self.heads,
            truth(self.causal)
        );
        run_code(&mut session, &sizes)?;
        run_code(&mut session, LAYER)?;
        if self.causal && self.path == AttentionPath::Materialised {
            run_code(&mut session, "hidden = causal_mask()")?;
        }
        let call = format!("_ = {}()", self.path.name());
        let mut times = repeated(reps, budget, || run_code(&mut session, &call))?;
        times.sort();
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        Ok(MeasuredCase {
            case: self.clone(),
            reps: times.len(),
            ms_min: ms(&times[0]),
            ms_median: ms(&times[times.len() / 2]),
            peak_rss_mb: peak_megabytes(),
        })
    }
}

/// Runs code of the layer or of the model.
pub(super) fn run_code(session: &mut Session, source: &str) -> Result<Duration, String> {
    let outcome = session.run(source, "bench");
    outcome.error.map_or(Ok(outcome.elapsed), |raised| Err(raised.to_string()))
}

/// The times of up to `reps` calls after one to warm up. If the first one takes the whole budget, it is the result.
pub fn repeated(
    reps: usize,
    budget: Duration,
    mut once: impl FnMut() -> Result<Duration, String>,
) -> Result<Vec<Duration>, String> {
    let start = Instant::now();
    let warm = once()?;
    let mut times = Vec::new();
    while times.len() < reps && (times.is_empty() || start.elapsed() < budget) {
        if times.is_empty() && start.elapsed() >= budget {
            return Ok(vec![warm]);
        }
        times.push(once()?);
    }
    Ok(times)
}
