//! Text that is safe in HTML: what a notebook, its code or its output says is shown and never interpreted.

use crate::view::text::escape_controls;

/// Text as the content of an element or of an attribute in double quotes. Control characters and marks of direction
/// are written as `\u{1b}`.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in escape_controls(text, &['\n', '\t']).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON as the content of a `script` element: no `<` that could end it.
pub(super) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
