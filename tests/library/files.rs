//! Files by permission: what cells may open, and that nothing else can be reached.

use std::fs;
use std::path::{Path, PathBuf};

use attn::session::{Raised, Session, SessionOptions, with_large_stack};
use attn::shims::FileAccess;

/// A folder with a notebook's folder in it, and a secret beside that.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder for the test"));
        let book = place.book();
        fs::create_dir_all(book.join("data/deep")).expect("folders");
        fs::create_dir_all(book.join("out")).expect("a folder");
        fs::create_dir_all(place.0.path().join("book-2")).expect("a folder");
        let write = |path: PathBuf, text: &str| fs::write(path, text).expect("a file");
        write(place.0.path().join("secret.txt"), "SECRET");
        write(place.0.path().join("book-2/secret.txt"), "SECRET");
        write(book.join("input.txt"), "the words\nof a text\n");
        write(book.join("data/rows.csv"), "name,score\nYour,0.9544\n\"a, b\",1.5\n");
        write(book.join("data/deep/x.json"), "{\"a\": [1, 2.5]}");
        place
    }

    fn book(&self) -> PathBuf {
        self.0.path().join("book")
    }

    /// Runs cells in a session with these permissions.
    fn run(&self, read: &[PathBuf], write: &[PathBuf], cells: &[&str]) -> Vec<Said> {
        let files = FileAccess::new(&self.book(), read, write).expect("the folders are there");
        with_large_stack(|| {
            let mut session = Session::new(SessionOptions { files, ..SessionOptions::default() });
            let run = |cell: &&str| {
                let outcome = session.run(cell, "cell 1");
                Said { stdout: outcome.stdout, error: outcome.error }
            };
            cells.iter().map(run).collect()
        })
    }
}

/// What a cell printed and raised.
struct Said {
    stdout: String,
    error: Option<Raised>,
}

fn here() -> Vec<PathBuf> {
    vec![PathBuf::new()]
}

/// What one cell prints, with the notebook's folder open to read and write.
fn prints(place: &Place, cell: &str) -> String {
    let outcome = place.run(&here(), &here(), &[cell]).remove(0);
    match outcome.error {
        None => outcome.stdout,
        Some(error) => panic!("{cell}\nraised {}: {}", error.kind, error.message),
    }
}

/// As CPython prints it in that folder.
const ALLOWED: &[(&str, &str)] = &[
    ("print(open('input.txt').read())", "the words\nof a text\n\n"),
    (
        "with open('./data/../input.txt', encoding='utf-8') as f: print(f.readlines())",
        "['the words\\n', 'of a text\\n']\n",
    ),
    (
        "f = open('input.txt', 'rb'); print(f.read(3), f.tell(), f.seek(-2, 2), f.read(), f.closed); f.close(); print(f.closed)",
        "b'the' 3 18 b't\\n' False\nTrue\n",
    ),
    ("for line in open('input.txt'): print(repr(line.strip()))", "'the words'\n'of a text'\n"),
    (
        "f = open('new.txt', 'w'); print(f.write('ab\\ncd'), f.mode, f.name); f.close()\nopen('new.txt', 'a').write('e')\nprint(open('new.txt').read())",
        "5 w new.txt\nab\ncde\n",
    ),
    (
        "f = open('b.bin', 'wb'); f.write(bytes(range(5))); f.seek(1); f.write(b'zz'); f.close()\nprint(open('b.bin', 'rb').read())\ntry: open('b.bin', 'r+b')\nexcept NotImplementedError as e: print(e)",
        "b'\\x00zz\\x03\\x04'\nattn opens a file to read it or to write it, not for both at once\n",
    ),
    (
        "import json; print(json.load(open('data/deep/x.json')))\njson.dump({'q': [1]}, open('out/q.json', 'w'), indent=1)\nprint(open('out/q.json').read())",
        "{'a': [1, 2.5]}\n{\n \"q\": [\n  1\n ]\n}\n",
    ),
    (
        "import csv\nfor row in csv.reader(open('data/rows.csv', newline='')): print(row)\nprint(list(csv.DictReader(open('data/rows.csv')))[0])",
        "['name', 'score']\n['Your', '0.9544']\n['a, b', '1.5']\n{'name': 'Your', 'score': '0.9544'}\n",
    ),
    (
        "import csv\nwith open('out/t.csv', 'w', newline='') as f:\n    w = csv.writer(f); w.writerow(['a b', 'c,d', 'e\"f', 1.5, None]); w.writerows([[1, 2]])\nprint(repr(open('out/t.csv', newline='').read()))",
        "'a b,\"c,d\",\"e\"\"f\",1.5,\\r\\n1,2\\r\\n'\n",
    ),
    (
        "import os; print(sorted(os.listdir('.')), os.path.exists('input.txt'), os.path.isdir('data'), os.path.isfile('data'), os.path.getsize('input.txt'), os.stat('input.txt').st_size)",
        "['data', 'input.txt', 'out'] True True False 20 20\n",
    ),
    (
        "import os; os.makedirs('out/a/b'); os.makedirs('out/a/b', exist_ok=True); open('out/a/b/f', 'w').close(); os.rename('out/a/b/f', 'out/g'); os.rmdir('out/a/b'); os.remove('out/g'); print(os.listdir('out'))\nprint([(len(ds), fs) for _, ds, fs in os.walk('data')])",
        "['a']\n[(1, ['rows.csv']), (0, ['x.json'])]\n",
    ),
    (
        "from pathlib import Path\np = Path('data') / 'deep' / 'x.json'; print(p.read_text(), p.exists(), p.stat().st_size)\nPath('out/n.txt').write_text('hi'); print(Path('out/n.txt').read_bytes(), sorted(str(x) for x in Path('data').rglob('*.json')), [x.name for x in Path('.').glob('*.txt')])",
        "{\"a\": [1, 2.5]} True 15\nb'hi' ['data/deep/x.json'] ['input.txt']\n",
    ),
    (
        "import glob; print(glob.glob('*.txt'), glob.glob('data/*'), glob.glob('**/*.json', recursive=True), glob.glob('no*'))",
        "['input.txt'] ['data/deep', 'data/rows.csv'] ['data/deep/x.json'] []\n",
    ),
    (
        "import os, io\nfor name in ['nothing.txt', 'data']:\n    try: open(name)\n    except OSError as e: print(type(e).__name__, e, e.errno)\ntry: io.open('input.txt').write('x')\nexcept io.UnsupportedOperation as e: print(e)\ntry: open('input.txt', 'x')\nexcept FileExistsError as e: print(e)\nfor mode in ['rw', 'q', '']:\n    try: open('input.txt', mode)\n    except ValueError as e: print(e)",
        "FileNotFoundError [Errno 2] No such file or directory: 'nothing.txt' 2\nIsADirectoryError [Errno 21] Is a directory: 'data' 21\nnot writable\n[Errno 17] File exists: 'input.txt'\nmust have exactly one of create/read/write/append mode\ninvalid mode: 'q'\nMust have exactly one of create/read/write/append mode and at most one plus\n",
    ),
    (
        "import pickle\nd = {'a': (1, 2.5, None), 'b': [True, 'x', b'y'], 3: {4}}\npickle.dump(d, open('out/d.pkl', 'wb')); print(pickle.load(open('out/d.pkl', 'rb')) == d, pickle.loads(pickle.dumps([1])))",
        "True [1]\n",
    ),
    (
        "import struct; print(struct.pack('<IfH', 7, 0.5, 3), struct.unpack('>hh', b'\\0\\1\\0\\2'), struct.calcsize('<qd'))",
        "b'\\x07\\x00\\x00\\x00\\x00\\x00\\x00?\\x03\\x00' (1, 2) 16\n",
    ),
    (
        "import shutil, os; shutil.copy('input.txt', 'out'); shutil.move('out/input.txt', 'out/i.txt'); print(os.listdir('out'))",
        "['i.txt']\n",
    ),
];

#[test]
fn what_is_open_reads_and_writes_as_in_python() {
    if crate::apart::ran() {
        return;
    }
    for (cell, expected) in ALLOWED {
        let place = Place::new();
        assert_eq!(prints(&place, cell), *expected, "{cell}");
    }
}

const TORCH: &str = "
import torch, io
from safetensors.torch import save_file, load_file
base = torch.arange(6.)
state = {'w': base.view(2, 3).t(), 'shared': base[2:4], 'h': torch.tensor([1.5, -2.], dtype=torch.bfloat16),
         'b': torch.tensor([True, False]), 'i': torch.tensor([[1], [-2]], dtype=torch.int8), 'n': 3, 's': 'x', 'd': torch.float16,
         'size': torch.Size([2, 3]), 'p': torch.nn.Parameter(torch.ones(2))}
torch.save(state, 'out/state.pt')
again = torch.load('out/state.pt')
print(again)
again['shared'][0] = 100
print(again['w'].stride(), again['w'], again['p'].requires_grad)
m = torch.nn.Linear(2, 2)
torch.save(m.state_dict(), 'out/m.pt'); m2 = torch.nn.Linear(2, 2); print(m2.load_state_dict(torch.load('out/m.pt', weights_only=True)), torch.equal(m.weight, m2.weight))
save_file({'a': torch.ones(2, 2), 'b': torch.tensor([1, 2])}, 'out/t.safetensors'); print(load_file('out/t.safetensors'))
from safetensors import safe_open
file = safe_open('out/t.safetensors', 'pt')
print(file.keys(), file.get_tensor('a'))
class Evil:
    def __reduce__(self): return (print, ('run',))
torch.save(Evil(), 'out/evil.pt')
try: torch.load('out/evil.pt')
except Exception as e: print(type(e).__name__, 'GLOBAL builtins.print' in str(e))
torch.save(m, 'out/whole.pt')
print(torch.equal(torch.load('out/whole.pt', weights_only=False).weight, m.weight))
";

/// As PyTorch 2.6 prints it.
const TORCH_PRINTS: &str = "{'w': tensor([[0., 3.],
        [1., 4.],
        [2., 5.]]), 'shared': tensor([2., 3.]), 'h': tensor([ 1.5000, -2.0000], dtype=torch.bfloat16), 'b': tensor([ True, False]), 'i': tensor([[ 1],
        [-2]], dtype=torch.int8), 'n': 3, 's': 'x', 'd': torch.float16, 'size': torch.Size([2, 3]), 'p': Parameter containing:
tensor([1., 1.], requires_grad=True)}
(1, 3) tensor([[  0.,   3.],
        [  1.,   4.],
        [100.,   5.]]) True
<All keys matched successfully> True
{'b': tensor([1, 2]), 'a': tensor([[1., 1.],
        [1., 1.]])}
['a', 'b'] tensor([[1., 1.],
        [1., 1.]])
UnpicklingError True
True
";

#[test]
fn tensors_are_saved_and_loaded() {
    if crate::apart::ran() {
        return;
    }
    assert_eq!(prints(&Place::new(), TORCH), TORCH_PRINTS);
}

/// A file that PyTorch 2.6 wrote: `torch.save({"w": torch.arange(6.).view(2, 3).t(), "n": [1, "x"]}, ...)`.
#[test]
fn a_file_of_pytorch_is_loaded() {
    if crate::apart::ran() {
        return;
    }
    let place = Place::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/saved-by-pytorch.pt");
    fs::copy(file, place.book().join("w.pt")).expect("a copy");
    let cell = "import torch\nd = torch.load('w.pt'); print(d, d['w'].stride())";
    let expected = "{'w': tensor([[0., 3.],\n        [1., 4.],\n        [2., 5.]]), 'n': [1, 'x']} (1, 3)\n";
    assert_eq!(prints(&place, cell), expected);
}

/// Ways to the secret beside the folder, or out of it. Each raises an `OSError`, or finds nothing.
const ESCAPES: &[&str] = &[
    "open('../secret.txt').read()",
    "open('data/../../secret.txt').read()",
    "open('data/deep/../../../secret.txt').read()",
    "open(BOOK + '/../secret.txt').read()",
    "open(SECRET).read()",
    "open('//' + SECRET).read()",
    "open('link.txt').read()",
    "open('absolute.txt').read()",
    "open('chain.txt').read()",
    "open('up/secret.txt').read()",
    "open('up/book/../secret.txt').read()",
    "open('up/up/secret.txt').read()",
    "open('data/to-up/secret.txt').read()",
    "open('../book-2/secret.txt').read()",
    "open(BOOK + '-2/secret.txt').read()",
    "open('/etc/passwd').read()",
    "open('/proc/self/environ').read()",
    "open('/dev/stdin').read()",
    "open('proc/self/environ').read()",
    "open(b'../secret.txt').read()",
    "open('..\\x00/secret.txt').read()",
    "open('./././../secret.txt', 'rb').read()",
    "open('../secret.txt', 'a').write('x')",
    "open('../stolen.txt', 'w')",
    "open('link.txt', 'a').write('x')",
    "open('up/stolen.txt', 'x')",
    "open(0).read()",
    "open(3).read()",
    "__import__('os').listdir('..')",
    "__import__('os').listdir('up')",
    "list(__import__('os').scandir('/'))",
    "__import__('os').stat('../secret.txt')",
    "__import__('os').stat('link.txt')",
    "__import__('os').mkdir('../made')",
    "__import__('os').mkdir('up/made')",
    "__import__('os').remove('../secret.txt')",
    "__import__('os').rename('../secret.txt', 'mine.txt')",
    "__import__('os').rename('input.txt', '../given.txt')",
    "__import__('os').rename('up/secret.txt', 'mine.txt')",
    "__import__('os').symlink('/', 'root')",
    "__import__('os').open('../secret.txt', 0)",
    "__import__('io').FileIO('../secret.txt').read()",
    "__import__('io').open_code('../secret.txt').read()",
    "__import__('pathlib').Path('..', 'secret.txt').read_text()",
    "__import__('pathlib').Path('up').joinpath('secret.txt').read_bytes()",
    "next(iter(__import__('pathlib').Path('..').iterdir()))",
    "__import__('shutil').copy('../secret.txt', 'mine.txt')",
    "__import__('shutil').copy('input.txt', '../given.txt')",
    "__import__('torch').load('../secret.txt')",
    "__import__('torch').save(1, '../given.pt')",
    "__import__('_files').open('../secret.txt', 'r')",
    "__import__('_files').names('/')",
];

/// The same, but with an empty answer.
const EMPTY_ANSWERS: &[&str] = &[
    "__import__('os').path.exists('../secret.txt')",
    "__import__('os').path.isfile('link.txt')",
    "__import__('os').path.isdir('/etc')",
    "list(__import__('os').walk('..'))",
    "__import__('glob').glob('../*')",
    "__import__('glob').glob('up/*')",
    "__import__('glob').glob('/**', recursive=True)",
    "list(__import__('pathlib').Path('.').glob('../*.txt'))",
];

#[test]
#[cfg(unix)]
fn nothing_outside_is_reached() {
    if crate::apart::ran() {
        return;
    }
    use std::os::unix::fs::symlink;

    let place = Place::new();
    let (book, above) = (place.book(), place.0.path().to_owned());
    let link = |to: &Path, from: &str| symlink(to, book.join(from)).expect("a link");
    link(Path::new("../secret.txt"), "link.txt");
    link(&above.join("secret.txt"), "absolute.txt");
    link(Path::new("link.txt"), "chain.txt");
    link(Path::new(".."), "up");
    link(Path::new("../.."), "data/to-up");
    link(Path::new("/proc"), "proc");
    let names = format!("BOOK = {:?}; SECRET = {:?}\n", book.display(), above.join("secret.txt").display());
    let escapes = ESCAPES.iter().map(|cell| {
        format!("{names}try:\n    {cell}\n    print('REACHED')\nexcept (OSError, ValueError) as e: print('refused')")
    });
    let empty = EMPTY_ANSWERS.iter().map(|cell| format!("print({cell} or 'refused')"));
    let cells: Vec<String> = escapes.chain(empty).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let before = snapshot(&above);
    for (cell, outcome) in cells.iter().zip(place.run(&here(), &here(), &cells)) {
        let error = outcome.error.map(|error| error.message);
        assert_eq!((outcome.stdout.as_str(), error), ("refused\n", None), "{cell}");
    }
    assert_eq!(before, snapshot(&above), "nothing was changed");
}

/// Every path below a folder with its length.
fn snapshot(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let about = entry.path().symlink_metadata().expect("it is there");
        found.push((entry.path(), if about.is_dir() { 0 } else { about.len() }));
        if about.is_dir() {
            found.extend(snapshot(&entry.path()));
        }
    }
    found.sort();
    found
}

/// Each permission is for itself: reading does not write, writing does not read, one file opens no other.
#[test]
#[cfg(unix)]
fn permissions_do_not_mix() {
    if crate::apart::ran() {
        return;
    }
    let place = Place::new();
    let book = place.book();
    std::os::unix::fs::symlink("../input.txt", book.join("out/link.txt")).expect("a link");
    let refused = |read: &[PathBuf], write: &[PathBuf], cell: &str| {
        let cell = format!("try:\n    {cell}\n    print('done')\nexcept PermissionError as e: print(e)");
        place.run(read, write, &[&cell]).remove(0).stdout
    };
    let out = vec![book.join("out")];
    let name = book.canonicalize().expect("it is there").join("out").display().to_string();
    assert_eq!(refused(&here(), &[], "open('input.txt')"), "done\n");
    assert_eq!(
        refused(&here(), &[], "open('x', 'w')"),
        "open('x'): attn writes no files unless it is told to; run it again with --allow-write\n"
    );
    let only = refused(&here(), &out, "open('x', 'w')");
    assert!(only.starts_with("open('x'): attn writes only what --allow-write opens, which is "), "{only}");
    assert!(only.contains(&name) || only.contains(&book.join("out").display().to_string()), "{only}");
    assert_eq!(refused(&here(), &out, "open('out/x', 'w')"), "done\n");
    // A link in the folder that is open for writing leads to a file that is open for reading only.
    assert_ne!(refused(&here(), &out, "open('out/link.txt', 'a')"), "done\n");
    assert_ne!(refused(&[], &out, "open('out/x')"), "done\n");
    let file = vec![book.join("input.txt")];
    assert_eq!(refused(&file, &[], "open('input.txt')"), "done\n");
    assert_ne!(refused(&file, &[], "open('data/rows.csv')"), "done\n");
    assert_ne!(refused(&file, &[], "__import__('os').listdir('.')"), "done\n");
}

#[test]
fn figures_are_not_saved_where_cells_may_write() {
    if crate::apart::ran() {
        return;
    }
    let place = Place::new();
    let cell = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('out/a.png')\nplt.close()\nprint('on')";
    assert_eq!(prints(&place, cell), "on\n");
    assert!(!place.book().join("out/a.png").exists());
}
