//! What a terminal answers when it is asked which pictures it shows, and what was typed between the answers.
//! Sources: xterm's "XTerm Control Sequences" (DA1, XTVERSION, XTWINOPS, XTSMGRAPHICS), "The kitty graphics protocol",
//! iTerm2's "Proprietary Escape Codes" (ReportCellSize).

use crate::view::graphics::Protocol;

/// The terminals that show iTerm's pictures, by the beginning of the name that they answer with.
const AS_ITERM: [&str; 3] = ["iTerm2", "WezTerm", "mintty"];

/// The answers of a terminal so far.
#[derive(Clone, Default, PartialEq)]
pub struct Answers {
    /// Whether it takes pictures in kitty's protocol.
    pub kitty: bool,
    pub sixel: bool,
    pub name: String,
    /// Whether it answered the question that only iTerm's protocol has.
    pub iterm: bool,
    /// The pixels of a character from left to right and from top to bottom.
    pub cell: Option<(u16, u16)>,
    /// How many colours a picture in sixels can have.
    pub colours: Option<usize>,
    /// Whether the last question is answered.
    pub ended: bool,
    pub typed: Vec<u8>,
}

impl Answers {
    /// Reads what came from the terminal: answers and keys. Of an answer whose end is missing nothing is used.
    pub fn of(bytes: &[u8]) -> Answers {
        let mut answers = Answers::default();
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            let (sequence, after) = match (first, after.first()) {
                // Device Control, Application Program and Operating System Commands: strings with an end.
                (0x1b, Some(kind @ (b'P' | b'_' | b']'))) => {
                    let Some((body, after)) = string(&after[1..], *kind == b']') else { break };
                    answers.string(*kind, &String::from_utf8_lossy(body));
                    (None, after)
                }
                (0x1b, Some(b'[')) => {
                    let end = after[1..].iter().position(|byte| (0x40..=0x7e).contains(byte));
                    let Some(end) = end else { break };
                    let (sequence, after) = after.split_at(end + 2);
                    (Some(&sequence[1..]), after)
                }
                _ => {
                    answers.typed.push(*first);
                    (None, after)
                }
            };
            if let Some(sequence) = sequence
                && !answers.control(sequence)
            {
                // An arrow or another key that sends a sequence.
                answers.typed.extend_from_slice(b"\x1b[");
                answers.typed.extend_from_slice(sequence);
            }
            rest = after;
        }
        answers
    }

    /// How pictures are sent to this terminal: PNG where it takes PNG.
    pub fn protocol(&self) -> Option<Protocol> {
        let as_iterm = self.iterm || AS_ITERM.iter().any(|name| self.name.starts_with(name));
        match self {
            _ if self.kitty => Some(Protocol::Kitty),
            _ if as_iterm => Some(Protocol::Iterm),
            _ if self.sixel => Some(Protocol::Sixel),
            _ => None,
        }
    }

    /// Reads an answer that is a string.
    fn string(&mut self, kind: u8, body: &str) {
        match kind {
            b'_' => {
                if let Some((keys, said)) = body.strip_prefix('G').and_then(|body| body.split_once(';')) {
                    self.kitty |= keys.split(',').any(|key| key == "i=31") && said == "OK";
                }
            }
            b'P' => {
                if let Some(name) = body.strip_prefix(">|") {
                    self.name = name.to_owned();
                }
            }
            _ => {
                if let Some(sizes) = body.strip_prefix("1337;ReportCellSize=") {
                    self.iterm = true;
                    // Points from top to bottom and from left to right, and how many pixels a point has.
                    let numbers: Vec<f64> = sizes.split(';').filter_map(|it| it.parse().ok()).collect();
                    if let [high, wide, ref scale @ ..] = numbers[..] {
                        let pixels =
                            |points: f64| (points * scale.first().copied().unwrap_or(1.0)).round() as u16;
                        self.cell = self.cell.or(sizes_of(pixels(wide), pixels(high)));
                    }
                }
            }
        }
    }

    /// Reads an answer that is a control sequence, without its beginning. `false`: it is none, but a key.
    fn control(&mut self, sequence: &[u8]) -> bool {
        let Some((last, body)) = sequence.split_last() else { return false };
        let body = String::from_utf8_lossy(body);
        let private = body.strip_prefix('?');
        let numbers: Vec<u16> =
            private.unwrap_or(&body).split(';').map(|it| it.parse().unwrap_or(0)).collect();
        match (last, private.is_some(), numbers.as_slice()) {
            // The first number is the class of the terminal.
            (b'c', true, [_, features @ ..]) => {
                self.ended = true;
                self.sixel |= features.contains(&4);
                true
            }
            (b'S', true, [1, 0, colours, ..]) => {
                self.colours = Some(usize::from(*colours));
                true
            }
            (b't', false, [6, high, wide]) => {
                self.cell = sizes_of(*wide, *high).or(self.cell);
                true
            }
            // Other reports: no key sends a `?`, a `t` or a `c`.
            (_, true, _) | (b't' | b'c', ..) => true,
            _ => false,
        }
    }
}

/// The size of a character, if it is one that a terminal can have.
fn sizes_of(wide: u16, high: u16) -> Option<(u16, u16)> {
    ((2..=200).contains(&wide) && (4..=400).contains(&high)).then_some((wide, high))
}

/// The text of a string and what follows its end. A bell ends an Operating System Command too.
fn string(bytes: &[u8], ends_in_bell: bool) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == 0x1b || (ends_in_bell && *byte == 0x07))?;
    match bytes[at] {
        0x07 => Some((&bytes[..at], &bytes[at + 1..])),
        _ if bytes.get(at + 1) == Some(&b'\\') => Some((&bytes[..at], &bytes[at + 2..])),
        // Something else begins: the string has no end.
        _ => bytes.get(at + 1).map(|_| (&[][..], &bytes[at..])),
    }
}
