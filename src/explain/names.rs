//! What a learner calls a tensor: its variable, a row of one, or the expression that made it.
//! Room: explain.

use crate::tensor::{Arg, Tensor};

/// The names that are bound, most telling first.
#[derive(Default, Debug)]
pub struct Names {
    bound: Vec<(String, Tensor)>,
}

/// How deep an expression without a name is spelled out.
const DEPTH: usize = 3;

impl Names {
    /// The names of these variables.
    pub fn new(variables: impl IntoIterator<Item = (String, Tensor)>) -> Names {
        Names { bound: variables.into_iter().collect() }
    }

    /// The variable of this name.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.bound.iter().find(|(bound, _)| bound == name).map(|(_, tensor)| tensor)
    }

    /// What to call a tensor: a variable, a part of one, or an expression of such.
    pub fn of(&self, tensor: &Tensor) -> String {
        self.known(tensor).unwrap_or_else(|| self.expression(tensor, DEPTH))
    }

    /// What to call an operand.
    pub fn of_arg(&self, arg: &Arg) -> String {
        self.arg(arg, DEPTH)
    }

    /// Whether a name can be given without spelling out an expression.
    pub fn knows(&self, tensor: &Tensor) -> bool {
        self.known(tensor).is_some()
    }

    fn known(&self, tensor: &Tensor) -> Option<String> {
        let same = |bound: &&(String, Tensor)| bound.1.is(tensor);
        if let Some((name, _)) = self.bound.iter().find(same) {
            return Some(name.clone());
        }
        let sharing = || self.bound.iter().filter(|(_, bound)| bound.storage().same(tensor.storage()));
        // A row of a matrix is called so before it is called by another name for the same row.
        let mut wide: Vec<&(String, Tensor)> = sharing().collect();
        wide.sort_by_key(|(_, bound)| std::cmp::Reverse(bound.ndim()));
        if let Some(part) = wide.into_iter().find_map(|(name, bound)| part_of(name, bound, tensor)) {
            return Some(part);
        }
        sharing().find(|(_, bound)| bound.layout() == tensor.layout()).map(|(name, _)| name.clone())
    }

    fn expression(&self, tensor: &Tensor, depth: usize) -> String {
        let Some(record) = tensor.origin() else {
            return "a tensor".to_owned();
        };
        let args = record.args();
        let op = record.op.trim_end_matches('_');
        if depth == 0 || args.is_empty() {
            return format!("{op}(…)");
        }
        let sign = match op {
            "add" => " + ",
            "sub" => " - ",
            "mul" => " * ",
            "div" => " / ",
            "pow" => "**",
            "matmul" | "mm" | "mv" | "bmm" => " @ ",
            "dot" => " · ",
            _ => "",
        };
        let name = |at: usize| args.get(at).map_or_else(String::new, |arg| self.arg(arg, depth - 1));
        match op {
            _ if !sign.is_empty() && args.len() >= 2 => {
                format!("{}{sign}{}", grouped(name(0), op), grouped(name(1), op))
            }
            "T" | "t" => format!("{}.T", grouped(name(0), "pow")),
            "transpose" => format!("{}.transpose({}, {})", grouped(name(0), "pow"), name(1), name(2)),
            "neg" => format!("-{}", grouped(name(0), "mul")),
            "unbind" => format!("{}[{}]", grouped(name(0), "pow"), tensor.output_index()),
            "contiguous" | "clone" | "detach" | "to" | "float" => name(0),
            "linear" => format!("{} @ {}.T", grouped(name(0), "matmul"), grouped(name(1), "pow")),
            "setitem" | "copy" | "fill" => name(0),
            _ => format!("{op}({})", name(0)),
        }
    }

    fn arg(&self, arg: &Arg, depth: usize) -> String {
        match arg {
            Arg::Tensor(tensor) => self.known(tensor).unwrap_or_else(|| self.expression(tensor, depth)),
            Arg::Tensors(tensors) => {
                let names: Vec<String> = tensors.iter().map(|tensor| self.of(tensor)).collect();
                format!("[{}]", names.join(", "))
            }
            Arg::Int(value) => value.to_string(),
            Arg::Float(value) => super::terms::figure(*value),
            Arg::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
            Arg::Str(text) => format!("'{text}'"),
            _ => "…".to_owned(),
        }
    }
}

/// In brackets where the operator around it binds tighter.
fn grouped(text: String, op: &str) -> String {
    let loose = matches!(op, "mul" | "div" | "matmul" | "mm" | "mv" | "bmm" | "dot" | "pow");
    let has = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    let needs = (loose && has(&[" + ", " - "])) || (op == "pow" && has(&[" * ", " / ", " @ "]));
    if needs { format!("({text})") } else { text }
}

/// `name[i]`, `name[:, i]` or `name.T`, where a tensor is that part of a variable.
fn part_of(name: &str, bound: &Tensor, tensor: &Tensor) -> Option<String> {
    let (whole, part) = (bound.layout(), tensor.layout());
    if whole.ndim() == 2 && *part == whole.transpose(0, 1) {
        return Some(format!("{name}.T"));
    }
    if part.ndim() + 1 == whole.ndim() {
        for axis in 0..whole.ndim() {
            let found = (0..whole.shape[axis]).find(|&at| whole.select(axis, at) == *part);
            if let Some(at) = found {
                return Some(format!("{name}[{}{at}]", ":, ".repeat(axis)));
            }
        }
    }
    if part.ndim() == 0 {
        let index = whole.index_of(part.offset)?;
        let texts: Vec<String> = index.iter().map(usize::to_string).collect();
        return Some(format!("{name}[{}]", texts.join(", ")));
    }
    None
}
