//! Numbers and calculations as explanations show them, and the difference of two tensors.

use attn::explain::{Calc, difference, figure};
use attn::tensor::Tensor;

#[test]
fn brackets_are_where_they_are_needed() {
    let difference = Calc::minus(1.5, -0.25);
    assert_eq!(difference.text(), "1.5 + 0.25");
    assert_eq!(
        Calc::exp(Calc::minus(1.5, 2.0)).over(Calc::terms([1.0, 2.0])).text(),
        "exp(1.5 - 2) / (1.0000 + 2.0000)"
    );
    assert_eq!(Calc::Product(vec![difference, Calc::Number(-2.0)]).text(), "(1.5 + 0.25)·(-2)");
    assert_eq!(Calc::products(&[1.0, -2.0], &[3.0, -0.5]).text(), "1·3 - 2·(-0.5)");
    assert_eq!(
        Calc::Number(8.0).over(Calc::Product(vec![Calc::Number(2.0), Calc::Number(4.0)])).text(),
        "8 / (2·4)"
    );
}

#[test]
fn long_sums_show_the_largest_terms_and_the_rest_as_one_number() {
    let many = Calc::terms((1..=20).map(f64::from));
    assert_eq!(
        many.text(),
        "15.0000 + 16.0000 + 17.0000 + 18.0000 + 19.0000 + 20.0000 + 105.0000 (the other 14)"
    );
    assert_eq!(many.value(), 210.0);
}

#[test]
fn differences_have_a_place_and_a_size() {
    let a = Tensor::from_f32(vec![1.0, 2.0, f32::NAN, f32::INFINITY], [2, 2]);
    let b = Tensor::from_f32(vec![1.5, 1.0, f32::NAN, f32::INFINITY], [2, 2]);
    let found = difference(&a, &b).expect("the shapes are equal");
    assert_eq!((found.count, found.differing, found.nan), (4, 2, 0));
    assert_eq!(found.greatest, Some((vec![0, 1], 2.0, 1.0)));
    assert_eq!(difference(&a, &a).map(|same| same.differing), Some(0));
    assert_eq!(difference(&a, &Tensor::from_f32(vec![1.0; 4], [4])), None);
}

#[test]
fn numbers_have_as_few_decimals_as_are_exact() {
    assert_eq!(figure(f64::from(0.55f32)), "0.55");
    assert_eq!(figure(1.0 / 3.0), "0.3333");
    assert_eq!(figure(2.0), "2");
    assert_eq!(figure(f64::NEG_INFINITY), "-inf");
}
