//! The second wall: native code that runs in the middle of a cell, as it might by a defect of the interpreter, is refused by
//! the system what no cell needs.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use attn::session::{Session, SessionOptions, with_large_stack};
use attn::shims::FileAccess;
use attn::shims::wall::{self, Wall};
use rustix::process::{getppid, test_kill_process};

/// What a back door tries, and how that ended. `file` is one that is there, in a folder that may be written; `port` and `socket`
/// are those of a server.
fn attempts(file: &Path, port: u16, socket: &Path) -> Vec<(&'static str, io::Result<()>)> {
    let beside = file.with_file_name("made");
    let parent = getppid().expect("there is a parent");
    vec![
        ("files: reads", File::open(file).map(drop)),
        ("files: reads a password", File::open("/etc/passwd").map(drop)),
        ("files: reads by another way", File::open("/proc/self/root/etc/passwd").map(drop)),
        (
            "files: reads the parent's memory",
            File::open(format!("/proc/{}/mem", parent.as_raw_nonzero())).map(drop),
        ),
        ("files: writes its own memory", File::options().write(true).open("/proc/self/mem").map(drop)),
        ("files: lists", fs::read_dir("/").map(drop)),
        ("files: writes", fs::write(&beside, "x")),
        ("files: appends", File::options().append(true).open(file).map(drop)),
        ("files: empties", File::options().write(true).truncate(true).open(file).map(drop)),
        ("files: renames", fs::rename(file, &beside)),
        ("files: links", std::os::unix::fs::symlink(file, &beside)),
        ("files: removes", fs::remove_file(file)),
        ("files: makes a folder", fs::create_dir(&beside)),
        ("calls: opens to all", fs::set_permissions(file, Permissions::from_mode(0o777))),
        ("calls: connects", TcpStream::connect(("127.0.0.1", port)).map(drop)),
        ("calls: sends", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("calls: asks another program", UnixStream::connect(socket).map(drop)),
        ("calls: starts a program", Command::new("true").spawn().map(drop)),
        ("calls: signals another process", test_kill_process(parent).map_err(io::Error::from)),
        (
            "threads: stays inside on another thread",
            thread::spawn(|| File::open("/etc/passwd").map(drop)).join().unwrap(),
        ),
    ]
}

#[test]
fn a_back_door_leads_nowhere() {
    if crate::apart::ran() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("secret.txt");
    fs::write(&file, "kept").expect("it is written");
    let server = TcpListener::bind("127.0.0.1:0").expect("a server");
    let port = server.local_addr().expect("it has an address").port();
    let socket = folder.path().join("socket");
    let _local = UnixListener::bind(&socket).expect("a server");

    let (sender, tried) = channel();
    let (door, home) = (file.clone(), folder.path().to_owned());
    let (before, held, printed) = with_large_stack(move || {
        // Without the wall, the harmless half of this succeeds.
        let before = File::open(&door).and_then(|_| TcpStream::connect(("127.0.0.1", port))).is_ok();
        let held = wall::raise();
        assert_eq!(wall::raise(), held, "once is enough");
        let on_output = move |_, _: &str| {
            let _ = sender.send(attempts(&door, port, &socket));
        };
        let files = FileAccess::new(&home, &["".into()], &["".into()]).expect("the folder is there");
        let options =
            SessionOptions { on_output: Some(Box::new(on_output)), files, ..SessionOptions::default() };
        let outcome = Session::new(options).run(
            "open('allowed.txt', 'w').write(open('secret.txt').read())\nprint(open('allowed.txt').read())",
            "cell 1",
        );
        (before, held, outcome.stdout)
    });
    assert!(before);
    // What the command line opens to cells is open to them, behind the wall too.
    assert_eq!(printed, "kept\n");
    assert_eq!(fs::read_to_string(&file).expect("it is left"), "kept");
    let tried = tried.recv().expect("the back door was tried");
    for (what, ended) in tried {
        let refused = ended.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        let Wall { files, calls } = held;
        match what.split(':').next() {
            Some("files" | "threads") if !files => {}
            Some("calls") if !calls => {}
            _ => assert!(refused, "{what}: {ended:?}"),
        }
    }
    // This thread has no wall.
    fs::File::options()
        .append(true)
        .open(&file)
        .and_then(|mut file| file.write_all(b"!"))
        .expect("it is open");
}
