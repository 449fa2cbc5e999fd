//! `%time`, `%timeit` and `x?`: the builtins that [`magics`](super::magics) puts in their place. They run in the
//! namespace of the cells and report in IPython's words.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine, builtins::PyStrRef, scope::Scope};

use super::{
    builtins::documentation,
    cell::CompiledCell,
    numbers::grouped,
    output::{Channel, OutputBuffer},
};

/// Rounds of `%timeit`.
const ROUNDS: u32 = 7;
/// The shortest time that one round takes.
const MIN_ROUND: Duration = Duration::from_millis(50);

/// Adds the builtins to `vm`. They write to `buffer`.
pub(super) fn install(
    buffer: &Rc<RefCell<OutputBuffer>>,
    scope: &Scope,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let (output, globals) = (buffer.clone(), scope.clone());
    let time = move |source: PyStrRef, vm: &VirtualMachine| -> PyResult {
        let statement = TimedStatement::compile(&source, vm)?;
        let start = Instant::now();
        let value = statement.run(&globals, vm)?;
        output.borrow_mut().write(Channel::Stdout, &wall_time(start.elapsed()));
        Ok(value)
    };
    let (output, globals) = (buffer.clone(), scope.clone());
    let timeit = move |source: PyStrRef, vm: &VirtualMachine| -> PyResult<()> {
        let text = source.as_wtf8().to_string_lossy().into_owned();
        let statement = TimedStatement::compile(&vm.ctx.new_str(without_options(&text)), vm)?;
        let report = timeit_report(|| statement.run(&globals, vm).map(|_| ()))?;
        output.borrow_mut().write(Channel::Stdout, &report);
        Ok(())
    };
    let (output, globals) = (buffer.clone(), scope.clone());
    let help = move |source: PyStrRef, vm: &VirtualMachine| -> PyResult<()> {
        let text =
            match TimedStatement::compile(&source, vm).and_then(|statement| statement.run(&globals, vm)) {
                Ok(about) => documentation(&about, vm)?,
                Err(_) => format!("Object `{}` not found.\n", source.as_wtf8().to_string_lossy()),
            };
        output.borrow_mut().write(Channel::Stdout, &text);
        Ok(())
    };
    let functions: [(&'static str, PyObjectRef); 3] = [
        ("__attn_time__", vm.new_function("__attn_time__", time).into()),
        ("__attn_timeit__", vm.new_function("__attn_timeit__", timeit).into()),
        ("__attn_help__", vm.new_function("__attn_help__", help).into()),
    ];
    for (name, function) in functions {
        vm.builtins.as_object().set_attr(name, function, vm)?;
    }
    Ok(())
}

/// Runs `work` many times and returns the report of `%%timeit`.
pub(super) fn timeit_report(mut work: impl FnMut() -> PyResult<()>) -> PyResult<String> {
    let mut round = |times: u32| -> PyResult<Duration> {
        let start = Instant::now();
        for _ in 0..times {
            work()?;
        }
        Ok(start.elapsed())
    };
    let mut times = 1;
    while times < 1_000_000 && round(times)? < MIN_ROUND {
        times *= 10;
    }
    let mut seconds = Vec::new();
    for _ in 0..ROUNDS {
        seconds.push(round(times)?.as_secs_f64() / f64::from(times));
    }
    let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
    let spread = seconds.iter().map(|second| (second - mean).powi(2)).sum::<f64>() / seconds.len() as f64;
    Ok(format!(
        "{} ± {} per loop (mean ± std. dev. of {ROUNDS} runs, {} loop{} each)\n",
        duration(mean),
        duration(spread.sqrt()),
        grouped(&times.to_string(), ',', 0),
        if times == 1 { "" } else { "s" },
    ))
}

/// The report of `%time`.
pub(super) fn wall_time(elapsed: Duration) -> String {
    format!("Wall time: {}\n", duration(elapsed.as_secs_f64()))
}

struct TimedStatement(CompiledCell);

impl TimedStatement {
    fn compile(source: &PyStrRef, vm: &VirtualMachine) -> PyResult<TimedStatement> {
        let text = source.as_wtf8().to_string_lossy().into_owned();
        let cell = CompiledCell::compile(&text, "<timed>", vm)
            .map_err(|error| vm.new_syntax_error(&error, Some(&text)))?;
        Ok(TimedStatement(cell))
    }

    fn run(&self, scope: &Scope, vm: &VirtualMachine) -> PyResult {
        if let Some(body) = &self.0.body {
            vm.run_code_obj(body.clone(), scope.clone())?;
        }
        match &self.0.last {
            Some(last) => vm.run_code_obj(last.clone(), scope.clone()),
            None => Ok(vm.ctx.none()),
        }
    }
}

/// The code of a `%timeit` line without its options: `f(x)` of `-n 100 -r 3 f(x)`.
fn without_options(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(option) = rest.strip_prefix('-') {
        let takes_number = option.starts_with(['n', 'r', 'p']);
        let (word, after) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
        let after = after.trim_start();
        rest = match takes_number && word.len() == 1 {
            true => after.split_once(char::is_whitespace).map_or("", |(_, after)| after.trim_start()),
            false => after,
        };
    }
    rest
}

/// A duration with three significant digits, in the largest unit in which it is at least 1: `12.3 µs`.
fn duration(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")];
    let (scale, unit) = units.into_iter().find(|(scale, _)| seconds * scale >= 1.0).unwrap_or((1e9, "ns"));
    let value = seconds * scale;
    let decimals = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    let digits = format!("{value:.decimals$}");
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => &digits,
    };
    format!("{digits} {unit}")
}
