//! What a trained model makes of a sentence, as a page to share.

use crate::lesson::trained::{Head, Looked};
use crate::view::html::{Page, PagePart, page};
use crate::view::look::{figure_of, logit_parts, looking_word, most_looked_at};
use crate::view::picture::Picture;
use crate::view::{Look, Text};

/// Texts on the page are those of `--plain`.
const PLAIN: Look = Look { width: 88, colour: false, plain: true };
/// How many next words are shown.
const NEXT: usize = 10;

/// The page: the likeliest next words, the maps of the heads layer by layer, and what the logit of a word is made of. Of the heads
/// in `without`, which are switched off, the maps say so.
pub(crate) fn look_page(looked: &Looked, without: &[Head]) -> String {
    let mut parts = vec![PagePart::Heading("Next words".to_owned())];
    let next = || looked.next.iter().take(NEXT);
    let bars =
        |name: &str, shares: Vec<(String, f64)>| PagePart::Picture(Picture::Bars(name.to_owned(), shares));
    let off: Vec<String> = without.iter().map(Head::to_string).collect();
    if off.is_empty() {
        parts.push(bars("probability", next().map(|it| (it.word.clone(), it.share)).collect()));
    } else {
        parts.push(bars("with all heads", next().map(|it| (it.word.clone(), it.whole)).collect()));
        let name = format!("without {}", off.join(", "));
        parts.push(bars(&name, next().map(|it| (it.word.clone(), it.share)).collect()));
    }
    parts.push(PagePart::Heading("Where each head looks".to_owned()));
    parts.push(PagePart::Remark(format!(
        "Rows are words that look, columns words that are looked at; the darker, the larger the weight. Below the maps: where {} \
         looked.",
        looking_word(looked)
    )));
    for layer in 1..=looked.weights.len() {
        let heads = || looked.heads().filter(|head| head.layer == layer);
        parts.push(PagePart::Picture(Picture::Maps(heads().map(|head| figure_of(looked, head)).collect())));
        let said = |head: Head| {
            let off = if without.contains(&head) { ", switched off" } else { "" };
            format!("head {head}{off}: {}", most_looked_at(looked, looked.row(head)))
        };
        parts.push(PagePart::Worked(heads().map(said).collect()));
    }
    parts.push(PagePart::Heading("What the logit is made of".to_owned()));
    parts.push(PagePart::Worked(lines(&logit_parts(looked, PLAIN))));
    page(&Page { title: format!("{} ____", looked.text), parts, ..Page::default() })
}

fn lines(text: &Text) -> Vec<String> {
    text.characters().lines().map(str::to_owned).collect()
}
