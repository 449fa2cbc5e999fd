//! `attn bench`: the paths compute the same layer, and the figures are those of the formula.

use std::time::Duration;

use attn::app::commands::bench::case::{AttentionPath, BenchCase, LAYER, repeated};
use attn::session::{Session, SessionOptions, with_large_stack};

/// All paths compute the same layer, up to the rounding of some dozen sums.
#[test]
fn every_path_computes_the_same_layer() {
    for causal in [false, true] {
        with_large_stack(|| {
            let sizes = format!(
                "BATCH, TOKENS, WIDTH, HEADS, CAUSAL = 1, 7, 12, 3, {}",
                if causal { "True" } else { "False" }
            );
            let mut session = Session::new(SessionOptions::default());
            for source in [sizes.as_str(), LAYER, "hidden = causal_mask()"] {
                assert_eq!(session.run(source, "bench").error, None);
            }
            let path = AttentionPath::Naive;
            let case = BenchCase { tokens: 7, width: 12, heads: 3, batch: 1, causal, path, threads: 1 };
            let naive = case.loops(&mut session).expect("the layer has its tensors").forward();
            for path in [AttentionPath::Fused, AttentionPath::Materialised] {
                let found = session.tensor(&format!("{}()", path.function()));
                let found = found.ok().flatten().expect("it is a tensor").to_f32_vec();
                assert_eq!(found.len(), naive.len());
                for (x, y) in found.iter().zip(&naive) {
                    assert!((x - y).abs() < 1e-5, "{path}, causal {causal}: {x} and {y}");
                }
            }
        });
    }
}

#[test]
fn the_operations_are_those_that_the_paper_counts() {
    let case =
        |path, causal| BenchCase { tokens: 1024, width: 768, heads: 12, batch: 1, causal, path, threads: 1 };
    // 4 projections of 2·T·C² and 2 products of 2·T²·C.
    let whole = 4.0 * 2.0 * 1024.0 * 768.0 * 768.0 + 2.0 * 2.0 * 1024.0 * 1024.0 * 768.0;
    assert_eq!(case(AttentionPath::Fused, false).work(), whole / 1e9);
    assert!(case(AttentionPath::Fused, true).work() < whole / 1e9 * 0.81);
    assert!(case(AttentionPath::Materialised, false).most_bytes() > (3 * 12 * 4) << 20);
}

#[test]
fn a_case_that_spends_its_budget_is_not_repeated() {
    let mut calls = 0;
    let mut once = || {
        calls += 1;
        std::thread::sleep(Duration::from_millis(3));
        Ok(Duration::from_millis(3))
    };
    assert_eq!(repeated(100, Duration::from_millis(1), &mut once).map(|times| times.len()), Ok(1));
    assert_eq!(repeated(2, Duration::from_secs(60), &mut once).map(|times| times.len()), Ok(2));
    assert_eq!(calls, 4);
}
