//! The figures that a cell plotted, as data.

use serde::{Deserialize, Serialize};

/// A figure: axes side by side or below each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlottedFigure {
    pub title: String,
    /// Its parts, from the top left to the bottom right.
    pub axes: Vec<PlottedAxes>,
}

/// One coordinate system.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlottedAxes {
    pub title: String,
    /// The axis from left to right.
    pub x: PlottedAxis,
    /// The axis from bottom to top.
    pub y: PlottedAxis,
    /// Whether the first row of a table is at the top.
    pub inverted: bool,
    pub marks: Vec<Mark>,
}

/// One of two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlottedAxis {
    pub label: String,
    /// Where it has ticks, if the cell said it.
    pub ticks: Option<Vec<f64>>,
    /// The names of the ticks, or of categories.
    pub names: Option<Vec<String>>,
    /// The ends that the cell set.
    pub limits: Option<Vec<f64>>,
    /// Whether its scale is logarithmic.
    pub log: bool,
}

/// Something drawn in axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    pub kind: MarkKind,
    /// Its name in the legend.
    pub label: Option<String>,
    /// Places from left to right; not finite where there is none.
    pub x: Vec<f64>,
    /// Places from bottom to top.
    pub y: Vec<f64>,
    /// The other side of a band.
    pub to: Vec<f64>,
    /// The rows of a table; not finite where an element is hidden.
    pub rows: Vec<Vec<f64>>,
    pub names: Vec<String>,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// A line through points.
    Line,
    /// Points alone.
    Points,
    /// The space between two lines.
    Band,
    /// A horizontal line through all of the axes.
    Level,
    /// A vertical line through all of the axes.
    Upright,
    Bars,
    /// A table of numbers as shades.
    Image,
    /// Words at a place.
    Text,
}
