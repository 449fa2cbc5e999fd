//! Writes what the cells of a lesson show into its text, each output under its cell. All else stays as it is.

use super::markdown::{BlockKind, MarkdownBlock, blocks, fenced};

/// The text of a lesson with these outputs, each with the line of its cell's code. A cell that shows nothing has no output.
pub(crate) fn with_outputs(text: &str, outputs: &[(usize, &str)]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let blocks = blocks(text);
    let end = |block: &MarkdownBlock| block.range.start + text[block.range.clone()].trim_end().len();
    let mut written = text.to_owned();
    // From the end: the places of what is before do not change.
    for (at, cell) in blocks.iter().enumerate().rev().filter(|(_, block)| is_directive(block, "{code-cell}"))
    {
        let lines = text[cell.range.clone()].lines().count();
        let Some((_, shown)) = outputs.iter().find(|(line, _)| (cell.line..cell.line + lines).contains(line))
        else {
            continue;
        };
        let next = blocks[at + 1..].iter().find(|block| block.kind != BlockKind::Html);
        let fence = fenced("{output}", shown).replace('\n', newline);
        match (next.filter(|block| is_directive(block, "{output}")), fence.is_empty()) {
            (Some(output), false) => written.replace_range(output.range.start..end(output), &fence),
            (Some(output), true) => written.replace_range(end(cell)..end(output), ""),
            (None, false) => written.insert_str(end(cell), &format!("{newline}{fence}")),
            (None, true) => {}
        }
    }
    written
}

fn is_directive(block: &MarkdownBlock, name: &str) -> bool {
    matches!(&block.kind, BlockKind::Fence { info, .. } if info.starts_with(name))
}
