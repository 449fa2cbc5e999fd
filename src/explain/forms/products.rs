//! Sums of products: dot, matmul and similar, linear, einsum.

use crate::explain::account::{Account, LINKS, SourceElement};
use crate::explain::calc::Calc;
use crate::explain::name::Name;
use crate::explain::storage_element::{ElementCause, PastOperand, indices};
use crate::explain::subject::{Subject, numbers};
use crate::explain::terms::figure;
use crate::kernel::rank::largest_magnitude_first;
use crate::tensor::Arg;
use crate::tensor::descriptor::Binding;
use crate::tensor::explanation::ProductKind;
use crate::tensor::ops::einsum::{ELLIPSIS, letter, spelled};

/// One sum of products: the names of both sides, and the indices of the factors in each.
struct ProductTerms {
    places: [usize; 2],
    operands: [PastOperand; 2],
    names: [Name; 2],
    at: Vec<[Vec<usize>; 2]>,
}

impl ProductTerms {
    fn values(&self, side: usize) -> Vec<f64> {
        self.at.iter().map(|pair| self.operands[side].value(&pair[side])).collect()
    }

    fn words(&self) -> String {
        format!("{} · {}", self.names[0], self.names[1])
    }

    /// The factors, the pair with the largest product first.
    fn links(&self, subject: &Subject) -> Vec<SourceElement> {
        let (a, b) = (self.values(0), self.values(1));
        let order = largest_magnitude_first(a.iter().zip(&b).map(|(a, b)| b * a));
        let pair = |at: usize| {
            [0, 1].map(|side| subject.link(self.places[side], &self.operands[side], &self.at[at][side]))
        };
        order.into_iter().take(LINKS).flat_map(pair).collect()
    }

    fn account(&self, subject: &Subject) -> Account {
        let (a, b) = (self.values(0), self.values(1));
        let mut account = Account::words(self.words()).figures(Calc::products(&a, &b));
        if a.len() > 1 {
            account =
                account.figures(Calc::terms(a.iter().zip(&b).map(|(x, y)| x * y))).led("the largest term");
        }
        account.from(self.links(subject)).following(2)
    }
}

/// The batch index of an operand, for a batch index of the result.
fn batch_of(operand: &PastOperand, rest: &[usize], matrix: usize) -> Vec<usize> {
    let own = &operand.tensor.shape()[..operand.tensor.ndim() - matrix];
    let skip = rest.len().saturating_sub(own.len());
    own.iter().zip(&rest[skip..]).map(|(&size, &at)| if size == 1 { 0 } else { at }).collect()
}

fn with(lead: &[usize], axis: usize, at: usize) -> Vec<usize> {
    let mut index = lead.to_vec();
    index.insert(axis, at);
    index
}

/// The name of a row along the last axis. The row of an unnamed tensor is named by its elements.
fn row_name(subject: &Subject, place: usize, operand: &PastOperand, lead: &[usize]) -> Name {
    let called = subject.called(place);
    let plain = |called: Name| called.element(lead);
    let last = operand.tensor.shape().last().copied().unwrap_or(0);
    if !called.is_elided() || last == 0 {
        return plain(called);
    }
    let line = |at: usize| match subject.element(place, operand, &[lead, &[at]].concat()) {
        Name::Element(of, mut index) if index.len() > 1 => {
            index.pop();
            Some(Name::Element(of, index))
        }
        _ => None,
    };
    match (line(0), line(last - 1)) {
        (Some(first), Some(end)) if first == end && !first.is_elided() => first,
        _ => plain(called),
    }
}

/// The sum of products at `index` of the product of the operands in these places.
fn lines(subject: &Subject, places: [usize; 2], index: &[usize]) -> Option<ProductTerms> {
    let (a, b) = (subject.operand(places[0])?, subject.operand(places[1])?);
    let (rows, columns) = (a.tensor.ndim(), b.tensor.ndim());
    let mut rest = index.to_vec();
    let column = if columns > 1 { Some(rest.pop()?) } else { None };
    let line = if rows > 1 { Some(rest.pop()?) } else { None };
    let mut left = batch_of(&a, &rest, rows.min(2));
    left.extend(line);
    let pages = batch_of(&b, &rest, columns.min(2));
    let inner = a.tensor.shape().last().copied()?;
    let pair = |at: usize| {
        let right = match column {
            Some(column) => {
                let mut right = pages.clone();
                right.extend([at, column]);
                right
            }
            None => with(&pages, columns - 1, at),
        };
        [with(&left, rows - 1, at), right]
    };
    let at = (0..inner).map(pair).collect();
    let right = match column {
        Some(column) => column_name(subject.called(places[1]), &pages, column),
        None => subject.called(places[1]),
    };
    let left = row_name(subject, places[0], &a, &left);
    Some(ProductTerms { places, operands: [a, b], names: [left, right], at })
}

/// The name of a column of a matrix. A column of `keys.T` is a row of `keys`.
fn column_name(name: Name, pages: &[usize], column: usize) -> Name {
    match name {
        Name::Transposed(of, by)
            if by.is_of_last_two(pages.len() + 2) && of.binding() == Binding::Primary =>
        {
            of.element(&with(pages, pages.len(), column))
        }
        name => {
            let mut parts: Vec<String> = pages.iter().map(usize::to_string).collect();
            parts.extend([":".to_owned(), column.to_string()]);
            name.sliced(&parts)
        }
    }
}

/// An element of a product of matrices or vectors, with what is added to it.
pub(crate) fn account(subject: &Subject, kind: ProductKind) -> Option<Account> {
    let index = subject.index();
    match kind {
        ProductKind::Dot => {
            let (a, b) = (subject.operand(0)?, subject.operand(1)?);
            let at = (0..a.tensor.numel()).map(|at| [vec![at], vec![at]]).collect();
            let names = [subject.called(0), subject.called(1)];
            Some(ProductTerms { places: [0, 1], operands: [a, b], names, at }.account(subject))
        }
        ProductKind::Matrix => Some(lines(subject, [0, 1], index)?.account(subject)),
        ProductKind::Added => added(subject, vec![lines(subject, [1, 2], index)?]),
    }
}

/// `beta * input + alpha * (a @ b)`; the products of several pages add up.
fn added(subject: &Subject, all: Vec<ProductTerms>) -> Option<Account> {
    let (beta, alpha) = (subject.number("beta").unwrap_or(1.0), subject.number("alpha").unwrap_or(1.0));
    let base = subject.at(0)?;
    let words: Vec<String> = all.iter().map(ProductTerms::words).collect();
    let times = |factor: f64| if factor == 1.0 { String::new() } else { format!("{}·", figure(factor)) };
    let words = match alpha == 1.0 {
        true => format!("{}{} + {}", times(beta), subject.name_at(0), words.join(" + ")),
        false => format!("{}{} + {}({})", times(beta), subject.name_at(0), times(alpha), words.join(" + ")),
    };
    let (a, b): (Vec<f64>, Vec<f64>) =
        (all.iter().flat_map(|it| it.values(0)).collect(), all.iter().flat_map(|it| it.values(1)).collect());
    let product: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
    let factored = |factor: f64, value: Calc| match factor == 1.0 {
        true => value,
        false => Calc::Product(vec![Calc::Number(factor), value]),
    };
    let mut sum = vec![factored(beta, Calc::Number(base))];
    match (factored(alpha, Calc::products(&a, &b)), alpha == 1.0) {
        (Calc::Sum(parts), true) => sum.extend(parts),
        (other, _) => sum.push(other),
    }
    let links: Vec<SourceElement> = all.iter().flat_map(|it| it.links(subject)).collect();
    let input = subject.link_at(0);
    let account = Account::words(words).figures(Calc::Sum(sum));
    let account = account.figures(Calc::terms([beta * base, alpha * product]));
    Some(account.from(links).from(input).following(2))
}

/// A part of the product of two complex numbers, which are pairs: the real part `a[0]·b[0] - a[1]·b[1]`, or the imaginary
/// part `a[0]·b[1] + a[1]·b[0]`.
pub(crate) fn complex(subject: &Subject) -> Option<Account> {
    let operands = [subject.operand(0)?, subject.operand(1)?];
    let (&part, lead) = subject.index().split_last()?;
    let at = |side: usize, part: usize| operands[side].broadcast(&[lead, &[part]].concat());
    let factors = [0, 1].map(|first| [at(0, first), at(1, first ^ part)]);
    let value = |side: usize, at: &[Vec<usize>; 2]| operands[side].value(&at[side]);
    let sign = if part == 0 { -1.0 } else { 1.0 };
    let left = [value(0, &factors[0]), sign * value(0, &factors[1])];
    let right = [value(1, &factors[0]), value(1, &factors[1])];
    // A number of the code stands for itself.
    let is_number = |side: usize, at: &[Vec<usize>; 2]| {
        let is_made = matches!(operands[side].at(&at[side]).cause(), ElementCause::MadeBy(_));
        !is_made && matches!(subject.called(side), Name::Words(_))
    };
    let name = |side: usize, at: &[Vec<usize>; 2]| match is_number(side, at) {
        true => figure(value(side, at)),
        false => subject.element(side, &operands[side], &at[side]).to_string(),
    };
    let words = factors.each_ref().map(|at| format!("{} · {}", name(0, at), name(1, at)));
    let sides = factors
        .iter()
        .flat_map(|at| [0, 1].map(|side| (side, at)))
        .filter(|(side, at)| !is_number(*side, at));
    let links = sides.map(|(side, at)| subject.link(side, &operands[side], &at[side]));
    let account = Account::words(words.join(if part == 0 { " - " } else { " + " }));
    Some(account.figures(Calc::products(&left, &right)).from(links).following(2))
}

/// An element of `x @ weight.T + bias`.
pub(crate) fn linear(subject: &Subject) -> Option<Account> {
    let (x, weight) = (subject.operand(0)?, subject.operand(1)?);
    let single = weight.tensor.ndim() == 1;
    let (&out, lead) = if single { (&0, subject.index()) } else { subject.index().split_last()? };
    let last = x.tensor.ndim() - 1;
    let row = |at: usize| if single { vec![at] } else { vec![out, at] };
    let at: Vec<[Vec<usize>; 2]> =
        (0..x.tensor.shape()[last]).map(|at| [with(lead, last, at), row(at)]).collect();
    let weight_name = if single { subject.called(1) } else { subject.called(1).element(&[out]) };
    let names = [row_name(subject, 0, &x, lead), weight_name];
    let lines = ProductTerms { places: [0, 1], operands: [x, weight], names, at };
    let Some(bias) = subject.operand(2) else { return Some(lines.account(subject)) };
    let bias_at = bias.broadcast(subject.index());
    let add = bias.value(&bias_at);
    let link = subject.link(2, &bias, &bias_at);
    let (a, b) = (lines.values(0), lines.values(1));
    let Calc::Sum(mut sum) = Calc::products(&a, &b) else { return None };
    sum.push(Calc::Number(add));
    let terms: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x * y).chain([add]).collect();
    let account = Account::words(format!("{} + {}", lines.words(), link.what)).figures(Calc::Sum(sum));
    let account = account.figures(Calc::terms(terms)).led("the largest term");
    Some(account.from(lines.links(subject)).from([link]).following(2))
}

/// An element of an einsum: a sum over all letters that the result does not have.
pub(crate) fn einsum(subject: &Subject) -> Option<Account> {
    let Some(Arg::Str(equation)) = subject.param("equation") else { return None };
    let operands = subject.operands(1);
    let (inputs, output) = spelled(equation, operands.iter().map(|it| it.tensor.ndim())).ok()?;
    // The letters that are summed over, and their sizes.
    let mut free: Vec<(usize, usize)> = Vec::new();
    for (operand, input) in operands.iter().zip(&inputs) {
        for (&label, &size) in input.iter().zip(operand.tensor.shape()).filter(|it| !output.contains(it.0)) {
            match free.iter_mut().find(|known| known.0 == label) {
                Some(known) => known.1 = known.1.max(size),
                None => free.push((label, size)),
            }
        }
    }
    if free.iter().any(|letter| letter.0 >= ELLIPSIS) {
        return None;
    }
    let fixed = |label: &usize| output.iter().position(|it| it == label).map(|at| subject.index()[at]);
    let index = |input: &[usize], operand: &PastOperand, turn: &[usize]| -> Vec<usize> {
        let at = |label: &usize| {
            let summed = free.iter().position(|free| free.0 == *label).map(|place| turn[place]);
            summed.or_else(|| fixed(label)).unwrap_or(0)
        };
        let sizes = input.iter().zip(operand.tensor.shape());
        sizes.map(|(label, &size)| if size == 1 { 0 } else { at(label) }).collect()
    };
    let sizes: Vec<usize> = free.iter().map(|letter| letter.1).collect();
    let (mut products, mut largest) = (Vec::new(), (0.0, Vec::new()));
    for turn in indices(&sizes) {
        let at: Vec<Vec<usize>> =
            operands.iter().zip(&inputs).map(|(operand, input)| index(input, operand, &turn)).collect();
        let factors: Vec<f64> = operands.iter().zip(&at).map(|(operand, at)| operand.value(at)).collect();
        let product: f64 = factors.iter().product();
        if product.abs() > largest.0 || largest.1.is_empty() {
            let links = operands.iter().zip(&at).map(|(operand, at)| subject.listed(operand, at));
            largest = (product.abs(), links.collect());
        }
        products.push(Calc::Product(numbers(&factors)));
    }
    let terms: Vec<f64> = products.iter().map(Calc::value).collect();
    let summed: String = free.iter().map(|free| letter(free.0)).collect();
    let name = |(operand, input): (&PastOperand, &Vec<usize>)| {
        let at = |label: &usize| fixed(label).map_or_else(|| letter(*label).to_string(), |at| at.to_string());
        let name = subject.names.operand(&subject.made.record, operand);
        if input.is_empty() { name } else { name.sliced(&input.iter().map(at).collect::<Vec<_>>()) }
            .to_string()
    };
    let names: Vec<String> = operands.iter().zip(&inputs).map(name).collect();
    let over = if summed.is_empty() { String::new() } else { format!(", summed over {summed}") };
    let words = format!("einsum '{}': {}{over}", equation.replace(' ', ""), names.join(" · "));
    let mut account = Account::words(words).figures(Calc::Sum(products));
    if operands.len() > 1 && terms.len() > 1 {
        account = account.figures(Calc::terms(terms)).led("the largest term");
    }
    let follow = largest.1.len().min(2);
    Some(account.from(largest.1).following(follow))
}
