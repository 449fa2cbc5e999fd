//! Constants, numbers that the code gives, and operations that are explained as a whole.

use crate::explain::account::{Account, SourceElement, WhyEnd};
use crate::explain::calc::Calc;
use crate::explain::subject::Subject;
use crate::explain::terms::figure;
use crate::tensor::explanation::ConstantKind;
use crate::tensor::show::joined;
use crate::tensor::{Arg, Site};

/// A site as text: `cell 3, line 2`.
pub(crate) fn place(site: Option<&Site>) -> String {
    site.map_or_else(|| "somewhere".to_owned(), |site| format!("{}, line {}", site.cell, site.line))
}

/// A number that was given to `torch.tensor`.
pub(crate) fn literal(subject: &Subject) -> Option<Account> {
    let words = format!("given in {}", place(subject.made.record.site.as_ref()));
    Some(Account::words(words).ending(WhyEnd::Given))
}

/// An element of a gradient. A run with backward recorded explains it further.
pub(crate) fn gradient(subject: &Subject) -> Option<Account> {
    let words = format!("a gradient that backward computed in {}", place(subject.made.record.site.as_ref()));
    Some(Account::words(words).ending(WhyEnd::Gradient))
}

/// A number that the operation puts everywhere, or by a pattern.
pub(crate) fn constant(subject: &Subject, kind: ConstantKind) -> Option<Account> {
    let op = subject.op();
    let at = place(subject.made.record.site.as_ref());
    let ending = |words: String| Account::words(words).ending(WhyEnd::Constant);
    let everywhere = || ending(format!("{op}: {} everywhere, {at}", figure(subject.value)));
    let nth = || ending(format!("{op}: number {} of the row, {at}", subject.index()[0]));
    Some(match kind {
        ConstantKind::Fill => match subject.operand(1) {
            Some(value) => {
                let link = subject.link(1, &value, &[]);
                Account::words(format!("filled with {}", link.what)).passing(link)
            }
            None => everywhere(),
        },
        ConstantKind::Everywhere => everywhere(),
        ConstantKind::Empty => ending(format!("{op}: not filled yet (attn fills it with 0), {at}")),
        ConstantKind::Identity => ending(format!("{op}: 1 on the diagonal, 0 elsewhere, {at}")),
        ConstantKind::Spaced => nth(),
        ConstantKind::Range => {
            let number = |at: usize| subject.args.get(at).and_then(Arg::number);
            let (start, step) =
                if subject.made.record.form == 0 { (0.0, 1.0) } else { (number(0)?, number(2)?) };
            let steps = Calc::Product(vec![Calc::Number(subject.index()[0] as f64), Calc::Number(step)]);
            nth().figures(Calc::Sum(vec![Calc::Number(start), steps]))
        }
    })
}

/// A result that depends on its operands as a whole.
pub(crate) fn whole(subject: &Subject) -> Option<Account> {
    let mut names = Vec::new();
    let mut links: Vec<SourceElement> = Vec::new();
    for place in 0..subject.args.len() {
        let listed = subject.operands(place);
        if listed.is_empty() {
            continue;
        }
        for operand in &listed {
            let name = subject.names.operand(&subject.made.record, operand);
            names.push(match operand.tensor.shape() {
                [] => name.to_string(),
                sizes => format!("{name} ({})", joined(sizes, ", ")),
            });
            if operand.tensor.numel() == 1 {
                links.push(subject.listed(operand, &vec![0; operand.tensor.ndim()]));
            } else if operand.tensor.shape() == &*subject.made.record.shape {
                links.push(subject.listed(operand, subject.index()));
            }
        }
    }
    let from = match names.as_slice() {
        [] => String::new(),
        names => format!(" of {}", names.join(" and ")),
    };
    let doc = subject.row().map(|row| row.doc).unwrap_or_default();
    let follow = links.len().min(1);
    let account = Account::words(format!("{}{from}, as a whole", subject.op())).from(links).following(follow);
    Some(if doc.is_empty() { account } else { account.note(doc) })
}
