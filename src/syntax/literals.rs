//! What is wrong with a number, a character or an escape sequence, in CPython's words.
//! Source: CPython 3.11, `Parser/tokenizer.c` and `Objects/unicodeobject.c`.

/// A character that no token begins with.
pub(super) fn odd_character(character: char) -> String {
    let code = u32::from(character);
    let is_format = matches!(
        code,
        0xad | 0x61c | 0x180e | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff
    );
    match character.is_whitespace() || character.is_control() || is_format {
        true => format!("invalid non-printable character U+{code:04X}"),
        false => format!("invalid character '{character}' (U+{code:04X})"),
    }
}

/// The number at the start of a text. `None` if there is none.
pub(super) fn number(text: &str) -> Option<String> {
    let mut letters = text.chars();
    if !letters.next()?.is_ascii_digit() {
        return None;
    }
    let (kind, digits) = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        Some('x') if text.starts_with('0') => ("hexadecimal", 16),
        Some('o') if text.starts_with('0') => ("octal", 8),
        Some('b') if text.starts_with('0') => ("binary", 2),
        _ => {
            let zeros = text.trim_start_matches(['0', '_']);
            let leading = text.starts_with('0') && zeros.starts_with(|c: char| c.is_ascii_digit());
            return Some(match leading {
                true => "leading zeros in decimal integer literals are not permitted; use an 0o prefix for \
                         octal integers"
                    .to_owned(),
                false => "invalid decimal literal".to_owned(),
            });
        }
    };
    let rest = text[2..].trim_start_matches(|letter: char| letter.is_digit(digits));
    Some(match rest.chars().next() {
        Some(digit) if digit.is_ascii_digit() => format!("invalid digit '{digit}' in {kind} literal"),
        _ => format!("invalid {kind} literal"),
    })
}

/// The first escape sequence of a string literal that is none. `None` if all are.
pub(super) fn escape(literal: &str) -> Option<String> {
    let quotes = literal.find(['"', '\''])?;
    let is_bytes = literal[..quotes].contains(['b', 'B']);
    let body = literal[quotes..].trim_start_matches(['"', '\'']);
    // The decoder reads other characters than ASCII as escape sequences of ten.
    let width = |letter: char| if letter.is_ascii() || is_bytes { 1 } else { 10 };
    let mut letters = body.char_indices();
    let mut place = 0;
    while let Some((at, letter)) = letters.next() {
        if letter != '\\' {
            place += width(letter);
            continue;
        }
        let (_, kind) = letters.next()?;
        let digits = match kind {
            'x' => 2,
            'u' if !is_bytes => 4,
            'U' if !is_bytes => 8,
            'N' if !is_bytes => {
                let name = body[at + 2..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let (length, told) = match name {
                    Some((name, _)) => (name.len() + 4, "unknown Unicode character name"),
                    None => (2, "malformed \\N character escape"),
                };
                let end = place + length - 1;
                return Some(format!(
                    "(unicode error) 'unicodeescape' codec can't decode bytes in position {place}-{end}: {told}"
                ));
            }
            _ => {
                place += 1 + width(kind);
                continue;
            }
        };
        let given = body[at + 2..].chars().take(digits).take_while(char::is_ascii_hexdigit).count();
        let code = u32::from_str_radix(&body[at + 2..at + 2 + given], 16).unwrap_or(0);
        if is_bytes && given < digits {
            return Some(format!("(value error) invalid \\x escape at position {place}"));
        }
        let told = match () {
            () if given < digits => format!("truncated \\{kind}{} escape", "X".repeat(digits)),
            () if code > 0x0010_ffff => "illegal Unicode character".to_owned(),
            () => {
                place += 2;
                continue;
            }
        };
        let end = place + 1 + given;
        return Some(format!(
            "(unicode error) 'unicodeescape' codec can't decode bytes in position {place}-{end}: {told}"
        ));
    }
    None
}
