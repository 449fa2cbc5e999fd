//! Random numbers: which draw of which seed, and for dropout whether it kept the element.
//! The draws are repeated from the seed where that is possible.

use crate::explain::account::{Account, WhyEnd};
use crate::explain::calc::Calc;
use crate::explain::storage_element::position;
use crate::explain::subject::Subject;
use crate::explain::terms::figure;
use crate::kernel::random::{DEFAULT_SEED, Generator};
use crate::tensor::explanation::RandomKind;
use crate::tensor::layout::ravel;
use crate::tensor::ops::draw::memory_order;
use crate::tensor::{Arg, DType, Layout, RandomDraws};

/// How many 32-bit words are drawn again at most.
const AGAIN: u64 = 1 << 24;

/// `draw 3 of seed 123`.
fn draw_words(drawn: &RandomDraws, nth: u64) -> String {
    let seed = match drawn.seed {
        DEFAULT_SEED => "the seed that stands where none was set".to_owned(),
        seed => format!("seed {seed}"),
    };
    match drawn.first {
        Some(first) => format!("draw {} of {seed}", first + nth),
        None => format!("a draw of {seed}, from a restored state"),
    }
}

/// `draws 3 to 8 of seed 123`.
fn all_words(drawn: &RandomDraws) -> String {
    match drawn.first {
        Some(first) if drawn.count > 1 => draw_words(drawn, 0).replacen(
            &format!("draw {first}"),
            &format!("draws {first} to {}", first + drawn.count - 1),
            1,
        ),
        _ => draw_words(drawn, 0),
    }
}

/// How many elements were drawn before the one at this index. Elements are drawn in memory order.
fn order_in(layout: &Layout, index: &[usize]) -> u64 {
    let ordered = memory_order(layout);
    let at = position(layout, index);
    let place =
        ordered.index_of(at).map_or_else(|| ravel(index, &layout.shape), |it| ravel(&it, &ordered.shape));
    place as u64
}

/// The layout of the tensor that was filled.
fn layout_of(subject: &Subject) -> Layout {
    match subject.made.before.as_ref() {
        Some(before) => before.tensor.layout().clone(),
        None => Layout::contiguous(subject.made.record.shape.clone()),
    }
}

/// The generator after the words drawn before and `more`.
fn again(drawn: &RandomDraws, more: u64) -> Option<Generator> {
    let words = drawn.words?.checked_add(more).filter(|&words| words <= AGAIN)?;
    let mut generator = Generator::new(drawn.seed);
    for _ in 0..words {
        generator.random();
    }
    Some(generator)
}

pub(crate) fn account(subject: &Subject, kind: RandomKind) -> Option<Account> {
    let op = subject.op();
    let Some(drawn) = subject.made.record.drawn else {
        return Some(Account::words(format!("{op}: drawn at random")).ending(WhyEnd::RandomDraws));
    };
    let nth = order_in(&layout_of(subject), subject.index());
    let nth_words = draw_words(&drawn, nth);
    let wide = subject.dtype == DType::Float64;
    let fraction = |nth: u64| {
        let mut generator = again(&drawn, if wide { 2 * nth } else { nth })?;
        Some(if wide { generator.unit() } else { f64::from(generator.unit_f32()) })
    };
    let plain = matches!(subject.dtype, DType::Float32 | DType::Float64);
    let number = |place: usize| subject.args.get(place).and_then(Arg::number);
    Some(
        match kind {
            RandomKind::Uniform => Account::words(format!("{op}: uniform in [0, 1), {nth_words}")),
            RandomKind::UniformFill => {
                let (from, to) = (number(1).unwrap_or(0.0), number(2).unwrap_or(1.0));
                let words = format!("uniform_: uniform in [{}, {}), {nth_words}", figure(from), figure(to));
                let account = Account::words(words);
                match fraction(nth).filter(|_| plain) {
                    Some(unit) => {
                        let stretched = Calc::Product(vec![Calc::Number(unit), Calc::Number(to - from)]);
                        account.figures(Calc::Sum(vec![Calc::Number(from), stretched]))
                    }
                    None => account,
                }
            }
            RandomKind::Normal => Account::words(format!("{op}: normal, mean 0 and variance 1, {nth_words}")),
            RandomKind::NormalFill => {
                let (mean, std) = (number(1).unwrap_or(0.0), number(2).unwrap_or(1.0));
                Account::words(format!(
                    "normal_: normal, mean {} and std {}, {nth_words}",
                    figure(mean),
                    figure(std)
                ))
            }
            RandomKind::Bernoulli => Account::words(format!(
                "{op}: {} by chance, {nth_words}",
                if subject.value == 0.0 { "no" } else { "yes" }
            )),
            // As many draws as elements, and each element depends on several of them.
            RandomKind::Together => Account::words(format!("{op}: {}", all_words(&drawn))),
            RandomKind::Other => Account::words(format!("{op}: {nth_words}")),
        }
        .ending(WhyEnd::RandomDraws),
    )
}

/// An element that dropout kept or dropped.
pub(crate) fn dropout(subject: &Subject) -> Option<Account> {
    let x = subject.operand(0)?;
    let link = subject.link(0, &x, subject.index());
    let value = x.value(subject.index());
    let p = subject.number("p")?;
    if p >= 1.0 {
        let words = format!("dropout drops all at p = {}", figure(p));
        return Some(
            Account::words(words)
                .figures(Calc::Product(vec![Calc::Number(value), Calc::Number(0.0)]))
                .from([link]),
        );
    }
    let noise = subject.noise()?;
    let kept = noise.storage().read().float(position(noise.layout(), subject.index()));
    let account = |words: String| Account::words(words).from([link.clone()]);
    let drawn = subject.made.record.drawn;
    let nth = order_in(noise.layout(), subject.index());
    let draw = drawn.map(|drawn| draw_words(&drawn, nth)).unwrap_or_default();
    // The build of PyTorch that the book uses takes two words for each element.
    let unit = drawn.filter(|drawn| drawn.book).and_then(|drawn| Some(again(&drawn, 2 * nth)?.unit()));
    let share = figure(1.0 - p);
    let compared = match (unit, kept != 0.0) {
        (Some(unit), true) => format!(": {draw}, {}, is below {share}", figure(unit)),
        (Some(unit), false) => format!(": {draw}, {}, is not below {share}", figure(unit)),
        (None, _) if !draw.is_empty() => format!(": {draw}"),
        _ => String::new(),
    };
    Some(match kept != 0.0 {
        true => account(format!("dropout kept {}{compared}", link.what))
            .figures(Calc::Number(value).over(Calc::Sum(vec![Calc::Number(1.0), Calc::Number(-p)]))),
        false => account(format!("dropout dropped {}{compared}", link.what))
            .figures(Calc::Product(vec![Calc::Number(value), Calc::Number(0.0)])),
    })
}
