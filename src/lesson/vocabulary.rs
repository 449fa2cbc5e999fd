//! Every word that a lesson file may use, for the parser and its faults. docs/lessons.md says what each means.

/// A fenced directive: ` ```{name} `.
pub struct Directive {
    /// Its name between the braces.
    pub name: &'static str,
    /// Its option lines (`:option: value`), or the keys of its YAML body.
    pub options: &'static [&'static str],
}

pub const DIRECTIVES: &[Directive] = &[
    Directive {
        name: "code-cell",
        options: &[
            "name", "axes", "show", "view", "why", "check", "random", "aside", "wrong", "varies", "tags",
        ],
    },
    Directive { name: "output", options: &[] },
    Directive {
        name: "predict",
        options: &["ask", "value", "choices", "code", "gives", "open", "wrong", "right", "review"],
    },
    Directive { name: "exercise", options: &["name", "title", "minutes"] },
    Directive { name: "hint", options: &[] },
    Directive { name: "solution", options: &[] },
    Directive { name: "check", options: &["asks"] },
    Directive { name: "attempt", options: &["says"] },
];

/// The pictures of `:view:`. Each takes expressions, separated by commas.
pub const VIEWS: &[&str] = &["map", "triangle", "dropped", "strip", "bars", "curve", "cost"];

/// The keys of the front matter, including the keys of Jupyter and jupytext.
pub const FRONT_MATTER: &[&str] = &[
    "id",
    "title",
    "section",
    "also",
    "tokens",
    "summary",
    "minutes",
    "needs",
    "part",
    "lang",
    "jupytext",
    "kernelspec",
];

/// The names of axes. `token`, `query` and `key` are labelled with the lesson's words.
pub(super) const AXES: &[&str] = &[
    "token", "query", "key", "feature", "d_in", "d_out", "d_k", "head", "head_dim", "batch", "row", "column",
    "case", "position", "block",
];

pub(super) fn directive(name: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|d| d.name == name)
}
