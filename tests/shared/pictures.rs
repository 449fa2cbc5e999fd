//! Reads pictures back from what a terminal was sent, by the specifications of the protocols and without attn's own code.
#![allow(dead_code, reason = "each test program uses a part of it")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Red, green and blue of each pixel, from the top left.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    pub wide: usize,
    pub high: usize,
    pub rgb: Vec<[u8; 3]>,
}

/// The pixels of a PNG file.
pub fn png(bytes: &[u8]) -> Pixels {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!(frame.color_type, png::ColorType::Rgb);
    let rgb = pixels.chunks_exact(3).map(|it| [it[0], it[1], it[2]]).collect();
    Pixels { wide: frame.width as usize, high: frame.height as usize, rgb }
}

/// The texts between two others.
pub fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    let parts = text.split(from).skip(1);
    parts.map(|part| part.split_once(to).unwrap_or_else(|| panic!("{from:?} has no end")).0).collect()
}

/// The keys of the first chunk of a picture in kitty's protocol, and the file that all chunks are.
pub fn kitty(sent: &str) -> (Vec<(String, String)>, Vec<u8>) {
    let chunks = between(sent, "\x1b_G", "\x1b\\");
    let mut keys = Vec::new();
    let mut text = String::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let (named, data) = chunk.split_once(';').expect("keys and data");
        let named: Vec<(String, String)> = named
            .split(',')
            .map(|key| {
                key.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).expect("a key")
            })
            .collect();
        let more = if at + 1 < chunks.len() { "1" } else { "0" };
        assert!(
            named.contains(&("m".to_owned(), more.to_owned())),
            "chunk {at} of {}: {named:?}",
            chunks.len()
        );
        assert!(data.len() <= 4096 && (more == "0" || data.len() % 4 == 0), "{}", data.len());
        if at == 0 {
            keys = named;
        }
        text.push_str(data);
    }
    (keys, STANDARD.decode(text).expect("base64"))
}

/// The settings of a picture in iTerm's protocol, and the file.
pub fn iterm(sent: &str) -> (String, Vec<u8>) {
    let file = between(sent, "\x1b]1337;File=", "\x07")[0];
    let (settings, data) = file.split_once(':').expect("settings and data");
    (settings.to_owned(), STANDARD.decode(data).expect("base64"))
}

/// The pixels that a VT340 shows for the first picture in sixels, and how many colours it has.
pub fn sixel(sent: &str) -> (Pixels, usize) {
    let body = between(sent, "\x1bP", "\x1b\\")[0];
    let (_, body) = body.split_once('q').expect("a picture in sixels");
    let mut letters = body.chars().peekable();
    let numbers = |letters: &mut std::iter::Peekable<std::str::Chars>| -> Vec<usize> {
        let mut text = String::new();
        while let Some(letter) = letters.next_if(|letter| letter.is_ascii_digit() || *letter == ';') {
            text.push(letter);
        }
        text.split(';').map(|number| number.parse().expect("a number")).collect()
    };
    let (mut wide, mut high, mut rgb) = (0, 0, Vec::new());
    let mut colours: Vec<[u8; 3]> = Vec::new();
    let (mut colour, mut column, mut top, mut count) = (0, 0, 0, 1);
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                let [across, down, w, h] = numbers(&mut letters)[..] else { panic!("four numbers") };
                assert_eq!((across, down), (1, 1), "pixels are square");
                (wide, high, rgb) = (w, h, vec![None; w * h]);
            }
            '#' => match numbers(&mut letters)[..] {
                [number] => colour = number,
                [number, 2, red, green, blue] => {
                    assert_eq!(number, colours.len());
                    assert!(red <= 100 && green <= 100 && blue <= 100);
                    colours.push([red, green, blue].map(|percent| (percent * 255 / 100) as u8));
                }
                ref other => panic!("{other:?}"),
            },
            '!' => count = numbers(&mut letters)[0],
            '$' => column = 0,
            '-' => (column, top) = (0, top + 6),
            '?'..='~' => {
                for _ in 0..std::mem::replace(&mut count, 1) {
                    for row in (0..6).filter(|row| (letter as u8 - b'?') >> row & 1 == 1) {
                        assert!(column < wide && top + row < high, "a pixel is outside of the picture");
                        let pixel: &mut Option<[u8; 3]> = &mut rgb[(top + row) * wide + column];
                        assert!(pixel.is_none(), "a pixel is drawn once");
                        *pixel = Some(colours[colour]);
                    }
                    column += 1;
                }
            }
            other => panic!("{other:?} is no part of a picture"),
        }
    }
    let rgb = rgb.into_iter().map(|pixel| pixel.expect("every pixel is drawn")).collect();
    (Pixels { wide, high, rgb }, colours.len())
}
