//! Figures as pictures: what is sent to a terminal is decoded again, and what a terminal answers is understood.

use attn::app::terminal::graphics::Answers;
use attn::view::Look;
use attn::view::graphics::{Graphics, Protocol, iterm, kitty, picture, sixel};
use attn::view::plot::plot;

use super::pictures::{self, Pixels};
use super::plots::{DRAWN, run};

/// A sixel terminal has 101 shades of each part of a colour: half a step, and what two roundings add.
const STEP: u8 = 3;

fn bytes(pixels: &[[u8; 3]]) -> Vec<u8> {
    pixels.iter().flatten().copied().collect()
}

/// The greatest difference of two pictures in a part of a pixel, and the mean.
fn differences(a: &[[u8; 3]], b: &[[u8; 3]]) -> (u8, f64) {
    assert_eq!(a.len(), b.len());
    let each = || a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.abs_diff(*b));
    (each().max().unwrap_or(0), each().map(f64::from).sum::<f64>() / each().count() as f64)
}

/// Pictures of all sizes around a band of six rows and a run of four columns, in few colours.
#[test]
fn sixels_are_the_pixels_that_they_were() {
    for wide in 1..=9 {
        for high in 1..=13 {
            let pixels: Vec<[u8; 3]> = (0..wide * high)
                .map(|at| {
                    [(at * 37 % 5 * 60) as u8, (at / wide * 21) as u8, if at % 7 < 4 { 255 } else { 0 }]
                })
                .collect();
            let (shown, _) = pictures::sixel(&sixel::encoded(&bytes(&pixels), (wide, high), 256));
            assert_eq!((shown.wide, shown.high), (wide, high));
            let (most, _) = differences(&shown.rgb, &pixels);
            assert!(most <= STEP, "{wide} by {high}: {most}");
        }
    }
}

/// A picture of more colours than a terminal has: each pixel has a colour near its own.
#[test]
fn many_colours_become_few_that_are_near() {
    let (wide, high) = (120, 90);
    let pixels: Vec<[u8; 3]> = (0..wide * high)
        .map(|at| [(at % wide * 2) as u8, (at / wide * 2) as u8, ((at % wide + at / wide) % 256) as u8])
        .collect();
    for (most, mean) in [(256, 6.0), (16, 22.0), (2, 70.0)] {
        let (shown, colours) = pictures::sixel(&sixel::encoded(&bytes(&pixels), (wide, high), most));
        let (_, off) = differences(&shown.rgb, &pixels);
        assert_eq!(colours, most);
        assert!(off < mean, "{off} at {most} colours");
        // Where colours share one, it is the mean of their pixels.
        let mut sums = std::collections::HashMap::<[u8; 3], ([f64; 3], f64)>::new();
        for (shown, pixel) in shown.rgb.iter().zip(&pixels) {
            let sum = sums.entry(*shown).or_default();
            (0..3).for_each(|part| sum.0[part] += f64::from(pixel[part]));
            sum.1 += 1.0;
        }
        for (colour, (sum, count)) in sums {
            for part in 0..3 {
                let far = (sum[part] / count - f64::from(colour[part])).abs();
                assert!(far <= f64::from(STEP) + 1.0, "{colour:?} for a mean of {}", sum[part] / count);
            }
        }
    }
}

#[test]
fn chunks_of_kitty_and_a_file_of_iterm_are_the_png() {
    for size in [0, 1, 3071, 3072, 3073, 6144, 10_000] {
        let file: Vec<u8> = (0..size).map(|at| (at * 31 % 251) as u8).collect();
        let (keys, sent) = pictures::kitty(&kitty(&file, (40, 12)));
        assert_eq!(sent, file);
        for key in ["a=T", "f=100", "q=2", "c=40", "r=12"] {
            let (name, value) = key.split_once('=').expect("a key");
            assert!(keys.contains(&(name.to_owned(), value.to_owned())), "{key} is not in {keys:?}");
        }
        let (settings, sent) = pictures::iterm(&iterm(&file, (40, 12)));
        assert_eq!(sent, file);
        assert_eq!(settings, format!("inline=1;size={size};width=40;height=12;preserveAspectRatio=1"));
    }
}

/// The pixels of a picture that was sent, and the columns and rows that it takes.
fn shown(sent: &str, protocol: Protocol, cell: (u16, u16)) -> (Pixels, (usize, usize)) {
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let (pixels, stated) = match protocol {
        Protocol::Kitty => {
            let (keys, file) = pictures::kitty(sent);
            let key =
                |name: &str| keys.iter().find(|key| key.0 == name).map(|key| number(&key.1)).expect("a size");
            (pictures::png(&file), Some((key("c"), key("r"))))
        }
        Protocol::Iterm => {
            let (settings, file) = pictures::iterm(sent);
            let of = |name: &str| {
                number(settings.split(';').find_map(|it| it.strip_prefix(name)).expect("a size"))
            };
            (pictures::png(&file), Some((of("width="), of("height="))))
        }
        Protocol::Sixel => (pictures::sixel(sent).0, None),
    };
    let cells = (pixels.wide / usize::from(cell.0), pixels.high / usize::from(cell.1));
    assert_eq!(stated.unwrap_or(cells), cells, "the picture has the pixels of the characters that it covers");
    assert_eq!((pixels.wide, pixels.high), (cells.0 * usize::from(cell.0), cells.1 * usize::from(cell.1)));
    (pixels, cells)
}

/// Every figure fits, in windows of many sizes; the lines below begin where the picture ends; no text in a figure becomes
/// a part of what the terminal obeys.
#[test]
fn figures_fit_into_the_window() {
    for (name, code) in DRAWN {
        let figures = run(&format!("import torch\nimport matplotlib.pyplot as plt\n{code}")).figures;
        for (protocol, cell) in
            [(Protocol::Kitty, (8, 16)), (Protocol::Iterm, (20, 42)), (Protocol::Sixel, (10, 20))]
        {
            for (width, rows) in [(20, 6), (40, 9), (80, 19), (200, 60)] {
                let graphics = Graphics { protocol, cell, rows, colours: 256 };
                let look = Look { width, colour: true, plain: false, pictures: Some(graphics) };
                for figure in &figures {
                    let text = plot(figure, look);
                    let rendered = text.render(look);
                    let Some(sent) = picture(figure, width, graphics) else {
                        assert!(width < 24, "{name} at {width} columns and {rows} rows is too small");
                        assert!(!rendered.contains(['\x07', '\u{9b}']) && !rendered.contains("\x1bP"));
                        continue;
                    };
                    let (up, drawn) = rendered.split_once("A\x1b7").expect("the rows come first");
                    let (drawn, below) = drawn.split_once("\x1b8").expect("the cursor returns");
                    let (_, (wide, high)) = shown(drawn, protocol, cell);
                    assert!(wide <= width && high <= rows && high == sent.rows(), "{name}: {wide} by {high}");
                    assert_eq!(up, format!("{}\x1b[{high}", "\n".repeat(high)));
                    assert!(below.starts_with(&"\n".repeat(high)), "{name}: {below:?}");
                    assert!(!below.contains("\x1b[31m"), "{name}: {below:?}");
                    assert_eq!(text.lines.len(), below.matches('\n').count());
                    // Plain, and without pictures, it is drawn as ever.
                    for plain in [true, false] {
                        let look = Look { width: 80, colour: false, plain, pictures: None };
                        let sent = plain.then_some(graphics);
                        let other = Look { pictures: sent, ..look };
                        assert_eq!(plot(figure, other).render(other), plot(figure, look).render(look));
                    }
                }
            }
        }
    }
}

/// The shape of a figure stays, and what it says stays below it.
#[test]
fn a_picture_has_the_shape_of_its_figure_and_its_words() {
    let graphics = Graphics { protocol: Protocol::Kitty, cell: (8, 16), rows: 100, colours: 256 };
    let size = |code: &str, columns: usize| {
        let figure = &run(&format!("import matplotlib.pyplot as plt\n{code}\nplt.plot([1, 2])")).figures[0];
        let look = Look { width: columns, colour: true, plain: false, pictures: Some(graphics) };
        shown(&plot(figure, look).render(look), Protocol::Kitty, (8, 16)).1
    };
    // 640 by 480 pixels, as matplotlib draws it.
    assert_eq!(size("", 200), (80, 30));
    assert_eq!(size("", 40), (40, 15));
    assert_eq!(size("plt.figure(figsize=(12, 4))", 200), (150, 25));
    assert_eq!(size("plt.figure(figsize=(12, 4))", 60), (60, 10));
    let figure = &run(
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('Loss\\x1b[2J'); plt.xlabel('step'); plt.ylabel('loss')",
    )
    .figures[0];
    let look = Look { width: 80, colour: false, plain: false, pictures: Some(graphics) };
    let rendered = plot(figure, look).render(look);
    let words = rendered.rsplit('\n').find(|line| !line.is_empty()).expect("words");
    assert_eq!(words, "Loss\\u{1b}[2J   → step   ↑ loss");
}

/// The shades of a table have their ends in words.
#[test]
fn a_picture_of_a_table_says_what_its_shades_mean() {
    let graphics = Graphics { protocol: Protocol::Sixel, cell: (8, 16), rows: 20, colours: 256 };
    let look = Look { width: 80, colour: false, plain: false, pictures: Some(graphics) };
    let words = |table: &str| {
        let code = format!("import matplotlib.pyplot as plt\nplt.imshow({table})");
        let rendered = plot(&run(&code).figures[0], look).render(look);
        rendered.rsplit_once("\x1b8").map(|(_, words)| words.trim().to_owned())
    };
    assert_eq!(words("[[0.25, 1.5], [float('nan'), -2]]").as_deref(), Some("dark -2, bright 1.50"));
    assert_eq!(words("[[float('nan')]]").as_deref(), Some(""));
}

/// What terminals answer, as their sources and documentation have it.
#[test]
fn answers_of_terminals_are_understood() {
    let of = |text: &str| Answers::of(text.as_bytes());
    let kitty = of("\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.35.2)\x1b\\\x1b[6;40;20t\x1b[?62;c");
    assert_eq!((kitty.protocol(), kitty.cell, kitty.ended), (Some(Protocol::Kitty), Some((20, 40)), true));
    let iterm = of("\x1b]1337;ReportCellSize=17.50;8.00;2.0\x07\x1bP>|iTerm2 3.4.23\x1b\\\x1b[?62;4c");
    assert_eq!((iterm.protocol(), iterm.cell, iterm.sixel), (Some(Protocol::Iterm), Some((16, 35)), true));
    let wezterm =
        of("\x1b_Gi=31;EINVAL:no\x1b\\\x1bP>|WezTerm 20240203-110809-5046fc22\x1b\\\x1b[?65;4;6;18;22c");
    assert_eq!(wezterm.protocol(), Some(Protocol::Iterm));
    let xterm = of("\x1bP>|XTerm(390)\x1b\\\x1b[6;16;8t\x1b[?64;1;2;4;6;9;15;18;21;22c");
    assert_eq!((xterm.protocol(), xterm.cell), (Some(Protocol::Sixel), Some((8, 16))));
    assert_eq!(of("\x1b[?1;0;16S\x1b[?62;4c").colours, Some(16));
    assert_eq!(of("\x1b[?1;3;0S\x1b[?62;4c").colours, None);
    assert_eq!(of("\x1b[?1;2;4c").protocol(), Some(Protocol::Sixel));
    // VTE, screen, Terminal.app, a VT132: the class of a terminal is no feature.
    for none in ["\x1bP>|VTE(7600)\x1b\\\x1b[?65;1;9c", "\x1b[?1;2c", "\x1b[?6c", "\x1b[?4;6c", ""] {
        assert_eq!(of(none).protocol(), None, "{none:?}");
        assert_eq!((of(none).ended, of(none).typed), (!none.is_empty(), Vec::new()), "{none:?}");
    }
    // A size that no character has is none.
    assert_eq!(of("\x1b[6;0;0t\x1b[?6c").cell, None);
}

/// Keys between the answers, before and after them are kept, in their order.
#[test]
fn keys_between_answers_are_kept() {
    let parts =
        ["a", "\x1b_Gi=31;OK\x1b\\", "\x1b[A", "\x1b[6;16;8t", "é\r", "\x1b[?62c", "\x1bOP\x1b[5~z\x7f"];
    let answers = Answers::of(parts.concat().as_bytes());
    assert!(answers.ended && answers.kitty);
    assert_eq!(String::from_utf8_lossy(&answers.typed), "a\x1b[Aé\r\x1bOP\x1b[5~z\x7f");
    // An Esc right before an answer, and an answer that is not whole.
    assert_eq!(Answers::of(b"\x1b\x1b[?62c").typed, b"\x1b");
    let half = Answers::of(b"q\x1b_Gi=31;O");
    assert_eq!((half.typed.as_slice(), half.kitty, half.ended), (&b"q"[..], false, false));
    let broken = Answers::of(b"\x1b_Gi=31;O\x1b[?62c");
    assert_eq!((broken.kitty, broken.ended, broken.typed.len()), (false, true, 0));
}
