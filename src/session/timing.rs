//! `%time`, `%timeit` and `x?`: builtins that `magics` calls, run in the cells' namespace.
//! What they say goes to the sink, as IPython words it.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine, builtins::PyStrRef, scope::Scope};

use super::{
    builtins::documentation,
    cell::Cell,
    output::{Channel, Sink},
};

/// Rounds of `%timeit`.
const ROUNDS: u32 = 7;
/// How long one round takes at least.
const ROUND: Duration = Duration::from_millis(50);

/// Puts the builtins into `vm`.
pub(super) fn install(sink: &Rc<RefCell<Sink>>, scope: &Scope, vm: &VirtualMachine) -> PyResult<()> {
    let (to, within) = (sink.clone(), scope.clone());
    let time = move |source: PyStrRef, vm: &VirtualMachine| -> PyResult {
        let statement = Statement::compile(&source, vm)?;
        let start = Instant::now();
        let value = statement.run(&within, vm)?;
        to.borrow_mut().write(Channel::Stdout, &wall_time(start.elapsed()));
        Ok(value)
    };
    let (to, within) = (sink.clone(), scope.clone());
    let timeit = move |source: PyStrRef, vm: &VirtualMachine| -> PyResult<()> {
        let text = source.as_wtf8().to_string_lossy().into_owned();
        let statement = Statement::compile(&vm.ctx.new_str(without_options(&text)), vm)?;
        let report = often(|| statement.run(&within, vm).map(|_| ()))?;
        to.borrow_mut().write(Channel::Stdout, &report);
        Ok(())
    };
    let (to, within) = (sink.clone(), scope.clone());
    let help = move |source: PyStrRef, vm: &VirtualMachine| -> PyResult<()> {
        let text = match Statement::compile(&source, vm).and_then(|statement| statement.run(&within, vm)) {
            Ok(about) => documentation(&about, vm)?,
            Err(_) => format!("Object `{}` not found.\n", source.as_wtf8().to_string_lossy()),
        };
        to.borrow_mut().write(Channel::Stdout, &text);
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

/// What `%%timeit` says about running `work` again and again.
pub(super) fn often(mut work: impl FnMut() -> PyResult<()>) -> PyResult<String> {
    let mut round = |times: u32| -> PyResult<Duration> {
        let start = Instant::now();
        for _ in 0..times {
            work()?;
        }
        Ok(start.elapsed())
    };
    let mut times = 1;
    while times < 1_000_000 && round(times)? < ROUND {
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
        span(mean),
        span(spread.sqrt()),
        grouped(times),
        if times == 1 { "" } else { "s" },
    ))
}

/// What `%time` says.
pub(super) fn wall_time(elapsed: Duration) -> String {
    format!("Wall time: {}\n", span(elapsed.as_secs_f64()))
}

struct Statement(Cell);

impl Statement {
    fn compile(source: &PyStrRef, vm: &VirtualMachine) -> PyResult<Statement> {
        let text = source.as_wtf8().to_string_lossy().into_owned();
        let cell =
            Cell::compile(&text, "<timed>", vm).map_err(|error| vm.new_syntax_error(&error, Some(&text)))?;
        Ok(Statement(cell))
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

/// `-n 100 -r 3 f(x)` without its options.
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

/// A time with three digits, in the unit that suits it.
fn span(seconds: f64) -> String {
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

fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, span, without_options};

    #[test]
    fn times_have_three_digits() {
        for (seconds, text) in
            [(0.00123, "1.23 ms"), (1.5, "1.5 s"), (0.0000123456, "12.3 µs"), (0.0, "0 ns")]
        {
            assert_eq!(span(seconds), text);
        }
        assert_eq!(grouped(1_000_000), "1,000,000");
    }

    #[test]
    fn options_fall_away() {
        for text in ["f(-x)", "-n 10 f(-x)", "-n10 -r 3 f(-x)", "-o f(-x)"] {
            assert_eq!(without_options(text), "f(-x)");
        }
    }
}
