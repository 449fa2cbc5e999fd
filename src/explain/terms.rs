//! Figures and sums as a learner reads them.
//! Room: explain.

/// Most terms a sum shows one by one.
const SHOWN: usize = 6;

/// A number in at most four decimals; fewer where it is exact with fewer, as 0.55 is.
pub fn figure(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e8).contains(&magnitude) {
        return format!("{value:.4e}");
    }
    let short = (value as f32).to_string();
    let decimals = short.split_once('.').map_or(0, |(_, tail)| tail.len());
    if decimals <= 4 && !short.contains('e') { short } else { format!("{value:.4}") }
}

/// A number in four decimals always, as a term in a sum stands.
fn term(value: f64) -> String {
    if value.is_finite() && (value == 0.0 || (1e-4..1e8).contains(&value.abs())) {
        format!("{value:.4}")
    } else {
        figure(value)
    }
}

/// `a + b - c`: negative terms are subtracted.
fn joined(texts: impl Iterator<Item = (bool, String)>) -> String {
    let mut out = String::new();
    for (negative, text) in texts {
        out.push_str(match (out.is_empty(), negative) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        out.push_str(&text);
    }
    out
}

/// Which terms are shown: all, or the largest few in their order, and whether some are left out.
fn chosen(values: &[f64]) -> (Vec<usize>, bool) {
    if values.len() <= SHOWN + 2 {
        return ((0..values.len()).collect(), false);
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
    let mut shown: Vec<usize> = order.into_iter().take(SHOWN).collect();
    shown.sort_unstable();
    (shown, true)
}

/// `0.55·0.57 + 0.87·0.85` and `0.3135 + 0.7395`, the rest of a long sum as one term.
pub fn sum_of_products(a: &[f64], b: &[f64]) -> (String, String) {
    let products: Vec<f64> = a.iter().zip(b).map(|(x, y)| x * y).collect();
    let (shown, cut) = chosen(&products);
    let factors = |&at: &usize| {
        let right = if b[at] < 0.0 { format!("({})", figure(b[at])) } else { figure(b[at]) };
        (a[at] < 0.0, format!("{}·{right}", figure(a[at].abs())))
    };
    let mut left = joined(shown.iter().map(factors));
    if cut {
        left.push_str(&format!(" + {} smaller", products.len() - shown.len()));
    }
    (left, terms_text(&products, &shown, cut))
}

/// `0.3135 + 0.7395`, the rest of a long sum as one term.
pub fn sum_of_terms(values: &[f64]) -> String {
    let (shown, cut) = chosen(values);
    terms_text(values, &shown, cut)
}

fn terms_text(values: &[f64], shown: &[usize], cut: bool) -> String {
    let mut text = joined(shown.iter().map(|&at| (values[at] < 0.0, term(values[at].abs()))));
    if cut {
        let rest: f64 = (0..values.len()).filter(|at| !shown.contains(at)).map(|at| values[at]).sum();
        let sign = if rest < 0.0 { '-' } else { '+' };
        text.push_str(&format!(" {sign} {} (the other {})", term(rest.abs()), values.len() - shown.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_as_short_as_they_are_exact() {
        assert_eq!(figure(f64::from(0.55f32)), "0.55");
        assert_eq!(figure(1.0 / 3.0), "0.3333");
        assert_eq!(figure(2.0), "2");
        assert_eq!(figure(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn long_sums_show_the_largest_terms_and_the_rest_as_one() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(
            sum_of_terms(&values),
            "15.0000 + 16.0000 + 17.0000 + 18.0000 + 19.0000 + 20.0000 + 105.0000 (the other 14)"
        );
        assert_eq!(
            sum_of_products(&[1.0, -2.0], &[3.0, 0.5]),
            ("1·3 - 2·0.5".into(), "3.0000 - 1.0000".into())
        );
    }
}
