//! What the trained model makes of a sentence: the likeliest next words, where each head looked, and what a logit is made of.

use unicode_width::UnicodeWidthStr;

use crate::lesson::trained::{Head, LogitPart, Looked};
use crate::view::figure::Figure;
use crate::view::heat::{self, bar_of};
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::{remark, wrap};

/// Weights below this are not named.
const NAMED: f64 = 0.1;
/// A cell of a small map is filled from this weight on.
const FILLED: f64 = 0.25;
/// How many next words are shown.
const NEXT: usize = 5;
/// How many parts of a logit are shown.
const PARTS: usize = 20;

/// A share of 1 in percent: `58 %`, `<1 %`.
fn percent(share: f64) -> String {
    match share * 100.0 {
        share if share > 0.0 && share < 0.5 => "<1 %".to_owned(),
        share => format!("{share:.0} %"),
    }
}

/// A sentence up to its gap.
pub fn gap(sentence: &str, look: Look) -> Text {
    wrap((Role::Strong, format!("{sentence} ____")), look.text_width(), 0, 0)
}

/// The likeliest next words with bars, of which a whole one is 100 %; where heads are switched off, with the probabilities
/// before.
pub fn next_words(looked: &Looked, look: Look) -> Text {
    let changed = looked.next.iter().any(|next| next.share != next.whole);
    // Of a model that is sure of nothing, no word would be left.
    let likely = looked.next.iter().filter(|next| next.share.max(next.whole) >= 0.005).count();
    let shown: Vec<_> = match changed && likely > 0 {
        true => looked.next.iter().filter(|next| next.share.max(next.whole) >= 0.005).collect(),
        false => looked.next.iter().take(NEXT).collect(),
    };
    let names = shown.iter().map(|next| next.word.width()).max().unwrap_or(0) + 2;
    // The rest of the line is for `100 % → 100 %`.
    let longest = look.width.saturating_sub(names + 15).clamp(4, 40);
    let mut text = Text::new();
    for next in shown {
        let number = match changed {
            true => format!("{} → {}", percent(next.whole), percent(next.share)),
            false => percent(next.share),
        };
        if look.plain {
            text.say(Role::Prose, format!("{}: {number}", next.word));
            continue;
        }
        let mut line = Line::new().with(Role::Label, &next.word);
        line.fill(names);
        line.push(Role::Heat(0.4), bar_of(next.share, longest));
        line.push(Role::Number, format!(" {number}"));
        text.line(line);
    }
    text
}

/// The word that looks, with its number where the sentence has it more than once.
pub fn looking_word(looked: &Looked) -> String {
    let number =
        if is_repeated(looked, looked.at) { format!(" (word {})", looked.at + 1) } else { String::new() };
    format!("\"{}\"{number}", looked.words[looked.at])
}

fn is_repeated(looked: &Looked, at: usize) -> bool {
    looked.words.iter().filter(|other| **other == looked.words[at]).count() > 1
}

/// The sentence as text, each word shaded by the weight that a head gives to it, with the largest weights below the words.
pub fn shaded(looked: &Looked, head: Head, look: Look) -> Text {
    let row = looked.row(head);
    if look.plain {
        let words = format!("head {head} from {}: {}", looking_word(looked), most_looked_at(looked, row));
        return wrap((Role::Prose, words), look.width, 0, 2);
    }
    let (mut text, mut words, mut numbers) = (Text::new(), Line::new(), Line::new());
    let flush = |text: &mut Text, words: &mut Line, numbers: &mut Line| {
        text.line(std::mem::take(words));
        if numbers.width() > 0 {
            text.line(std::mem::take(numbers));
        }
    };
    for (at, word) in looked.words.iter().enumerate() {
        let weight = row.get(at).copied().unwrap_or(0.0);
        let sides = match weight {
            w if w >= 0.5 => "▓▓",
            w if w >= FILLED => "▓",
            w if w >= NAMED => "░",
            _ => "",
        };
        let number = if weight >= NAMED { format!("{weight:.2}") } else { String::new() };
        let shown = format!("{sides}{word}{sides}");
        let width = shown.width().max(number.width());
        if words.width() > 0 && words.width() + 1 + width > look.text_width() {
            flush(&mut text, &mut words, &mut numbers);
        }
        let start = if words.width() > 0 { words.width() + 1 } else { 0 };
        words.fill(start);
        let role = match (at == looked.at, weight >= NAMED) {
            (_, true) => Role::Heat(weight as f32),
            (true, false) => Role::Strong,
            (false, false) => Role::Prose,
        };
        words.push(role, &shown);
        words.fill(start + width);
        if !number.is_empty() {
            numbers.fill(start + (width - number.width()) / 2);
            numbers.push(Role::Number, number);
        }
    }
    flush(&mut text, &mut words, &mut numbers);
    text
}

/// The words that get a weight of at least [`NAMED`], the largest first.
pub(crate) fn most_looked_at(looked: &Looked, row: &[f64]) -> String {
    let mut named = largest_first(row.to_vec());
    named.retain(|(_, weight)| *weight >= NAMED);
    let named: Vec<String> =
        named.iter().map(|(at, weight)| format!("{} {weight:.2}", word_named(looked, *at))).collect();
    if named.is_empty() { "no word gets 0.10 or more".to_owned() } else { named.join(", ") }
}

/// Values and their places, the largest first, without their signs.
fn largest_first(values: Vec<f64>) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = values.into_iter().enumerate().collect();
    all.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    all
}

/// A word, with its number where the sentence has it more than once.
fn word_named(looked: &Looked, at: usize) -> String {
    let number = if is_repeated(looked, at) { format!(" ({})", at + 1) } else { String::new() };
    looked.words[at].clone() + &number
}

/// The maps of all heads side by side, four cells to a character, with the word that got most of the last row below each.
pub fn grid(looked: &Looked, without: &[Head], look: Look) -> Text {
    let mut text = Text::new();
    let most = |head: Head| {
        let row = looked.row(head);
        let most = (0..row.len()).max_by(|one, other| row[*one].total_cmp(&row[*other])).unwrap_or(0);
        (word_named(looked, most), row[most])
    };
    if look.plain {
        for head in looked.heads() {
            let (word, weight) = most(head);
            let off = if without.contains(&head) { ", switched off" } else { "" };
            text.say(Role::Prose, format!("head {head}: {word} {weight:.2}{off}"));
        }
        return text;
    }
    let small = |head: Head| {
        let mut map = Text::new();
        let off = without.contains(&head);
        map.say(
            if off { Role::Dim } else { Role::Strong },
            format!("{head}{}", if off { " off" } else { "" }),
        );
        map.append(quadrants(looked.map(head), looked.words.len()));
        let (word, weight) = most(head);
        let line = Line::new().with(Role::Label, format!("{word} "));
        map.line(line.with(Role::Number, format!("{weight:.2}")));
        map
    };
    let mut maps: Vec<Text> = looked.heads().map(small).collect();
    let widest = maps.iter().map(Text::width).max().unwrap_or(0);
    let abreast = ((look.width + 3) / (widest + 3)).max(1);
    let heads = looked.weights.first().map_or(1, Vec::len);
    // Layers begin on a new row where the heads of one fit.
    let abreast = if abreast >= heads { heads } else { abreast };
    maps.iter_mut().for_each(|map| map.lines[0].fill(widest));
    for row in maps.chunks(abreast) {
        text.section(Text::beside(row, 3));
    }
    text
}

/// A map in which one character has two rows and two columns; a quarter is filled from [`FILLED`] on.
fn quadrants(map: &[Vec<f64>], size: usize) -> Text {
    const SIGNS: [char; 16] =
        ['·', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];
    let filled = |row: usize, column: usize| {
        map.get(row).and_then(|row| row.get(column)).is_some_and(|weight| *weight >= FILLED)
    };
    let mut text = Text::new();
    for row in (0..size).step_by(2) {
        let mut line = Line::new();
        for column in (0..size).step_by(2) {
            let bits = [(0, 0), (0, 1), (1, 0), (1, 1)].iter().enumerate();
            let sign = bits
                .map(|(bit, (down, right))| usize::from(filled(row + down, column + right)) << bit)
                .sum::<usize>();
            let hidden = column > row + 1;
            match (sign, hidden) {
                (0, true) => line.push(Role::Prose, " "),
                (0, false) => line.push(Role::Dim, "·"),
                _ => line.push(Role::Heat(0.8), SIGNS[sign].to_string()),
            }
        }
        text.line(line);
    }
    text
}

/// What the small maps show, in a sentence.
pub fn grid_legend(looked: &Looked, look: Look) -> Text {
    let words = format!(
        "One map a head. From top to bottom, the words that look; from left to right, the words that they look at. A dark place: \
         much weight ({FILLED} or more). Below each map: where {} looked most. --head 1.2 opens one.",
        looking_word(looked)
    );
    remark(&words, look)
}

/// One head as its full map, with words on both axes.
pub fn full_map(looked: &Looked, head: Head, look: Look) -> Text {
    if look.plain {
        let mut text = Text::new();
        for (at, row) in looked.map(head).iter().enumerate() {
            let words = format!("{}: {}", word_named(looked, at), most_looked_at(looked, row));
            text.append(wrap((Role::Prose, words), look.width, 0, 2));
        }
        return text;
    }
    heat::with_scale(&figure_of(looked, head), look)
}

/// The weights of a head as a tensor.
pub(crate) fn figure_of(looked: &Looked, head: Head) -> Figure {
    let size = looked.words.len();
    Figure {
        name: format!("head {head}"),
        dtype: "float32".to_owned(),
        shape: vec![size, size],
        values: looked.map(head).concat(),
        axes: vec!["query".to_owned(), "key".to_owned()],
        labels: vec![Some(looked.words.clone()), Some(looked.words.clone())],
        ..Figure::default()
    }
}

/// What each part of the model adds to a logit, the largest first; of a head also the words that it read.
pub fn logit_parts(looked: &Looked, look: Look) -> Text {
    let why = &looked.why;
    let first = format!("why \"{}\": its logit is {:.2} above the mean of all words", why.word, why.logit);
    let mut text = wrap((Role::Strong, first), look.text_width(), 0, 0);
    let mut parts: Vec<_> = why.parts.iter().collect();
    parts.sort_by(|one, other| other.adds.abs().total_cmp(&one.adds.abs()));
    // One more than is left out would take its line.
    let rest = if parts.len() > PARTS + 1 { parts.split_off(PARTS) } else { Vec::new() };
    let others = LogitPart {
        part: Some(format!("the other {} parts", rest.len())),
        layer: None,
        head: None,
        adds: rest.iter().map(|part| part.adds).sum(),
        words: Vec::new(),
    };
    if !rest.is_empty() {
        parts.push(&others);
    }
    let column = parts.iter().map(|part| part.name().width()).max().unwrap_or(0) + 2;
    for part in parts {
        let read = largest_first(part.words.clone());
        let read =
            read.iter().filter(|(_, adds)| adds.abs() >= 0.1 && adds.abs() >= 0.1 * part.adds.abs()).take(3);
        let read: Vec<String> = read
            .map(|(at, adds)| unbroken(&format!("{} {}", word_named(looked, *at), signed(*adds))))
            .collect();
        let name = part.name();
        if look.plain {
            let read = if read.is_empty() { String::new() } else { format!(": {}", read.join(", ")) };
            text.append(wrap((Role::Prose, format!("{name} {}{read}", signed(part.adds))), look.width, 0, 2));
            continue;
        }
        let mut first = Line::spaces(2).with(Role::Label, &name);
        first.fill(2 + column);
        first.push(Role::Number, format!("{:>7}", signed(part.adds)));
        first.push(Role::Prose, "  ");
        let below = Line::spaces(first.width().min(look.width / 2));
        let line = Line::new().with(Role::Dim, read.join(", "));
        match read.is_empty() {
            true => text.line(first),
            false => text.append(wrap(&line, look.text_width(), &first, &below)),
        }
    }
    text
}

fn signed(value: f64) -> String {
    // Not `-0.00`.
    format!("{:+.2}", if value.abs() < 0.005 { 0.0 } else { value })
}

/// How many products of a query and a key are shown, and how many other words.
const PRODUCTS: usize = 5;

/// One weight, down to the query and the key.
pub fn weight_parts(looked: &Looked, look: Look) -> Text {
    let Some(parts) = &looked.weight else { return Text::new() };
    let head = Head { layer: parts.layer, head: parts.head };
    let paragraph = |role, words: String| wrap((role, words), look.text_width(), 0, 2);
    let mut text = paragraph(
        Role::Strong,
        format!(
            "the weight of {} on \"{}\" in head {head}: {:.4}",
            looking_word(looked),
            word_named(looked, parts.to),
            parts.weight
        ),
    );
    let product = parts.products[parts.to];
    let root = (parts.query.len() as f64).sqrt();
    text.append(paragraph(
        Role::Prose,
        format!(
            "score: query · key = {product:.3}, divided by √{} = {root:.3}: {:.3}",
            parts.query.len(),
            product / root
        ),
    ));
    let each = largest_first(parts.query.iter().zip(&parts.key).map(|(query, key)| query * key).collect());
    let named = each.iter().take(PRODUCTS).map(|(at, product)| {
        unbroken(&format!("{}: {:.2} × {:.2} = {product:+.2}", at + 1, parts.query[*at], parts.key[*at]))
    });
    let named: Vec<String> = named.collect();
    let rest: f64 = each.iter().skip(PRODUCTS).map(|(_, product)| product).sum();
    let rest = if each.len() > PRODUCTS {
        format!(", the other {}: {rest:+.2}", each.len() - PRODUCTS)
    } else {
        String::new()
    };
    text.append(paragraph(
        Role::Prose,
        format!("its largest products, by their number of {}: {}{rest}", each.len(), named.join(", ")),
    ));
    // A word that is hidden, by a window, has a weight of exactly 0 and no part in the sum.
    let mut others = largest_first(parts.weights.clone());
    others.retain(|(_, weight)| *weight > 0.0);
    let score = |at: usize| parts.products[at] / root;
    let largest = others.first().map_or(0.0, |(at, _)| score(*at));
    let sum: f64 = others.iter().map(|(at, _)| (score(*at) - largest).exp()).sum();
    text.append(paragraph(
        Role::Prose,
        format!(
            "softmax, against the largest score {largest:.3}: e^({:.3}) / {sum:.4} = {:.4}",
            score(parts.to) - largest,
            (score(parts.to) - largest).exp() / sum
        ),
    ));
    let listed: Vec<String> = others
        .iter()
        .filter(|(at, _)| *at != parts.to)
        .take(PRODUCTS)
        .map(|(at, weight)| unbroken(&format!("{} {:.3} ({weight:.2})", word_named(looked, *at), score(*at))))
        .collect();
    if !listed.is_empty() {
        text.append(paragraph(Role::Dim, format!("other scores, with their weights: {}", listed.join(", "))));
    }
    text
}
