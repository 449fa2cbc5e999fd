//! Bars as a table that is drawn.

use super::escape::escape;
use crate::view::heat::Bar;

/// Bars with their names and values: a table that is drawn.
pub(super) fn bars(title: &str, bars: &[Bar]) -> String {
    let greatest = bars.iter().map(|bar| bar.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let mut out =
        format!("<div class=\"scroll\"><table class=\"bars\"><caption>{}</caption><tbody>\n", escape(title));
    for bar in bars {
        let level = if greatest > 0.0 { (bar.value / greatest).clamp(0.0, 1.0) } else { 0.0 };
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td><svg width=\"200\" height=\"14\" aria-hidden=\"true\"><rect class=\"bar\" width=\"{:.1}\" height=\"14\"/></svg></td><td>{}</td></tr>\n",
            escape(&bar.name),
            level * 200.0,
            escape(&bar.text)
        ));
    }
    out + "</tbody></table></div>\n"
}
