//! The explanation of one element in terms of its operation: statements, the elements it was computed from, where it ends.

use serde::Serialize;

use super::calc::Calc;
use super::storage_element::StorageElement;

/// How many of the elements that one was computed from can be explained further, the most important ones.
pub(crate) const LINKS: usize = 32;

#[derive(Clone, PartialEq)]
pub enum Statement {
    /// A formula in names: `softmax over row 1 of attn_scores`.
    Words(String),
    /// The same formula in numbers. Its value is the element.
    Figures(Calc),
    /// A remark in words.
    Note(String),
}

/// An element that another one was computed from.
#[derive(Clone)]
pub(crate) struct SourceElement {
    /// Its name: `inputs[1,0]`.
    pub(crate) what: String,
    pub(crate) element: StorageElement,
}

/// Why an explanation goes no further.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyEnd {
    /// The number is written in the learner's code.
    Given,
    /// An operation without operands made it: zeros, ones, arange.
    Constant,
    #[serde(rename = "drawn")]
    RandomDraws,
    /// It is a gradient, and what backward computed was not recorded.
    Gradient,
    /// The record was dropped to bound memory.
    Forgotten,
    /// Recording was turned off.
    Unrecorded,
    /// No record of it exists.
    Unknown,
}

/// How one element follows from the operation that made it.
#[derive(Clone, Default)]
pub struct Account {
    /// The statements, in order: the formula in names, then in numbers, and remarks.
    pub statements: Vec<Statement>,
    /// The elements it was computed from, the most important first.
    pub(crate) links: Vec<SourceElement>,
    /// How many of them are explained by default.
    pub(crate) follow: usize,
    /// What those are: `the largest term`.
    pub(crate) lead: Option<&'static str>,
    /// Whether the element equals its source, as in a copy: the source is explained in its place.
    pub(crate) through: bool,
    /// Why the explanation goes no further, if it ends here.
    pub end: Option<WhyEnd>,
}

impl Account {
    /// An account that begins with a formula in names.
    pub(crate) fn words(text: impl Into<String>) -> Account {
        Account { statements: vec![Statement::Words(text.into())], follow: 1, ..Account::default() }
    }

    /// Adds another formula in names.
    pub(crate) fn and(mut self, text: impl Into<String>) -> Account {
        self.statements.push(Statement::Words(text.into()));
        self
    }

    /// Adds the formula in numbers.
    pub(crate) fn figures(mut self, calc: Calc) -> Account {
        self.statements.push(Statement::Figures(calc));
        self
    }

    /// Adds a remark.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Account {
        self.statements.push(Statement::Note(text.into()));
        self
    }

    /// Adds the elements it was computed from, the most important first.
    pub(crate) fn from(mut self, links: impl IntoIterator<Item = SourceElement>) -> Account {
        self.links.extend(links);
        self
    }

    /// Sets how many of them are explained by default.
    pub(crate) fn following(mut self, follow: usize) -> Account {
        self.follow = follow;
        self
    }

    pub(crate) fn led(mut self, lead: &'static str) -> Account {
        self.lead = Some(lead);
        self
    }

    /// Sets the one element that it equals.
    pub(crate) fn passing(mut self, link: SourceElement) -> Account {
        self.links = vec![link];
        self.through = true;
        self
    }

    /// Sets why the explanation goes no further.
    pub(crate) fn ending(mut self, end: WhyEnd) -> Account {
        self.end = Some(end);
        self
    }
}
