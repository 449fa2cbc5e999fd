//! `attn compare`: two implementations with the same weights and inputs, and where they part.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::cells::workspace::Workspace;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::explain::doctor::{definitions, without};
use crate::explain::{Parting, difference, parting};
use crate::lesson::trained;
use crate::ops::nearest;
use crate::ops::trace::Trace;
use crate::session::Raised;
use crate::shims::outside::fs;
use crate::view::parting::{Compared, Report, compared};

/// What `attn compare` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// file.py, file.py:Class, 'file.py:Class(64, 4)', or a reference: @mha, @gqa, @gpt2, @llama, @rope-halves, @rope-pairs
    /// or @sdpa, also with sizes: '@gqa(groups=2)'
    #[arg(value_name = "ONE")]
    one: String,
    /// The other
    #[arg(value_name = "OTHER")]
    two: String,
    /// A parameter of ONE and the one of OTHER that gets its numbers
    #[arg(long, value_name = "NAME=NAME", value_parser = pair)]
    map: Vec<(String, String)>,
    /// An input, as Python code with the names of both files (default: made up)
    #[arg(long, value_name = "NAME=CODE", value_parser = pair)]
    input: Vec<(String, String)>,
}

/// Splits `a=b`. Errors: there is no `=`.
fn pair(word: &str) -> Result<(String, String), String> {
    let parts = word.split_once('=').map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
    parts.ok_or_else(|| "it is a name, = and what it is".to_owned())
}

/// The references, and the file of each.
const REFERENCES: [(&str, &str); 7] = [
    ("mha", "references.py"),
    ("gqa", "references.py"),
    ("gpt2", "gpt2.py"),
    ("llama", "llama.py"),
    ("rope-halves", "llama.py"),
    ("rope-pairs", "references.py"),
    ("sdpa", "references.py"),
];
/// How many statements of a file that raise are left out.
const ATTEMPTS: usize = 24;
/// The name under which the command's own code runs.
const OWN: &str = "compare";

/// One of the two.
struct Side {
    /// Its file as it was typed, or `@name`.
    shown: String,
    /// What of it is meant; empty if that is not said.
    word: String,
    source: String,
    package: String,
}

/// Compares, and shows a table or writes a document.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut modules = shell.options.modules.clone();
    let sides = [side(&args.one, &mut modules)?, side(&args.two, &mut modules)?];
    shell.options.modules = modules;
    let mut workspace = Workspace::new(&shell.options);
    for (at, side) in sides.iter().enumerate() {
        load(&mut workspace, at, side)?;
    }
    let map = |pairs: &[(String, String)]| Value::from_iter(pairs.iter().cloned());
    let [one, two] = sides.each_ref().map(|side| json!([side.shown, side.word]));
    let build = format!(
        "import _compare\n_pair = _compare.Pair(_compare.Side(*{one}, _sides[0]), _compare.Side(*{two}, _sides[1]), {}, {})\n\
         _pair.settle()",
        map(&args.map),
        map(&args.input)
    );
    done(&mut workspace, &build)?;
    let mut traces = Vec::new();
    for which in 0..2 {
        let (outcome, trace) = workspace.traced(&format!("_pair.run({which})"), OWN);
        if let Some(raised) = outcome.error {
            return Err(failure(&raised));
        }
        traces.push(trace);
    }
    let report = workspace.session.evaluate("_pair.report()", |it, vm| it.try_to_value::<String>(vm).ok());
    let report = report.map_err(|raised| failure(&raised))?.unwrap_or_default();
    let report: Report =
        serde_json::from_str(&report).map_err(|error| Failure::Unreadable(error.to_string()))?;
    show(report, &traces, &mut workspace, shell)
}

fn show(
    report: Report,
    traces: &[Trace],
    workspace: &mut Workspace,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let mut outputs = Vec::new();
    for which in 0..2 {
        let output = workspace.session.tensor(&format!("_pair.outputs[{which}]"));
        outputs.extend(output.map_err(|raised| failure(&raised))?);
    }
    let [one, two] = outputs.as_slice() else {
        return Err(Failure::Unreadable("one of the two returns no tensor".to_owned()));
    };
    let found = match (report.equal, traces) {
        (false, [first, second]) => parting([first, second], [one, two], OWN),
        _ => None,
    };
    let code = |at: usize| {
        let step = found.as_ref()?.sides[at].as_ref()?;
        let source = workspace.text(&format!("__import__('sys')._cells.get({}, '')", json!(step.file)))?;
        source.lines().nth(step.line.checked_sub(1)?).map(|line| line.trim().to_owned())
    };
    let code = [0, 1].map(code);
    let difference = difference(one, two);
    let exit = if report.equal { Exit::Good } else { Exit::Failed };
    if shell.options.json {
        let greatest = difference.as_ref().and_then(|it| it.greatest.as_ref());
        let document = json!({
            "schema": "attn.compare/1", "sides": report.sides, "equal": report.equal, "weights": report.weights,
            "zeroed": report.zeroed, "inputs": report.inputs,
            "outputs": {"shapes": [one.shape(), two.shape()],
                        "differing": difference.as_ref().map(|it| it.differing),
                        "index": greatest.map(|it| &it.0), "values": greatest.map(|it| [it.1, it.2])},
            "gradients": report.gradients, "parted": parted(found.as_ref(), &code),
        });
        write_json(&document, shell)?;
        return Ok(exit);
    }
    let shapes = [one.shape().to_vec(), two.shape().to_vec()];
    let page = Compared { report, shapes, difference, parting: found, code };
    shell.show(&compared(&page, shell.look))?;
    Ok(exit)
}

/// Where they part, with the lines of code.
fn parted(found: Option<&Parting>, code: &[Option<String>; 2]) -> Value {
    let mut value = json!(found);
    for (at, code) in code.iter().enumerate() {
        if let Some(side) = value.pointer_mut(&format!("/sides/{at}")).and_then(Value::as_object_mut) {
            side.insert("code".to_owned(), json!(code));
        }
    }
    value
}

/// Reads one of the two. Errors: a file that cannot be read, a reference that is not there.
fn side(typed: &str, modules: &mut crate::shims::LocalModules) -> Result<Side, Failure> {
    if let Some(name) = typed.strip_prefix('@') {
        let name = name.split('(').next().unwrap_or_default();
        let Some((_, file)) = REFERENCES.iter().find(|(known, _)| *known == name) else {
            let names = || REFERENCES.iter().map(|(name, _)| *name);
            let near = match nearest(name, names(), 1).as_slice() {
                [near] => format!("did you mean @{near}?"),
                _ => {
                    format!("there are {}", names().map(|it| format!("@{it}")).collect::<Vec<_>>().join(", "))
                }
            };
            return Err(Failure::Usage(format!("no reference is called @{name}; {near}")));
        };
        let source = trained::text(file).to_owned();
        return Ok(Side {
            shown: format!("@{name}"),
            word: typed[1..].to_owned(),
            source,
            package: String::new(),
        });
    }
    // A path may have a colon, as `C:` has; what is meant of a file comes after `.py`.
    let (path, word) = typed.find(".py:").map_or((typed, ""), |at| (&typed[..at + 3], &typed[at + 4..]));
    if Path::new(path).extension().is_none_or(|ending| ending != "py") {
        let why = "is no .py file and no reference; for example: attn compare a.py:Attention @mha";
        return Err(Failure::Usage(format!("{path} {why}")));
    }
    let source = fs::read_to_string(path).map_err(|error| Failure::Unreadable(format!("{path}: {error}")))?;
    *modules = modules.of_file(&PathBuf::from(path));
    Ok(Side { shown: path.to_owned(), word: word.to_owned(), source, package: modules.package.clone() })
}

/// Runs the file of a side as a module; if it raises, what it defines.
fn load(workspace: &mut Workspace, at: usize, side: &Side) -> Result<(), Failure> {
    let stem = Path::new(&side.shown).file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    let name = if side.package.is_empty() { format!("_compared_{at}") } else { stem.to_owned() };
    let mut source = side.source.clone();
    let mut first = None;
    for attempt in 0..ATTEMPTS {
        let begin = if at == 0 { "_sides = []" } else { "" };
        let code = format!(
            "import _compare\n{begin}\n_sides.append(_compare.load(*{}))",
            json!([name, side.shown, source, side.package])
        );
        let outcome = workspace.run(&code, OWN);
        let Some(raised) = outcome.error else { return Ok(()) };
        if raised.interrupted {
            return Err(Failure::Stopped);
        }
        let line = raised.frames.iter().rev().find(|frame| frame.cell == side.shown).map(|frame| frame.line);
        let line = line.or(raised.line);
        let place = line.map_or_else(String::new, |line| format!(":{line}"));
        let why = format!("{}{place}: {raised}", side.shown);
        first = first.or(Some(why));
        let next = match attempt {
            0 => definitions(&source),
            _ => line.and_then(|line| without(&source, line)),
        };
        match next {
            Some(next) => source = next,
            None => break,
        }
    }
    Err(Failure::Unreadable(first.unwrap_or_default()))
}

/// Runs code of the command's own.
fn done(workspace: &mut Workspace, code: &str) -> Result<(), Failure> {
    workspace.run(code, OWN).error.map_or(Ok(()), |raised| Err(failure(&raised)))
}

/// What stops a comparison, as a sentence.
fn failure(raised: &Raised) -> Failure {
    match raised.kind.as_str() {
        _ if raised.interrupted => Failure::Stopped,
        "_pairing.Cannot" => Failure::Unreadable(raised.message.clone()),
        kind => Failure::Unreadable(format!("{kind}: {}", raised.message)),
    }
}
