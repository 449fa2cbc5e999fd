//! `attn bench`: the paths compute the same layer, and one that takes long is measured once.

use std::time::Duration;

use attn::app::commands::bench::case::{AttentionPath, BenchCase, LAYER, repeated};
use attn::session::{Session, SessionOptions, with_large_stack};

/// All paths compute the same layer, up to the rounding of some dozen sums.
#[test]
fn every_path_computes_the_same_layer() {
    if crate::apart::ran() {
        return;
    }
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
            let [fused, materialised] = [AttentionPath::Fused, AttentionPath::Materialised].map(|path| {
                let found = session.tensor(&format!("{}()", path.name()));
                found.ok().flatten().expect("it is a tensor").to_f32_vec()
            });
            assert_eq!((fused.len(), materialised.len()), (7 * 12, 7 * 12));
            for (x, y) in fused.iter().zip(&materialised) {
                assert!((x - y).abs() < 1e-5, "causal {causal}: {x} and {y}");
            }
        });
    }
}

#[test]
fn the_materialised_path_needs_tables_of_scores() {
    let path = AttentionPath::Materialised;
    let case = BenchCase { tokens: 1024, width: 768, heads: 12, batch: 1, causal: false, path, threads: 1 };
    assert!(case.most_bytes() > (3 * 12 * 4) << 20);
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
