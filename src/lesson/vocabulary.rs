//! Every word a lesson file may use, with what it means: one table for the parser, the errors and the help.
//! Data only.

/// A word and one line about it.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// As it is written.
    pub name: &'static str,
    /// What it means.
    pub line: &'static str,
}

/// A fenced directive: ` ```{name} `.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// As it is written between the braces.
    pub name: &'static str,
    /// What it means.
    pub line: &'static str,
    /// Option lines (`:option: value`) it may start with, or the keys of its YAML body.
    pub options: &'static [Word],
}

const fn word(name: &'static str, line: &'static str) -> Word {
    Word { name, line }
}

/// All directives.
pub const DIRECTIVES: &[Directive] = &[
    Directive {
        name: "code-cell",
        line: "one step: code that is run",
        options: &[
            word("name", "a stable slug, unique in the chapter: letters, digits, hyphens"),
            word("axes", "names of axes: \"attn_scores: query key; inputs: token feature\""),
            word("show", "tensors worth a table, by commas; none for no table"),
            word(
                "view",
                "pictures, by semicolons, each with what it shows: map attn_weights; strip x, x.transpose(0, 1)",
            ),
            word("why", "one element worth a worked line: attn_scores_2[1]"),
            word("check", "invariants, by semicolons: rows of attn_weights sum to 1"),
            word("random", "book or mkl: the family of random numbers that was recorded"),
            word("aside", "true: no later step builds on this cell"),
            word("wrong", "true: the cell shows a mistake on purpose, and attn doctor passes over it"),
            word("varies", "true: the output holds times or the like and is shown, not compared"),
            word("tags", "Jupyter's cell tags: [raises-exception] for a cell that fails on purpose"),
        ],
    },
    Directive { name: "output", line: "what the cell above it printed, as recorded", options: &[] },
    Directive {
        name: "predict",
        line: "a question asked before the next cell runs; YAML",
        options: &[
            word("ask", "the question, Markdown"),
            word("shape", "a tensor whose shape is the answer; evaluated after the cell"),
            word("value", "an expression whose value is the answer; evaluated after the cell"),
            word("choices", "a list of {text, because, right}"),
            word("wrong", "usual wrong answers: a list of {value, because}"),
            word("right", "what to say to the right answer"),
            word("tolerance", "how far from the value counts as right"),
        ],
    },
    Directive {
        name: "exercise",
        line: "code the learner finishes; the prose before it is the task",
        options: &[
            word("name", "a stable slug"),
            word("title", "a few words for the list"),
            word("minutes", "how long it takes"),
        ],
    },
    Directive { name: "hint", line: "a hint; each says more than the one before", options: &[] },
    Directive { name: "solution", line: "code that passes the check", options: &[] },
    Directive { name: "check", line: "assertions that are run after the learner's code", options: &[] },
    Directive {
        name: "attempt",
        line: "a wrong solution, and what the check must say to it",
        options: &[word("says", "words that stand in the check's message")],
    },
];

/// The pictures of `:view:`. Each takes expressions, by commas.
pub const VIEWS: &[Word] = &[
    word("map", "heat maps side by side, shaded by one scale: map attn_weights, dropped"),
    word("triangle", "which keys each query may see; 0, False and -inf are hidden: triangle attn_weights"),
    word(
        "dropped",
        "before and after dropout side by side, what was dropped marked: dropped attn_weights, out",
    ),
    word(
        "strip",
        "how each expression reads the storage of the first, by tokens: strip x, x.transpose(0, 1)",
    ),
    word("bars", "a bar for each entry of a dict or each element of a tensor: bars variances"),
    word("cost", "time and memory that it takes to work each expression out: cost plain(), fused()"),
];

/// Keys of the front matter. Keys of Jupyter and jupytext may stand beside them.
pub const FRONT_MATTER: &[Word] = &[
    word("id", "a stable name for the lesson"),
    word("title", "its heading"),
    word("section", "as the chapter numbers it, in quotes: \"3.3.1\""),
    word("also", "further names that find it"),
    word("tokens", "the words that label token axes"),
    word("summary", "one or two sentences for the list"),
    word("minutes", "how long it takes"),
    word("needs", "ids of lessons whose variables it goes on with"),
    word("jupytext", "for Jupyter: how this file is a notebook"),
    word("kernelspec", "for Jupyter: which kernel runs it"),
];

/// Names of axes. `token`, `query` and `key` are labelled with the lesson's words.
pub const AXES: &[Word] = &[
    word("token", "position in the text"),
    word("query", "the token that asks"),
    word("key", "the token that is asked"),
    word("feature", "one number of a token's embedding"),
    word("d_in", "width of what goes into a projection"),
    word("d_out", "width of what comes out of a projection"),
    word("d_k", "width of a key"),
    word("head", "attention head"),
    word("head_dim", "width of one head"),
    word("batch", "text in the batch"),
    word("row", "row of a matrix that has no better name"),
    word("column", "column of a matrix that has no better name"),
    word("case", "one of several variants laid side by side"),
    word("position", "place in storage"),
];

/// The directive with this name.
pub fn directive(name: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|d| d.name == name)
}
