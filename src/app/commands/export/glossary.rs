//! The glossary inside an export: links to terms lead to their entries at its end, since the export stands alone.

use std::collections::BTreeSet;

use super::material::{ExportPart, Material};
use crate::lesson::glossary::{Glossary, Term};
use crate::lesson::terms::ADDRESS;
use crate::view::markdown::joined;

/// Where links to a term lead within an export: `#glossary-head`.
const INSIDE: &str = "#glossary-";

/// Markdown whose links to the glossary's file lead to the entries in this export.
pub(super) fn linked_inside(text: &str) -> String {
    text.replace(&format!("]({ADDRESS}"), &format!("]({INSIDE}"))
}

/// The entries to which the text of the export links, and those to which these link; empty without links.
pub(super) fn glossary_part(material: &Material) -> String {
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for part in &material.parts {
        match part {
            ExportPart::Step(run) if !run.silent => {
                for text in [&run.panel.prose, &run.panel.after] {
                    wanted.extend(slugs(text));
                }
                run.asked.iter().for_each(|asked| wanted.extend(slugs(&asked.ask)));
            }
            ExportPart::Step(_) => {}
            ExportPart::Exercise(exported) => {
                wanted.extend(slugs(&exported.exercise.task));
                wanted.extend(slugs(&exported.exercise.after));
            }
        }
    }
    entries(&material.glossary, wanted)
}

fn entries(glossary: &Glossary, mut wanted: BTreeSet<String>) -> String {
    let linked = |slug: &String| glossary.terms.iter().find(|term| term.slug == *slug);
    loop {
        let more: BTreeSet<String> =
            wanted.iter().filter_map(linked).flat_map(|term| slugs(&term.text)).collect();
        let before = wanted.len();
        wanted.extend(more);
        if wanted.len() == before {
            break;
        }
    }
    let terms: Vec<&Term> = glossary.terms.iter().filter(|term| wanted.contains(&term.slug)).collect();
    if terms.is_empty() {
        return String::new();
    }
    let mut parts = vec!["# Glossary".to_owned()];
    for Term { name, slug, text, .. } in terms {
        let anchor = format!("{}{slug}", INSIDE.trim_start_matches('#'));
        parts.push(format!("<a id=\"{anchor}\"></a>**{name}**: {}", inner_links(text.trim())));
    }
    joined(&parts)
}

/// The text of an entry, whose links to other entries are within the glossary's own file.
fn inner_links(text: &str) -> String {
    linked_inside(&text.replace("](#", &format!("]({INSIDE}")))
}

/// The slugs of the terms to which a text links.
fn slugs(text: &str) -> Vec<String> {
    let starts = [format!("]({ADDRESS}"), "](#".to_owned()];
    let after = starts.iter().flat_map(|start| text.split(start.as_str()).skip(1));
    after.filter_map(|rest| rest.split_once(')')).map(|(slug, _)| slug.to_owned()).collect()
}
