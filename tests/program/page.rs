//! Pages to share: every number explained, nothing asked of the network, nothing of a stranger's text interpreted; and the
//! page in a browser, where there is one.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::browser::Browser;

fn attn(args: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_attn"))
        .args(args)
        .env("ATTN_STATE_DIR", "tests/cmd/nobody")
        .output()
        .expect("the program runs");
    (String::from_utf8(output.stdout).expect("a page is UTF-8"), output.status.code().unwrap_or(-1))
}

/// The page's own data.
fn data(page: &str) -> Value {
    let start = page.find("id=\"data\">").expect("there is data") + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").expect("it ends");
    serde_json::from_str(&page[start..end]).expect("it is JSON")
}

/// Tensor and offset of each cell of each table, as the script counts them.
fn cells(page: &str) -> Vec<(u64, u64)> {
    let attribute = |tag: &str, name: &str| {
        let after = tag.split(&format!(" {name}=\"")).nth(1)?;
        after.split('"').next().map(|it| it.parse::<u64>().expect("it is a number"))
    };
    let mut all = Vec::new();
    for table in page.split("<table").skip(1).map(|it| it.split("</table>").next().unwrap_or_default()) {
        let Some(tensor) = attribute(table, "data-t") else { continue };
        let mut next = attribute(table, "data-from").expect("a table says where it begins");
        let body = table.split("<tbody>").nth(1).expect("a table has a body");
        for cell in body.split("<td").skip(1) {
            let tag = cell.split('>').next().unwrap_or_default();
            if tag.contains("gap") {
                continue;
            }
            all.push((tensor, attribute(tag, "data-e").unwrap_or(next)));
            next += 1;
        }
    }
    all
}

/// Nothing of the page makes a browser ask for something: addresses are only those of links.
fn asks_for_nothing(page: &str, name: &str) {
    for word in [" src=", "<link", "<img", "<iframe", "@import", "url(", "srcset", "http-equiv=\"refresh\""] {
        assert!(!page.contains(word), "{name}: {word}");
    }
    for (at, _) in page.match_indices("://") {
        let before = &page[at.saturating_sub(60)..at];
        let is_link = before.contains("<a rel=\"noreferrer noopener\" href=\"") || before.contains("\"#");
        let is_text = !before.rsplit('<').next().unwrap_or_default().contains("href");
        assert!(is_link || is_text, "{name}: {before}");
    }
    assert!(page.contains("default-src &#39;none&#39;"), "{name}");
}

/// Every other lesson: the pages of two that follow each other have the same kinds of tables.
#[test]
fn every_number_of_a_lesson_is_explained_in_a_small_page() {
    let catalogue = crate::course::catalogue();
    let mut all = 0;
    for lesson in catalogue.lessons().step_by(2) {
        let lesson = lesson.expect("the lessons can be read");
        let (page, code) = attn(&["export", &lesson.id, "--format", "html"]);
        assert_eq!(code, 0, "{}", lesson.id);
        assert!(page.len() < 400_000, "{}: {} bytes", lesson.id, page.len());
        asks_for_nothing(&page, &lesson.id);
        let data = data(&page);
        let lines = data["lines"].as_array().expect("there are lines").len() as u64;
        let tensors = data["tensors"].as_array().expect("there are tensors");
        let mut explained = std::collections::HashSet::new();
        for (number, tensor) in tensors.iter().enumerate() {
            for why in tensor["whys"].as_array().expect("they are explained") {
                let offset = why[0].as_u64().expect("an offset");
                let own = why[1].as_array().expect("lines");
                assert!(!own.is_empty(), "{}: {} [{offset}]", lesson.id, tensor["name"]);
                assert!(own.iter().all(|line| line.as_u64().is_some_and(|line| line < lines)));
                let from = why[2].as_array().expect("sources");
                for run in from.chunks(4) {
                    let of = &tensors[run[0].as_u64().expect("a tensor") as usize]["shape"];
                    let count: u64 =
                        of.as_array().expect("a shape").iter().map(|it| it.as_u64().unwrap_or(0)).product();
                    let [first, step, many] = [1, 2, 3].map(|at| run[at].as_u64().expect("a number"));
                    assert!(first + step * (many - 1) < count, "{}: {run:?} of {of}", lesson.id);
                }
                explained.insert((number as u64, offset));
            }
        }
        for cell in cells(&page) {
            all += 1;
            assert!(explained.contains(&cell), "{}: {cell:?} is not explained", lesson.id);
        }
    }
    assert!(all > 900, "{all} cells");
}

/// The sources of an element are those of its formula: a row of the weights and a column of the inputs.
#[test]
fn an_element_names_what_it_was_computed_from() {
    let (page, _) = attn(&["export", "3.3.2", "--format", "html"]);
    let data = data(&page);
    let tensors = data["tensors"].as_array().expect("there are tensors");
    let named = |name: &str| {
        let found = tensors.iter().rposition(|tensor| tensor["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is on the page")) as u64
    };
    let (context, weights, inputs) = (named("all_context_vecs"), named("attn_weights"), named("inputs"));
    let why = &tensors[context as usize]["whys"][4];
    assert_eq!(why[0], 4);
    // Element [1,1]: row 1 of the weights, elements 6 to 11; column 1 of the inputs, every third from 1.
    let mut runs: Vec<Vec<u64>> = why[2]
        .as_array()
        .expect("sources")
        .chunks(4)
        .map(|run| run.iter().map(|it| it.as_u64().expect("a number")).collect())
        .collect();
    runs.sort();
    let mut expected = vec![vec![weights, 6, 1, 6], vec![inputs, 1, 3, 6]];
    expected.sort();
    assert_eq!(runs, expected);
    let line =
        |number: &Value| data["lines"][number.as_u64().expect("a line") as usize].as_str().expect("text");
    let lines: Vec<&str> = why[1].as_array().expect("lines").iter().map(line).collect();
    assert!(
        lines.iter().any(|line| line.contains("attn_weights[1]") && line.contains("inputs")),
        "{lines:?}"
    );
}

/// A stranger's notebook: text that would end an element, run code or ask for something is shown as it is.
const HOSTILE: &str = r##"{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# <b>Mine</b>\n", "<script>alert(1)</script> <img src=x onerror=alert(2)>\n\n", "![p](https://example.org/p.png) [j](javascript:alert(3)) [w](https://example.org/?a=\"b&c) `</code><i>`\n\n", "<div onclick=alert(4)>\n"]},
 {"cell_type": "code", "id": "b", "metadata": {}, "outputs": [], "execution_count": null, "source": ["import torch\n", "# </code></pre><script>alert(5)</script>\n", "x = torch.tensor([1.0, 2.0])\n", "print('</samp><svg onload=alert(6)> \\x1b[31m \\u202e')"]},
 {"cell_type": "code", "id": "c", "metadata": {}, "outputs": [], "execution_count": null, "source": ["raise ValueError('</pre><script>alert(7)</script>')"]}]}"##;

#[test]
fn what_others_wrote_is_shown_and_not_interpreted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hostile.ipynb");
    std::fs::write(&file, HOSTILE).expect("it can be written");
    let (page, code) = attn(&["export", file.to_str().expect("a path"), "--format", "html"]);
    assert_eq!(code, 3, "the last cell raises");
    asks_for_nothing(&page, "hostile");
    assert_eq!(page.matches("<script").count(), 2, "the page's own");
    assert_eq!(page.matches("<svg").count(), 0);
    for word in ["<b>", "<i>", "<div onclick", "onerror=alert(2)>", "href=\"javascript", "\u{1b}", "\u{202e}"]
    {
        assert!(!page.contains(word), "{word}");
    }
    for shown in
        ["&lt;/samp&gt;&lt;svg onload=alert(6)&gt;", "\\u{1b}[31m", "\\u{202e}", "&lt;script&gt;alert(7)"]
    {
        assert!(page.contains(shown), "{shown}");
    }
}

/// In a browser: pointing and the keyboard show a calculation and light up its sources; nothing is asked of the network and
/// nothing goes wrong, in both themes and on a narrow screen.
#[test]
#[allow(clippy::print_stdout, reason = "a test that was skipped says so")]
fn a_page_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else {
        println!("skipped: there is no chromedriver");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let (page, _) = attn(&["export", "split-heads", "--format", "html"]);
    std::fs::write(&file, page).expect("it can be written");
    for (width, theme) in [(1200, "light"), (1200, "dark"), (390, "light"), (390, "dark")] {
        browser.opens(Path::new(&file), width, theme);
        let seen = browser.runs(
            "const cell = document.querySelector('table[data-t] tbody td:not(.gap)');
             cell.scrollIntoView({ block: 'center' });
             cell.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
             const panel = document.getElementById('why');
             return { said: panel.textContent, lit: document.querySelectorAll('td.f1').length,
                      further: document.querySelectorAll('td.f2').length,
                      shown: getComputedStyle(panel).display !== 'none',
                      wide: document.documentElement.scrollWidth <= window.innerWidth + 1,
                      paper: getComputedStyle(document.body).backgroundColor };",
        );
        let said = seen["said"].as_str().expect("text");
        assert!(said.contains("context_vecs[0,0,0]") && said.contains("= 0.3190"), "{said}");
        assert!(seen["lit"].as_u64() > Some(2) && seen["further"].as_u64() > Some(5), "{seen}");
        assert_eq!((&seen["shown"], &seen["wide"]), (&true.into(), &true.into()), "{width} {theme}: {seen}");
        assert_eq!(seen["paper"] == "rgb(20, 23, 28)", theme == "dark", "{seen}");
        let keys = browser.runs(
            "const cell = document.querySelector('table[data-t] tbody td[tabindex=\"0\"]');
             const press = (key) => document.activeElement.dispatchEvent(
               new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
             cell.focus(); press('ArrowDown'); press('ArrowRight'); press('Enter');
             const at = document.querySelector('td.at');
             const said = document.querySelector('#why .head').textContent;
             const kept = document.getElementById('why').classList.contains('kept');
             press('Escape');
             return { at: at === document.activeElement, said, kept,
                      left: document.querySelectorAll('td.at, td.f1, td.f2').length };",
        );
        assert!(keys["said"].as_str().is_some_and(|said| said.starts_with("context_vecs[0,1,1]")), "{keys}");
        assert_eq!((&keys["at"], &keys["kept"], &keys["left"]), (&true.into(), &true.into(), &0.into()));
        let chosen = browser.runs(
            "const group = document.querySelector('.chooser'); const inputs = group.querySelectorAll('input');
             inputs[2].click();
             const figure = group.closest('figure');
             const shown = Array.from(figure.querySelectorAll('table')).filter((it) => it.offsetParent !== null);
             return { choices: inputs.length, shown: shown.length };",
        );
        assert_eq!((&chosen["choices"], &chosen["shown"]), (&3.into(), &1.into()), "all, 0 and 1: {chosen}");
        assert_eq!(browser.log("browser"), Vec::<String>::new(), "{width} {theme}");
        let asked = browser.asked_for();
        assert!(asked.iter().all(|address| address.starts_with("file://")), "{asked:?}");
    }
}
