//! The heads of a model in a folder: its sizes, the grid of layers by heads with what each head does, and the table of
//! the heads that do it most.

use crate::lesson::trained::{Head, HeadDoes, Looked, Sizes};
use crate::tensor::size_in_words;
use crate::view::columns::labelled;
use crate::view::quantity::{counted, grouped};
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::{remark, wrap};

/// What a head can do: the letter in the grid, its name, and its share.
type Work = (char, &'static str, fn(&HeadDoes) -> Option<f64>);

const WORKS: [Work; 4] = [
    ('p', "previous word", |head| head.previous),
    ('f', "first word", |head| head.first),
    ('s', "same word", |head| head.same),
    ('i', "induction", |head| head.induction),
];
/// A smaller share is not named.
const NAMED: f64 = 0.3;
/// How many heads the table has for each work.
const LISTED: usize = 5;

/// The work of a head that has the largest share, if that is large enough.
fn work(head: &HeadDoes) -> Option<(&'static Work, f64)> {
    let shares = WORKS.iter().filter_map(|work| Some((work, work.2(head)?)));
    shares.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, share)| *share >= NAMED)
}

/// What a config says: the parameters, the heads, and the cache with as many heads of keys and values as the model has,
/// with one for each head of queries, and with one.
pub fn sizes(name: &str, sizes: &Sizes, look: Look) -> Text {
    let paragraph = |role, words: String| wrap((role, words), look.text_width(), 0, 0);
    let mut text = paragraph(Role::Strong, format!("{name}: {}", sizes.architecture));
    let weights = format!(
        "{} parameters, {} in float32; {} of {} with {} numbers each, {} wide; {} tokens are known, and {} are read at once",
        grouped(sizes.parameters),
        unbroken(&size_in_words(sizes.bytes() as f64)),
        counted(sizes.layers, "layer"),
        counted(sizes.heads, "head"),
        sizes.head_dim,
        grouped(sizes.width as u64),
        grouped(sizes.vocabulary as u64),
        grouped(sizes.context_length as u64),
    );
    text.append(paragraph(Role::Prose, weights));
    text.gap();
    let sign = if look.plain { "" } else { "; → is this model" };
    let words = format!("The cache in float32, for each token and for all that are read at once{sign}:");
    text.append(paragraph(Role::Prose, words));
    let mut kinds = vec![(sizes.heads, "multi-head"), (1, "multi-query")];
    if sizes.kv_heads > 1 && sizes.kv_heads < sizes.heads {
        kinds.insert(1, (sizes.kv_heads, "grouped"));
    }
    for (heads, kind) in kinds {
        let own = heads == sizes.kv_heads;
        let one = sizes.cache_bytes(heads);
        let all = size_in_words(one as f64 * sizes.context_length as f64);
        if look.plain {
            let own = if own { ", this model" } else { "" };
            text.say(
                Role::Prose,
                format!("{kind}, {heads}: {} bytes a token, {all} in all{own}", grouped(one)),
            );
            continue;
        }
        let role = if own { Role::Strong } else { Role::Label };
        let mut line = Line::new().with(role, format!("{} {kind}, {heads}", if own { "→" } else { " " }));
        line.fill(17);
        line.push(Role::Number, format!("{:>9}", size_in_words(one as f64)));
        text.line(line.with(Role::Number, format!("{all:>10}")));
    }
    text
}

/// Layers by heads: what each head does, and its share in percent where there is room.
pub fn head_grid(looked: &Looked, without: &[Head], look: Look) -> Text {
    let mut text = Text::new();
    let heads = looked.heads.first().map_or(0, Vec::len);
    let column = |layer: usize, head: usize| Head { layer: layer + 1, head: head + 1 };
    if look.plain {
        for (layer, row) in looked.heads.iter().enumerate() {
            for (head, does) in row.iter().enumerate() {
                let words = match work(does) {
                    _ if without.contains(&column(layer, head)) => "switched off".to_owned(),
                    Some(((_, name, _), share)) => format!("{name} {share:.2}"),
                    None => "none of these".to_owned(),
                };
                text.say(Role::Prose, format!("head {}: {words}", column(layer, head)));
            }
        }
        return text;
    }
    let label = looked.heads.len().to_string().len() + 7;
    let room = look.text_width().saturating_sub(label);
    let wide = if heads * 4 <= room {
        4
    } else if heads * 2 <= room {
        2
    } else {
        1
    };
    for first in (0..heads).step_by((room / wide).max(1)) {
        let shown = first..heads.min(first + (room / wide).max(1));
        let mut part = Text::new();
        let mut line = Line::new().with(Role::Dim, "head");
        // In narrow columns, only every tenth head and the first are numbered.
        let mut free = 0;
        for head in shown.clone() {
            let place = label + (head - first) * wide;
            if place >= free && (wide == 4 || head == first || (head + 1) % 10 == 0) {
                line.fill(place);
                line.push(Role::Dim, (head + 1).to_string());
                free = line.width() + 1;
            }
        }
        part.line(line);
        for (layer, row) in looked.heads.iter().enumerate() {
            let mut line = Line::new().with(Role::Dim, format!("layer {}", layer + 1));
            line.fill(label);
            for head in shown.clone() {
                let (role, cell) = match work(&row[head]) {
                    _ if without.contains(&column(layer, head)) => {
                        (Role::Dim, if wide == 4 { "off" } else { "-" }.to_owned())
                    }
                    Some(((letter, _, _), share)) if wide == 4 => {
                        let percent = (share * 100.0).round().min(99.0);
                        (Role::Heat(share as f32), format!("{letter}{percent:02}"))
                    }
                    Some(((letter, _, _), share)) => (Role::Heat(share as f32), letter.to_string()),
                    None => (Role::Dim, "·".to_owned()),
                };
                line.push(role, cell);
                line.fill(label + (head - first + 1) * wide);
            }
            part.line(line);
        }
        text.section(part);
    }
    text
}

/// What the letters of the grid mean.
pub fn head_legend(look: Look) -> Text {
    let words = format!(
        "Where each head looks, on average over the words that look: p at the word before, f at the first word, s at earlier \
         places of the same word, i at the word after an earlier place of the same word, in random words said twice \
         (induction). The largest of the four is shown if it has {:.0} % of the weight, with the percents where there is \
         room. --head 1.2 opens one.",
        NAMED * 100.0
    );
    remark(&words, look)
}

/// For each work the heads that do it most.
pub fn head_table(looked: &Looked, look: Look) -> Text {
    let mut text = Text::new();
    let column = WORKS.iter().map(|(_, name, _)| name.len()).max().unwrap_or(0) + 2;
    for (_, name, share) in WORKS {
        let heads = looked.heads.iter().enumerate().flat_map(|(layer, row)| {
            row.iter().enumerate().map(move |(head, does)| (Head { layer: layer + 1, head: head + 1 }, does))
        });
        let mut heads: Vec<(Head, f64)> =
            heads.filter_map(|(head, does)| Some((head, share(does)?))).collect();
        heads.sort_by(|one, other| other.1.total_cmp(&one.1));
        heads.truncate(LISTED);
        let listed: Vec<String> =
            heads.iter().map(|(head, share)| unbroken(&format!("{head} {share:.2}"))).collect();
        let words =
            if listed.is_empty() { "no word of the text comes again".to_owned() } else { listed.join(", ") };
        text.append(labelled(name, Role::Label, (Role::Number, &words), column, look));
    }
    text
}
