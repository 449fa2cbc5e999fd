//! For each mistake code that has it and code that does not, from `docs/mistakes.md`.

use super::mistake::Mistake;

const PAGE: &str = include_str!("../../../docs/mistakes.md");

/// Code with a mistake, and the same without it. Both are whole programs.
pub struct Example {
    /// The doctor finds the mistake in it.
    pub wrong: &'static str,
    /// The doctor finds nothing in it.
    pub right: &'static str,
}

pub fn example_of(mistake: &Mistake) -> Option<Example> {
    let heading = format!("\n## {} ", mistake.code);
    let section = &PAGE[PAGE.find(&heading)? + heading.len()..];
    let section = section.split("\n## ").next().unwrap_or(section);
    let mut blocks = section.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next());
    Some(Example { wrong: blocks.next()?, right: blocks.next()? })
}
