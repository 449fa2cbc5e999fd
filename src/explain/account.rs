//! What an explanation of one element is made of, before it has a name and a place.
//! Data only; the words are put on the screen elsewhere.

use super::calc::Calc;
use super::spot::Spot;

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum Says {
    /// In names: `softmax over row 1 of attn_scores`.
    Words(String),
    /// The same in figures; its value is the element's.
    Figures(Calc),
    /// In words, where it ends or what should be known besides.
    Note(String),
}

/// An element that another one was worked out from.
#[derive(Clone, Debug)]
pub struct Link {
    /// What it is called: `inputs[1,0]`.
    pub what: String,
    /// Which element, when.
    pub spot: Spot,
}

/// Where the way down ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
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

impl End {
    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            End::Given => "given",
            End::Constant => "constant",
            End::Drawn => "drawn",
            End::Forgotten => "forgotten",
            End::Unrecorded => "unrecorded",
            End::Unknown => "unknown",
        }
    }
}

/// How one element came of its operation.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The lines, in order.
    pub says: Vec<Says>,
    /// The elements it was worked out from, the most telling first.
    pub links: Vec<Link>,
    /// How many of them are followed where no more is asked.
    pub follow: usize,
    /// What those are that are followed: `the largest term`.
    pub lead: Option<&'static str>,
    /// Whether the element is another one as it is: it is followed without a step down.
    pub through: bool,
    /// Where the way down ends.
    pub end: Option<End>,
}

impl Account {
    /// The formula in names.
    pub fn words(text: impl Into<String>) -> Account {
        Account { says: vec![Says::Words(text.into())], follow: 1, ..Account::default() }
    }

    /// The formula in figures.
    pub fn figures(mut self, calc: Calc) -> Account {
        self.says.push(Says::Figures(calc));
        self
    }

    /// What should be known besides.
    pub fn note(mut self, text: impl Into<String>) -> Account {
        self.says.push(Says::Note(text.into()));
        self
    }

    /// The elements it was worked out from, most telling first.
    pub fn from(mut self, links: impl IntoIterator<Item = Link>) -> Account {
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
    pub fn passing(mut self, link: Link) -> Account {
        self.links = vec![link];
        self.through = true;
        self
    }

    /// The way down ends here.
    pub fn ending(mut self, end: End) -> Account {
        self.end = Some(end);
        self
    }
}
