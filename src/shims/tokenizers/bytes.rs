//! Bytes as characters that can be seen: how a byte-level vocabulary writes them.
//! Source: `bytes_to_unicode` of GPT-2's encoder.

/// The character of each byte: itself if it is printed, else the next character from U+0100 on.
pub(super) fn letter(byte: u8) -> char {
    let (low, soft) = (u32::from(byte), 0xAD);
    let printed = |code: u32| matches!(code, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    if printed(low) {
        return char::from(byte);
    }
    let place = match low {
        0..=0x20 => low,
        0x7F..=0xA0 => low - 0x7F + 0x21,
        _ => low - soft + 0x43,
    };
    char::from_u32(0x100 + place).expect("a character below U+0144")
}

/// The byte of such a character.
pub(super) fn byte(letter: char) -> Option<u8> {
    match u32::from(letter) {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => u8::try_from(code).ok(),
        code @ 0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        code @ 0x121..=0x142 => u8::try_from(code - 0x121 + 0x7F).ok(),
        0x143 => Some(0xAD),
        _ => None,
    }
}
