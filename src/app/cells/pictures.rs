//! The pictures of a step, with the names of axes and tokens.

use super::figures::{StepNames, figure};
use crate::lesson::pictures::PictureContent;
use crate::lesson::{Lesson, Step};
use crate::session::{Session, Variable};
use crate::shims::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure};
use crate::view::Picture;
use crate::view::storage::StorageView;

/// The pictures of a step that has just run. A picture that cannot be drawn is left out; `attn check` reports it.
pub(crate) fn pictures(step: &Step, lesson: &Lesson, session: &mut Session) -> Vec<Picture> {
    let drawn: Vec<PictureContent> =
        step.views.iter().filter_map(|view| view.picture(step, session).ok()).collect();
    let names = StepNames::of(step, lesson);
    let options = *session.state().print_options.borrow();
    let figure = |named: &Variable| figure(&named.name, &named.value, Some(names), &options);
    let picture = |drawn: PictureContent| match drawn {
        PictureContent::Maps(all) => Picture::Maps(all.iter().map(figure).collect()),
        PictureContent::Triangle(all) => Picture::Triangle(all.iter().map(figure).collect()),
        PictureContent::Dropped(before, after) => {
            Picture::Dropped(Box::new((figure(&before), figure(&after))))
        }
        PictureContent::Strips(strips) => {
            let base = strips.strips[0].of.name.clone();
            let unit = &strips.unit;
            let legend =
                format!("Each sign tells which {unit} of {base} the number belongs to, 0 the first.");
            let axes = names.axes(&base);
            let axis = axes.get(strips.axis).map(std::slice::from_ref).unwrap_or_default();
            let words = names.labels(axis, &[strips.tokens]).pop().flatten();
            let one = |strip: crate::lesson::pictures::StorageStrip| {
                let shown = figure(&strip.of);
                let tensor = &strip.of.value;
                let mut facts = shown.named_shape();
                if strip.copied {
                    facts.push_str(", a copy");
                }
                let last_two = tensor.shape().iter().rev().take(2).product();
                let page = if tensor.ndim() > 2 { last_two } else { 0 };
                StorageView {
                    name: strip.of.name,
                    facts,
                    tokens: strip.owners,
                    run: tensor.shape().iter().skip(1).last().copied().unwrap_or(1),
                    page,
                }
            };
            let legend = if words.is_some() { String::new() } else { legend };
            let strips = strips.strips.into_iter().map(one).collect();
            Picture::Strips { strips, tokens: words.unwrap_or_default(), legend }
        }
        PictureContent::Bars(name, bars) => Picture::Bars(name, bars),
        PictureContent::Curves(unit, curves) => Picture::Plot(Box::new(plotted(unit, curves))),
        PictureContent::Costs(costs) => Picture::Costs(costs),
    };
    drawn.into_iter().map(picture).collect()
}

/// Curves of numbers one after the other, side by side, by one scale that includes zero.
fn plotted(unit: String, curves: Vec<(String, Vec<f64>)>) -> PlottedFigure {
    let all = curves.iter().flat_map(|(_, values)| values).copied().filter(|value| value.is_finite());
    let (low, high) = all.fold((0f64, 0f64), |(low, high), value| (low.min(value), high.max(value)));
    let one = |(title, y): (String, Vec<f64>)| PlottedAxes {
        title,
        x: PlottedAxis { label: unit.clone(), ..PlottedAxis::default() },
        y: PlottedAxis { limits: Some(vec![low, high]), ..PlottedAxis::default() },
        marks: vec![Mark {
            kind: MarkKind::Line,
            label: None,
            x: (0..y.len()).map(|at| at as f64).collect(),
            y,
            to: Vec::new(),
            rows: Vec::new(),
            names: Vec::new(),
            text: String::new(),
        }],
        ..PlottedAxes::default()
    };
    PlottedFigure { axes: curves.into_iter().map(one).collect(), ..PlottedFigure::default() }
}
