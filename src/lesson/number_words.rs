//! Numbers that are written in words: `six`, `twenty-one`, `one hundred and twenty`, `five thousand`.

/// The words below twenty, then the tens, with their values.
const UNITS: [(&str, u64); 28] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];

/// The words that multiply what is before them.
const SCALES: [(&str, u64); 3] = [("hundred", 100), ("thousand", 1_000), ("million", 1_000_000)];

/// The text with each run of number words as digits; everything else stays.
pub(super) fn with_digits(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let after_letter = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some((value, length)) = (!after_letter).then(|| number(rest)).flatten() {
            out.push_str(&value.to_string());
            rest = &rest[length..];
            continue;
        }
        let letter = rest.chars().next().expect("it is not empty");
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    out
}

/// The number at the start of a text, and the length of its words.
fn number(text: &str) -> Option<(u64, usize)> {
    let (first, mut length) = word(text, &UNITS)?;
    // What is complete up to a thousand or a million, and what is counted below it.
    let (mut whole, mut group) = (0, first);
    // The largest unit that may follow: `twenty` takes `one`, `six` takes none, `hundred` takes `twenty`.
    let mut room = room_after(first);
    loop {
        let rest = &text[length..];
        let gap = rest.len() - rest.trim_start_matches([' ', '-']).len();
        let mut skip = gap;
        if gap > 0 && rest[gap..].starts_with("and ") && room >= 100 {
            skip += "and ".len();
        }
        let next = &rest[skip..];
        if gap == 0 {
            break;
        } else if let Some((scale, taken)) = word(next, &SCALES) {
            if scale == 100 && group < 100 {
                group *= 100;
                room = 100;
            } else if scale > 100 && group > 0 {
                whole += group * scale;
                (group, room) = (0, 1000);
            } else {
                break;
            }
            length += skip + taken;
        } else if let Some((unit, taken)) = word(next, &UNITS).filter(|(unit, _)| *unit > 0 && *unit < room) {
            group += unit;
            room = room_after(unit);
            length += skip + taken;
        } else {
            break;
        }
    }
    Some((whole + group, length))
}

/// The bound of the unit that may follow this one: 10 after `twenty`, nothing after `six`.
fn room_after(unit: u64) -> u64 {
    if unit >= 20 { 10 } else { 0 }
}

/// A word of a table at the start of a text, in any case, not followed by more letters.
fn word(text: &str, table: &[(&str, u64)]) -> Option<(u64, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let end = text[length..].chars().next();
    if end.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (_, value) = table.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text[..length]))?;
    Some((*value, length))
}
