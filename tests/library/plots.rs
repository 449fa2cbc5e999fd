//! Plots: what notebooks record of them, and how they look in a terminal.

use std::path::{Path, PathBuf};

use attn::session::{Outcome, Session, SessionOptions};
use attn::view::plot::plot;
use attn::view::{Look, Text};

use crate::snapshot::assert_current;

fn run(source: &str) -> Outcome {
    let outcome = Session::new(SessionOptions::default()).run(source, "cell 1");
    if let Some(error) = &outcome.error {
        panic!("{}: {}", error.kind, error.message);
    }
    outcome
}

fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/plots").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Text without addresses: `at 0x7f2c` is `at 0x`, and so is `object at 0x7f2c`.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split(" at 0x");
    let mut out = parts.next().unwrap_or_default().trim_end_matches(" object").to_owned();
    for part in parts {
        out.push_str(" at 0x");
        out.push_str(
            part.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()).trim_end_matches(" object"),
        );
    }
    out
}

#[test]
fn plots_say_of_themselves_what_matplotlib_says() {
    if crate::apart::ran() {
        return;
    }
    let recorded = golden("recorded.txt");
    assert_eq!(without_addresses(&run(&golden("plots.py")).stdout), recorded);
}

/// Colours can be passed on. They have no numbers.
#[test]
fn colours_of_maps_can_be_passed_on() {
    if crate::apart::ran() {
        return;
    }
    let program = "
import numpy as np, torch, matplotlib, matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap, ListedColormap, to_hex
v = plt.cm.viridis
for color in (v(0.5), *v(np.linspace(0, 1, 3)), v(torch.tensor([0.5]))[0], plt.cm.tab10.colors[3], ListedColormap(['red', '#00ff00'])(1), to_hex('red')):
    plt.plot([1, 2], color=color)
print(repr(v(0.5)), len(plt.cm.tab10.colors), plt.get_cmap('viridis', 3).N, matplotlib.colormaps['Blues'].reversed().name)
plt.imshow([[1, 2]], cmap=LinearSegmentedColormap.from_list('x', ['black', 'white']))
plt.close('all')
for f in (lambda: plt.cm.nope, lambda: plt.get_cmap('nope'), lambda: v(0.5)[0], lambda: f'{v(0.5)}'):
    try: f()
    except (AttributeError, ValueError, NotImplementedError) as error: print(type(error).__name__, str(error)[:60])
";
    assert_eq!(
        run(program).stdout,
        "<colour viridis(0.5)> 10 3 Blues_r\n\
         AttributeError module 'matplotlib.cm' has no attribute 'nope'\n\
         ValueError 'nope' is not a valid value for cmap; supported values are '\n\
         NotImplementedError attn has no numbers of colours: a terminal draws with its ow\n\
         NotImplementedError attn has no numbers of colours: a terminal draws with its ow\n"
    );
}

/// Plots as attention has them: losses, weights with the words as names, heads, bars, points, a band, nothing finite.
const DRAWN: &[(&str, &str)] = &[
    (
        "losses",
        "plt.plot([4 * 0.9**i for i in range(60)], label='train'); plt.plot([4 * 0.93**i + .5 for i in range(60)], label='validation')
plt.xlabel('step'); plt.ylabel('loss'); plt.title('Training of a small model'); plt.legend()",
    ),
    (
        "weights",
        "words = 'Your journey starts with one step'.split()
w = torch.softmax(torch.arange(36.).view(6, 6).sin().masked_fill(torch.triu(torch.ones(6, 6), 1).bool(), -torch.inf), -1)
plt.imshow(w); plt.xticks(range(6), words, rotation=45); plt.yticks(range(6), words); plt.colorbar(); plt.title('Weights')",
    ),
    (
        "heads",
        "fig, axes = plt.subplots(2, 2)
for head, ax in enumerate(axes.flat): ax.matshow(torch.arange(16.).view(4, 4).mul(head + 1).cos()); ax.set_title(f'Head {head}')
fig.suptitle('Four heads')",
    ),
    ("bars", "plt.bar(['Your', 'journey', 'starts'], [0.1, 0.6, 0.3]); plt.title('What \"starts\" attends to')"),
    (
        "points",
        "x = torch.linspace(-3, 3, 25); plt.scatter(x, x.tanh(), label='tanh'); plt.axhline(0); plt.axvline(0); plt.fill_between(x, x.tanh() - .2, x.tanh() + .2)",
    ),
    ("logarithmic", "plt.semilogy([10.0 ** -i for i in range(6)]); plt.ylabel('error')"),
    (
        "odd",
        "plt.plot([float('nan'), float('inf')]); plt.figure(); plt.plot([]); plt.figure(); plt.plot([1.]); plt.figure(); plt.imshow([[float('nan')]]); plt.figure(); plt.title('e\\x1b[31m')",
    ),
    (
        "seaborn",
        "import seaborn as sns; sns.heatmap(torch.eye(3), xticklabels=['a', 'b', 'c'], mask=torch.triu(torch.ones(3, 3), 1).bool(), annot=True)",
    ),
];

#[test]
fn plots_are_drawn() {
    if crate::apart::ran() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/plots");
    let files = DRAWN.iter().map(|(name, code)| {
        let figures = run(&format!("import torch\nimport matplotlib.pyplot as plt\n{code}")).figures;
        assert!(!figures.is_empty(), "{name}");
        let mut shown = String::new();
        for look in [
            Look { width: 80, colour: false, plain: false },
            Look { width: 40, colour: false, plain: false },
            Look { width: 80, colour: false, plain: true },
        ] {
            shown.push_str(&format!("width {}{}\n", look.width, if look.plain { ", plain" } else { "" }));
            let mut text = Text::new();
            figures.iter().for_each(|figure| text.section(plot(figure, look)));
            shown.push_str(&text.render(look));
            shown.push('\n');
        }
        assert!(!shown.contains('\x1b'), "{name}: no control character is written");
        // At every width each line fits, and the colours change no character of a single curve.
        for width in 20..=120 {
            let look = Look { width, colour: false, plain: false };
            let widest = figures.iter().map(|figure| plot(figure, look).width()).max().unwrap_or(0);
            assert!(widest <= width.max(26), "{name} at {width} columns is {widest} wide");
        }
        (folder.join(format!("{name}.txt")), shown)
    });
    assert_current(files.collect::<Vec<_>>());
}

/// A figure is shown once, also when the cell raises, and belongs to the cell that plotted it.
#[test]
fn a_cell_shows_its_own_figures() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    let mut cell = |source: &str| {
        let outcome = session.run(source, "cell 1");
        (outcome.figures.len(), outcome.stdout, outcome.error.map(|error| error.kind))
    };
    let size = "<Figure size 640x480 with 1 Axes>\n";
    assert_eq!(
        cell("import matplotlib.pyplot as plt\nplt.plot([1, 2]); print('x')"),
        (1, format!("x\n{size}"), None)
    );
    assert_eq!(cell("1"), (0, String::new(), None));
    assert_eq!(cell("plt.plot([1]); plt.show(); print('after')"), (1, format!("{size}after\n"), None));
    assert_eq!(cell("plt.plot([1]); 1 / 0"), (1, size.to_owned(), Some("ZeroDivisionError".to_owned())));
    assert_eq!(cell("plt.plot([1]); plt.close()"), (0, String::new(), None));
    assert_eq!(cell("%%capture\nplt.plot([1])"), (0, String::new(), None));
}

/// A figure is never written: a warning says where it is seen, and the cell goes on.
#[test]
fn saving_a_figure_never_stops_a_cell() {
    if crate::apart::ran() {
        return;
    }
    let outcome = run(
        "import io, matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('loss.pdf', dpi=300)\n\
         plt.savefig('loss.png', bbox_inches='tight')\nfile = io.BytesIO()\nplt.gcf().savefig(file, format='svg')\n\
         print(file.getvalue())",
    );
    assert_eq!(outcome.stdout, "b''\n<Figure size 640x480 with 1 Axes>\n");
    assert_eq!(outcome.figures.len(), 1);
    for name in ["loss.pdf", "loss.png", "the figure"] {
        let said = format!("{name} is not written: attn draws figures that are not closed in the terminal");
        assert_eq!(outcome.stderr.matches(&said).count(), 1, "{}", outcome.stderr);
    }
}
