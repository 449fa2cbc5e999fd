//! Every word that a lesson file may use, with its meaning: tables for the parser and its faults.

/// A word and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct VocabularyWord {
    /// The word.
    pub name: &'static str,
    /// Its meaning, in one line.
    pub line: &'static str,
}

/// A fenced directive: ` ```{name} `.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// Its name between the braces.
    pub name: &'static str,
    /// Its meaning, in one line.
    pub line: &'static str,
    /// Its option lines (`:option: value`), or the keys of its YAML body.
    pub options: &'static [VocabularyWord],
}

const fn word(name: &'static str, line: &'static str) -> VocabularyWord {
    VocabularyWord { name, line }
}

/// All directives.
pub const DIRECTIVES: &[Directive] = &[
    Directive {
        name: "code-cell",
        line: "one step: code that is run",
        options: &[
            word("name", "a stable slug, unique in the chapter: letters, digits, hyphens"),
            word("axes", "names of axes: \"attn_scores: query key; inputs: token feature\""),
            word("show", "tensors to show as tables, separated by commas; none for no table"),
            word(
                "view",
                "pictures, separated by semicolons, each with its expressions: map attn_weights; strip x, x.transpose(0, 1)",
            ),
            word("why", "one element to explain: attn_scores_2[1]"),
            word("check", "invariants, separated by semicolons: rows of attn_weights sum to 1"),
            word("random", "book or mkl: the family of random numbers that was recorded"),
            word("aside", "true: no later step uses this cell"),
            word("wrong", "true: the cell shows a mistake on purpose, and attn doctor skips it"),
            word("varies", "true: the output has times or other values that vary; it is not compared"),
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
            word("choices", "a list of {text, because, right, also}"),
            word("wrong", "usual wrong answers: a list of {value, because}"),
            word("right", "the remark on the right answer"),
            word("tolerance", "how far from the value counts as right"),
            word("review", "the step of an earlier lesson that the question goes back to"),
        ],
    },
    Directive {
        name: "exercise",
        line: "code that the learner completes; the prose before it is the task",
        options: &[
            word("name", "a stable slug"),
            word("title", "a short title for the list"),
            word("minutes", "how long it takes"),
        ],
    },
    Directive { name: "hint", line: "a hint; each says more than the one before", options: &[] },
    Directive { name: "solution", line: "code that passes the check", options: &[] },
    Directive {
        name: "check",
        line: "assertions that are run after the learner's code",
        options: &[word("asks", "one plain sentence: what the check asks of the code")],
    },
    Directive {
        name: "attempt",
        line: "a wrong solution, and the message of the check",
        options: &[word("says", "words of the check's message")],
    },
];

/// The pictures of `:view:`. Each takes expressions, separated by commas.
pub const VIEWS: &[VocabularyWord] = &[
    word("map", "heat maps side by side, with one scale: map attn_weights, dropped"),
    word("triangle", "which keys each query may see; 0, False and -inf are hidden: triangle attn_weights"),
    word(
        "dropped",
        "before and after dropout side by side, with marks where an element was dropped: dropped attn_weights, out",
    ),
    word(
        "strip",
        "how each expression reads the storage of the first, token by token: strip x, x.transpose(0, 1)",
    ),
    word("bars", "a bar for each entry of a dict or each element of a tensor: bars variances"),
    word("curve", "a curve of each list of numbers, by one scale: curve losses, other_losses"),
    word("cost", "time and memory of each expression: cost plain(), fused()"),
];

/// The keys of the front matter, those of Jupyter and jupytext included.
pub const FRONT_MATTER: &[VocabularyWord] = &[
    word("id", "a stable name for the lesson"),
    word("title", "its heading"),
    word("section", "as the chapter numbers it, in quotes: \"3.3.1\"; empty if it has no number"),
    word("also", "other names of the lesson"),
    word("tokens", "the words that label token axes"),
    word("summary", "one or two sentences for the list"),
    word("minutes", "how long it takes"),
    word("needs", "ids of the lessons whose variables it uses"),
    word("lang", "of a translation: its language, such as de; the id is that of the original"),
    word("jupytext", "for Jupyter: how this file is a notebook"),
    word("kernelspec", "for Jupyter: which kernel runs it"),
];

/// The names of axes. `token`, `query` and `key` are labelled with the lesson's words.
pub const AXES: &[VocabularyWord] = &[
    word("token", "position in the text"),
    word("query", "the token that asks"),
    word("key", "the token that is asked"),
    word("feature", "one number of a token's embedding"),
    word("d_in", "input width of a projection"),
    word("d_out", "output width of a projection"),
    word("d_k", "width of a key"),
    word("head", "attention head"),
    word("head_dim", "width of one head"),
    word("batch", "text in the batch"),
    word("row", "row of a matrix without a better name"),
    word("column", "column of a matrix without a better name"),
    word("case", "one of several variants side by side"),
    word("position", "place in storage"),
];

/// The directive with this name.
pub(crate) fn directive(name: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|d| d.name == name)
}
