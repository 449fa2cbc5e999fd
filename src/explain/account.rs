//! What an explanation of one element is made of, before it has a name and a place.
//! Data only; the words are put on the screen elsewhere.

use super::calc::Calc;
use super::spot::StorageElement;

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// In names: `softmax over row 1 of attn_scores`.
    Words(String),
    /// The same in figures; its value is the element's.
    Figures(Calc),
    /// In words, where it ends or what should be known besides.
    Note(String),
}

/// An element that another one was worked out from.
#[derive(Clone, Debug)]
pub struct SourceElement {
    /// What it is called: `inputs[1,0]`.
    pub what: String,
    /// Which element, when.
    pub spot: StorageElement,
}

/// Where the way down ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyEnd {
    /// A number in the learner's code, or a list of such.
    Given,
    /// The same number everywhere, or a pattern: zeros, ones, arange.
    Constant,
    /// A random number.
    Drawn,
    /// The record was let go to bound memory.
    Forgotten,
    /// Recording was turned off.
    Unrecorded,
    /// Nothing is known of it.
    Unknown,
}

impl WhyEnd {
    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            WhyEnd::Given => "given",
            WhyEnd::Constant => "constant",
            WhyEnd::Drawn => "drawn",
            WhyEnd::Forgotten => "forgotten",
            WhyEnd::Unrecorded => "unrecorded",
            WhyEnd::Unknown => "unknown",
        }
    }
}

/// How one element came of its operation.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The lines, in order.
    pub statements: Vec<Statement>,
    /// The elements it was worked out from, the most telling first.
    pub links: Vec<SourceElement>,
    /// How many of them are followed where no more is asked.
    pub follow: usize,
    /// What those are that are followed: `the largest term`.
    pub lead: Option<&'static str>,
    /// Whether the element is another one as it is: it is followed without a step down.
    pub through: bool,
    /// Where the way down ends.
    pub end: Option<WhyEnd>,
}

impl Account {
    /// The formula in names.
    pub fn words(text: impl Into<String>) -> Account {
        Account { statements: vec![Statement::Words(text.into())], follow: 1, ..Account::default() }
    }

    /// The formula in figures.
    pub fn figures(mut self, calc: Calc) -> Account {
        self.statements.push(Statement::Figures(calc));
        self
    }

    /// What should be known besides.
    pub fn note(mut self, text: impl Into<String>) -> Account {
        self.statements.push(Statement::Note(text.into()));
        self
    }

    /// The elements it was worked out from, most telling first.
    pub fn from(mut self, links: impl IntoIterator<Item = SourceElement>) -> Account {
        self.links.extend(links);
        self
    }

    /// How many of them are followed.
    pub fn following(mut self, follow: usize) -> Account {
        self.follow = follow;
        self
    }

    /// What those are that are followed.
    pub fn led(mut self, lead: &'static str) -> Account {
        self.lead = Some(lead);
        self
    }

    /// It is that other element as it is.
    pub fn passing(mut self, link: SourceElement) -> Account {
        self.links = vec![link];
        self.through = true;
        self
    }

    /// The way down ends here.
    pub fn ending(mut self, end: WhyEnd) -> Account {
        self.end = Some(end);
        self
    }
}
