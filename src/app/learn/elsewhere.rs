//! What other rooms do for the walk: one function each, so that the walk knows them by name only.
//! Room: app.

use super::super::desk::Desk;
use super::super::step::element_of;
use crate::explain;
use crate::view::learn::remark;
use crate::view::panel::worked;
use crate::view::{Look, Text};

/// Where an element comes from, `depth` steps down.
pub fn why(element: &str, _depth: usize, desk: &mut Desk, look: Look) -> Text {
    let found = element_of(element).and_then(|(name, index)| {
        let tensor = desk.session.tensor(name).ok().flatten()?;
        explain::worked(&tensor, &index, &desk.names())
    });
    match found {
        Some(found) => worked(&found.lines(), look),
        None => remark(&format!("{element} was given, not worked out; or there is no such element."), look),
    }
}
