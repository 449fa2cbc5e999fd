//! What a trained model makes of a sentence, as a page to share.

use crate::lesson::trained::{Head, Looked};
use crate::view::html::Page;
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
    let mut page = Page::new(&format!("{} ____", looked.text));
    page.heading("Next words");
    let next = || looked.next.iter().take(NEXT);
    let mut bars =
        |name: &str, shares: Vec<(String, f64)>| page.picture(&Picture::Bars(name.to_owned(), shares));
    let off: Vec<String> = without.iter().map(Head::to_string).collect();
    if off.is_empty() {
        bars("probability", next().map(|it| (it.word.clone(), it.share)).collect());
    } else {
        bars("with all heads", next().map(|it| (it.word.clone(), it.whole)).collect());
        let name = format!("without {}", off.join(", "));
        bars(&name, next().map(|it| (it.word.clone(), it.share)).collect());
    }
    page.heading("Where each head looks");
    page.remark(&format!(
        "Rows are words that look, columns words that are looked at; the darker, the larger the weight. Below the maps: where {} \
         looked.",
        looking_word(looked)
    ));
    for layer in 1..=looked.weights.len() {
        let heads = || looked.heads().filter(|head| head.layer == layer);
        page.picture(&Picture::Maps(heads().map(|head| figure_of(looked, head)).collect()));
        let said = |head: Head| {
            let off = if without.contains(&head) { ", switched off" } else { "" };
            format!("head {head}{off}: {}", most_looked_at(looked, looked.row(head)))
        };
        page.worked(&heads().map(said).collect::<Vec<_>>());
    }
    page.heading("What the logit is made of");
    page.worked(&lines(&logit_parts(looked, PLAIN)));
    page.finish(&[], &[])
}

fn lines(text: &Text) -> Vec<String> {
    text.characters().lines().map(str::to_owned).collect()
}
