//! Folders of lessons: progress of their own, faults in words, translations, and nothing in them that a terminal obeys.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn attn(state: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    command.args(args).env("ATTN_STATE_DIR", state).env("COLUMNS", "100").env_remove("NO_COLOR");
    command.env_remove("CLICOLOR_FORCE").stdin(Stdio::null()).output().expect("attn runs")
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("attn writes text")
}

/// The path of a folder of lessons in the repository.
fn course(name: &str) -> String {
    format!("{}/tests/courses/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A copy of a folder of lessons.
fn copy(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    for entry in fs::read_dir(course(name)).expect("the course is there") {
        let path = entry.expect("a listed file can be read").path();
        let file = path.file_name().expect("a listed file has a name");
        fs::copy(&path, folder.path().join(file)).expect("a lesson can be copied");
    }
    folder
}

/// A copy of a folder of lessons in which `from`, where it stands first in `file`, is replaced by `to`.
fn edited(name: &str, file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = copy(name);
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).expect("the lesson is there");
    assert!(text.contains(from), "{from}");
    fs::write(&path, text.replacen(from, to, 1)).expect("it can be written");
    folder
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// The walkthrough of a course keeps its progress in a file of its own, and ends with the page to share.
#[test]
#[cfg(unix)]
fn a_course_has_progress_of_its_own() {
    use crate::terminal::State;
    use crate::walk::typed;
    let state = State::new();
    let folder = course("cosine");
    let (first, _, code) = typed(&["learn", &folder], &["a", "", "", "quit"], &state);
    assert_eq!(code, 0, "{first}");
    assert!(first.contains("Welcome") && first.contains("Which words point the same way"), "{first}");
    let files: Vec<_> =
        fs::read_dir(state.path().join("courses")).expect("there is progress").flatten().collect();
    assert!(files.iter().any(|file| file.file_name().to_string_lossy().starts_with("cosine-")), "{files:?}");
    assert!(!state.path().join("progress.json").exists(), "the chapter was not begun");
    let (again, _, _) = typed(&["learn", &folder], &["quit"], &state);
    assert!(!again.contains("Welcome") && again.contains("Before this"), "{again}");
    // The chapter has its own beginning.
    let (chapter, _, _) = typed(&["learn"], &["quit"], &state);
    assert!(chapter.contains("Welcome") && !chapter.contains("Which words"), "{chapter}");
    let (end, _, _) = typed(&["learn", &folder, "cosines"], &["1", "", "", "", "quit"], &state);
    assert!(end.contains("That was the course."), "{end}");
    let plain = end.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(plain.contains("-o page.html"), "{plain}");
    // Forgetting the course leaves nothing of it.
    let forgotten = attn(state.path(), &["reset", &folder, "--yes"]);
    assert!(words(&forgotten.stdout).contains("Deleted: all progress"), "{forgotten:?}");
    let (new, _, _) = typed(&["learn", &folder], &["quit"], &state);
    assert!(new.contains("Welcome"), "{new}");
}

/// A translation has the progress of its original.
#[test]
#[cfg(unix)]
fn a_translation_goes_on_where_the_original_was_left() {
    use crate::terminal::State;
    use crate::walk::typed;
    let state = State::new();
    let (_, _, code) = typed(
        &["learn", "split-by-view"],
        &["a", "a", "x.view(1, 3, 2, 2).transpose(1, 2)", "", "", "quit"],
        &state,
    );
    assert_eq!(code, 0);
    let (german, _, _) = typed(&["learn", &course("german")], &["quit"], &state);
    assert!(german.contains("Wann view nach transpose geht"), "{german}");
    assert!(!state.path().join("courses").exists());
}

/// Outputs that were changed, deleted or never recorded are written as they were, and no other byte changes. A lesson in
/// which nothing differs is not written. The chapter's lessons and other files are left alone.
#[test]
fn a_check_writes_outputs_into_lessons_of_a_course() {
    let state = tempfile::tempdir().expect("a folder for the test");
    let file = "02-cosine.md";
    let whole = fs::read_to_string(format!("{}/{file}", course("cosine"))).expect("the lesson is there");
    let begin = whole.find("```{output}").expect("the lesson has an output");
    let end = begin + whole[begin..].find("```\n\n").expect("it ends") + "```\n".len();
    for (old, new) in [
        ("[0.8000, 0.6000]])", "[0.8000, 0.7000]])\n\n2 more lines"),
        (&whole[begin..end], ""),
        (&whole[begin..end], "<!-- a remark -->\n````{output}\n```\n````\n"),
    ] {
        let folder = edited("cosine", file, old, new);
        let path = folder.path().join(file);
        let checked = attn(state.path(), &["check", utf8(folder.path()), "--write"]);
        assert_eq!(checked.status.code(), Some(0), "{checked:?}");
        assert!(words(&checked.stdout).contains("1 output written"), "{checked:?}");
        let written = fs::read_to_string(&path).expect("the lesson is there");
        assert_eq!(written.replace("<!-- a remark -->\n", ""), whole);
        let again = attn(state.path(), &["check", utf8(&path), "--write"]);
        assert!(again.status.success() && !words(&again.stdout).contains("written"), "{again:?}");
    }
    // A cell that raises has no output to record, and its fault stays.
    let broken = edited("cosine", file, "print(unit)\n", "print(units)\n");
    let text = fs::read_to_string(broken.path().join(file)).expect("the lesson is there");
    let checked = attn(state.path(), &["check", utf8(broken.path()), "--write"]);
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    assert_eq!(fs::read_to_string(broken.path().join(file)).expect("the lesson is there"), text);
    let notebook = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/files/differs.ipynb");
    for args in [&["check", "--write"][..], &["check", notebook, "--write"]] {
        let refused = attn(state.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(words(&refused.stderr).contains("--write is for lessons of your own"), "{refused:?}");
    }
}

/// Front matter that cannot be read, lessons of the same name, languages that do not fit: the fault has a file and a line.
#[test]
fn faults_of_a_folder_are_named() {
    let state = tempfile::tempdir().expect("a folder for the test");
    let said = |course: &str, file: &str, from: &str, to: &str, args: &[&str]| -> (Option<i32>, String) {
        let folder = edited(course, file, from, to);
        let mut args = args.to_vec();
        args.insert(1, utf8(folder.path()));
        let ended = attn(state.path(), &args);
        let all = words(&ended.stdout) + &words(&ended.stderr);
        (ended.status.code(), all.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let second = "02-cosine.md";
    // The time of reading grows with the square of the depth.
    let nested = format!("minutes: {}", "{\"a\":".repeat(13_000));
    for (from, to, fault) in [
        ("minutes: 7", nested.as_str(), "02-cosine.md:2: the front matter has 63 kB; up to 32 kB are read"),
        (
            "minutes: 7",
            "minuets: 7",
            "02-cosine.md:7: the front matter has no key `minuets` (nearest: minutes)",
        ),
        ("section: \"2\"\n", "", "02-cosine.md:1: the front matter: missing field `section`"),
        ("summary: The", "summary: [The", "02-cosine.md"),
        (
            "needs: [angles]",
            "needs: [angels]",
            "`needs` names `angels`, and no earlier lesson has that id (nearest: angles)",
        ),
        ("---\n\n# Only", "\n# Only", "02-cosine.md"),
    ] {
        for (args, code) in [(&["check"][..], 1), (&["learn", "cosines"], 3), (&["run", "cosines"], 3)] {
            if from.starts_with("needs") && args[0] == "learn" {
                // It is said when the cells run.
                continue;
            }
            let (ended, text) = said("cosine", second, from, to, args);
            assert!(text.contains(fault) && ended == Some(code), "{args:?} {from} -> {to}: {ended:?} {text}");
        }
    }
    for (from, to, fault) in [
        ("id: cosine\n", "id: angles\n", "has the id `angles`, too"),
        (":name: cosines", ":name: norms", "01-angles.md has a step or an exercise `norms`, too"),
        (":check: cosines is symmetric; ", ":check: cosines sums to 1; ", "`cosines sums to 1` is off by"),
    ] {
        let (ended, text) = said("cosine", second, from, to, &["check"]);
        assert!(text.contains(fault) && ended == Some(1), "{from} -> {to}: {text}");
    }
    let german = "09-cutting-heads.md";
    let (ended, text) = said("german", german, "id: cutting-heads", "id: cutting-head", &["list"]);
    assert!(
        ended == Some(3) && text.contains("no lesson has the id `cutting-head` (nearest: cutting-heads"),
        "{text}"
    );
    let folder = copy("german");
    fs::copy(format!("{}/02-cosine.md", course("cosine")), folder.path().join("06.md"))
        .expect("it is copied");
    let ended = attn(state.path(), &["list", utf8(folder.path())]);
    assert!(words(&ended.stderr).contains("has no `lang`"), "{ended:?}");
}

/// Whatever a folder of lessons contains: no command writes a character that a terminal obeys.
#[test]
fn nothing_in_a_lesson_commands_the_terminal() {
    const COMMANDS: &str = "\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{7f}\u{202e}\u{2066}";
    let is_obeyed = |c: char| {
        (c.is_control() && !"\n\r\t\u{8}".contains(c))
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || c == '\u{2066}'
    };
    let folder = tempfile::tempdir().expect("a folder for the test");
    let state = folder.path().join("state");
    let course = folder.path().join("course");
    fs::create_dir(&course).expect("it can be made");
    // YAML has no control characters in plain text: there they are written as escapes.
    let yaml = r#"\e]52;c;aGk=\a\x9b2J\x7f\u202e\u2066"#;
    let lesson = format!(
        "---\nid: one\ntitle: \"T{yaml}\"\nsection: \"1{yaml}\"\ntokens: [\"a{yaml}\", \"b{yaml}\"]\n\
         summary: \"S{yaml}\"\nminutes: 1\n---\n\n# T{COMMANDS}\n\nIntro {COMMANDS} [word](glossary.md#word{COMMANDS}).\n\n\
         ## Heading {COMMANDS}\n\nProse {COMMANDS} `code {COMMANDS}`.\n\n```text\nfence {COMMANDS}\n```\n\n\
         ```{{predict}}\nask: \"Q{yaml}\"\nchoices:\n  - text: \"A{yaml}\"\n    right: true\n  - text: \"B{yaml}\"\n    \
         because: \"C{yaml}\"\nright: \"R{yaml}\"\n```\n\n\
         ```{{code-cell}} python\n:name: first-step\n:axes: \"x: token\"\nimport torch\n\n# {COMMANDS}\nx = torch.tensor([1.0, 2.0])\n\
         print('{COMMANDS}')\n'{COMMANDS}'\n```\n```{{output}}\n{COMMANDS}\n'other {COMMANDS}'\n```\n\nAfter {COMMANDS}.\n\n\
         ```{{code-cell}} python\n:name: raising\n:tags: [raises-exception]\nraise ValueError('{COMMANDS}')\n```\n\
         ```{{output}}\nValueError: {COMMANDS}\n```\n\n\
         ## Exercise: E{COMMANDS}\n\nTask {COMMANDS}.\n\n```{{exercise}} python\n:name: own-work\n:title: W{COMMANDS}\n# {COMMANDS}\n```\n\
         ```{{hint}}\nH{COMMANDS}\n```\n```{{hint}}\nI{COMMANDS}\n```\n```{{solution}} python\ny = 1 # {COMMANDS}\n```\n\
         ```{{check}} python\nassert 'y' in globals(), 'no {COMMANDS}'\n```\n"
    );
    let glossary = format!(
        "# Glossary\n\nIntro {COMMANDS}\n\n## word\n\nMeaning {COMMANDS}.\n\n*First met in* [first-step](01.md#x). *Also:* w{COMMANDS}.\n"
    );
    let plain = [&lesson, &glossary].map(|text| text.contains('\u{1b}'));
    assert_eq!(plain, [true, true]);
    fs::write(course.join("01.md"), &lesson).expect("it is written");
    fs::write(course.join("glossary.md"), glossary).expect("it is written");
    fs::write(course.join("README.md"), format!("# Title {COMMANDS}\n")).expect("it is written");
    let name = utf8(&course);
    let page = folder.path().join("page.html");
    let mut shown = 0;
    for args in [
        &["list", name][..],
        &["list", name, "first-step"],
        &["--json", "list", name],
        &["run", name],
        &["run", "--plain", name],
        &["run", "--json", name],
        &["why", name, "first-step", "x[0]"],
        &["show", name, "first-step"],
        &["show", name, "glossary"],
        &["repl", name, "first-step"],
        &["learn", name],
        &["learn", name, "own-work"],
        &["review", name],
        &["check", name],
        &["check", "--json", name],
        &["export", name],
        &["show", "--json", name, "first-step"],
        &["export", name, "--format", "ipynb"],
        &["export", name, "-o", utf8(&page)],
        &["export", name, "own-work"],
    ] {
        let output = attn(&state, args);
        assert!(matches!(output.status.code(), Some(0..=3)), "{args:?}: {output:?}");
        // Markdown into a pipe is the author's text, for a file.
        let is_file = args[0] == "export" || args[0] == "run" && args.len() == 2;
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            let obeyed: Vec<&str> = text.lines().filter(|line| line.contains(is_obeyed)).collect();
            assert!(obeyed.is_empty() || is_file && stream == "stdout", "{args:?} on {stream}: {obeyed:#?}");
            shown += usize::from(text.contains("202e"));
        }
    }
    assert!(shown >= 10, "{shown}: {:?}", attn(&state, &["check", name]));
    let page = fs::read_to_string(&page).expect("the page is written");
    assert!(!page.contains(is_obeyed) && page.contains("202e"));
}
