//! A server that misbehaves: what is told, and that nothing is counted twice or admitted past a limit.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;
use crate::rules::budget::{BudgetLimits, BudgetPeriod};
use crate::store::shared::tests::TestServer;

const LITTLE: Duration = Duration::from_millis(150);
const SECRET: &str = "s3cret";

fn budgets(limit: u64) -> [Budget; 1] {
    let limits = BudgetLimits { calls: Some(limit), ..BudgetLimits::default() };
    [Budget { name: "b".into(), per: BudgetPeriod::Hour, limits }]
}

fn hurried(url: &str) -> Server {
    Server::with(url, "g", scripts::SERVER_CLOCK, LITTLE).expect("a URL")
}

fn admit(place: &Server, operation: &str, limit: u64) -> Result<bool> {
    let budgets = budgets(limit);
    let ask = Ask { budgets: &budgets, calls: 1, used: Spent::default() };
    place.admit(operation, &ask, &Worker { name: "w", beat: None }).map(|told| told.value.admitted)
}

fn used(server: &TestServer) -> u64 {
    let budgets = budgets(1);
    let tally = Server::new(&server.url(), "g").expect("a URL").tally(&budgets).expect("told").value;
    tally.steps[0].used(BudgetPeriod::Hour, tally.now).calls
}

/// The error's message, which must have these parts, and no secret.
fn refused(place: &Server, parts: &[&str]) {
    let error = admit(place, "x", 9).expect_err("refused");
    assert_eq!(error.code(), ErrorCode::SharedUnreachable);
    for part in parts {
        assert!(error.message().contains(part), "{part:?} is not in {error}");
    }
    assert!(!format!("{error} {place:?}").contains(SECRET), "{error} {place:?}");
}

/// Until it works, for a server that is left alone for a moment is asked again.
fn eventually<T>(mut work: impl FnMut() -> Result<T>) -> T {
    for _ in 0..2_000 {
        if let Ok(value) = work() {
            return value;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it never worked: {:?}", work().err());
}

/// A server of our own that gives each request to `answer`, which says what to send and whether to go on.
fn fake(answer: impl Fn(&[u8]) -> (Vec<u8>, bool) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("redis://:{SECRET}@{}", listener.local_addr().expect("an address"));
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || serve(stream, &*answer));
        }
    });
    url
}

fn serve(mut stream: TcpStream, answer: &impl Fn(&[u8]) -> (Vec<u8>, bool)) {
    let mut request = vec![0; 1 << 16];
    while let Ok(length @ 1..) = stream.read(&mut request) {
        let (bytes, go_on) = answer(&request[..length]);
        if stream.write_all(&bytes).is_err() || !go_on {
            return;
        }
    }
}

#[test]
fn an_error_says_what_to_do_and_keeps_the_secret() {
    let ok_but_then = |then: &'static str| {
        fake(move |request| {
            if request.windows(4).any(|word| word == b"AUTH") {
                (b"+OK\r\n".to_vec(), true)
            } else {
                (then.as_bytes().to_vec(), true)
            }
        })
    };
    for (answer, parts) in [
        ("-MOVED 3999 10.0.0.7:6381\r\n", &["node of a cluster", "10.0.0.7:6381"][..]),
        ("-READONLY You can't write against a read only replica.\r\n", &["replica", "name the primary"]),
        ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", &["is full", "more memory"]),
        ("-ERR unknown command 'EVALSHA'\r\n", &["6 or later"]),
        ("-NOPERM this user has no permissions\r\n", &["allow it EVAL"]),
        ("-LOADING Redis is loading the dataset in memory\r\n", &["still reading", "wait"]),
        ("-CLUSTERDOWN Hash slot not served\r\n", &["cluster"]),
        ("-MISCONF Redis is configured to save RDB snapshots\r\n", &["cannot save to its disk"]),
        ("-WHATEVER it says\r\n", &["refuses", "it says"]),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", &["not as Redis does"]),
        ("*1\r\n$3\r\nabc\r\n", &["not as Redis does"]),
        ("+OK\r\n", &["not as Redis does"]),
    ] {
        refused(&hurried(&ok_but_then(answer)), parts);
    }
    refused(&hurried(&fake(|_| (b"-WRONGPASS invalid username-password pair\r\n".to_vec(), true))), &["password", "correct"]);
    refused(&hurried(&fake(|_| (Vec::new(), false))), &["cuts the connection", "rediss://"]);
    refused(&hurried(&fake(|_| (Vec::new(), true))), &["no answer within"]);
    refused(&hurried("redis://:s3cret@127.0.0.1:1"), &["takes no connections", "start it"]);
    refused(&hurried("unix:///no/such/socket?pass=s3cret"), &["no socket", "correct the path"]);
    refused(&hurried(&fake(|_| (b"+OK\r\n".to_vec(), true)).replace("redis:", "rediss:")), &["does not speak TLS"]);
}

#[test]
fn a_wrong_url_is_told_without_it() {
    for (url, part) in [
        ("redis://:s3cret@host/first", "database"),
        ("redis://:s3cret@host:port", "URL"),
        ("redis://:s3cret@", "URL"),
        ("rediss://:s3cret@0.0.0.0", "0.0.0.0"),
        ("unix://s3cret", "unix:///"),
    ] {
        let wrong = Server::new(url, "g").expect_err(url);
        assert!(wrong.0.contains(part) && !wrong.0.contains(SECRET), "{url}: {wrong:?}");
    }
}

#[test]
fn a_wrong_password_is_told_and_the_right_one_works() {
    let Some(server) = TestServer::start(&["--requirepass", SECRET]) else { return };
    let url = |rest: &str| format!("{}{rest}", server.url());
    refused(&hurried(&url("")), &["asks for a password"]);
    refused(&hurried(&url("?pass=s3cret-not")), &["refuses the user or the password"]);
    assert_eq!(admit(&hurried(&url("?pass=s3cret")), "1", 1), Ok(true));
    assert_eq!(admit(&hurried(&url("?pass=s3cret&user=default&db=3")), "1", 1), Ok(true));
    refused(&hurried(&url("?pass=s3cret&db=99")), &["no such database"]);
}

#[test]
fn a_full_server_and_a_replica_count_nothing() {
    let Some(server) = TestServer::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]) else { return };
    refused(&hurried(&server.url()), &["is full"]);
    redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg("0").exec(&mut server.connection()).expect("set");
    assert_eq!(used(&server), 0);
    let place = hurried(&server.url());
    assert_eq!(admit(&place, "1", 5), Ok(true));
    redis::cmd("REPLICAOF").arg("127.0.0.1").arg("1").exec(&mut server.connection()).expect("set");
    refused(&place, &["replica", "name the primary"]);
    assert_eq!(used(&server), 1, "a replica still reads");
}

#[test]
fn a_server_that_comes_back_needs_no_restart_and_starts_empty() {
    let Some(mut server) = TestServer::start(&[]) else { return };
    let place = hurried(&server.url());
    assert_eq!(admit(&place, "1", 1), Ok(true));
    assert_eq!(admit(&place, "2", 1), Ok(false));
    server.stop();
    refused(&place, &["takes no connections"]);
    refused(&place, &["takes no connections", "asked again in"]);
    server.restart(&[]);
    assert!(eventually(|| admit(&place, "3", 1)), "its data is lost");
    redis::cmd("FLUSHALL").exec(&mut server.connection()).expect("flushed");
    redis::cmd("SCRIPT").arg("FLUSH").exec(&mut server.connection()).expect("flushed");
    assert_eq!(admit(&place, "4", 1), Ok(true));
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").exec(&mut server.connection()).ok();
    assert_eq!(admit(&place, "5", 2), Ok(true), "a connection that was cut while it idled is made anew at once");
}

/// What a paused server finds when it goes on was given up long ago: it must not count.
#[test]
fn what_nobody_waits_for_any_more_does_not_count() {
    let Some(server) = TestServer::start(&[]) else { return };
    let signal = |name: &str| {
        let done = Command::new("kill").args([name, &server.pid().to_string()]).status().expect("kill");
        assert!(done.success());
    };
    let place = hurried(&server.url());
    assert_eq!(admit(&place, "1", 9), Ok(true));
    signal("-STOP");
    refused(&place, &["no answer within"]);
    thread::sleep(LITTLE);
    signal("-CONT");
    assert!(eventually(|| admit(&place, "3", 9)));
    assert_eq!(used(&server), 2);
}

/// Answers are cut on the way: the request is made again, and counts once.
#[test]
fn a_request_made_twice_counts_once() {
    let Some(server) = TestServer::start(&[]) else { return };
    let (socket, exchanges) = (server.folder().join("socket"), AtomicUsize::new(0));
    let proxy = fake(move |request| {
        if request.windows(4).any(|word| word == b"AUTH") {
            return (b"+OK\r\n".to_vec(), true);
        }
        let mut real = UnixStream::connect(&socket).expect("the real one");
        real.write_all(request).expect("sent");
        let mut answer = vec![0; 1 << 16];
        let length = real.read(&mut answer).expect("answered");
        // Every fifth answer is cut in the middle, and every seventh is not given at all.
        let number = exchanges.fetch_add(1, Ordering::SeqCst);
        let (kept, go_on) = match number {
            n if n % 5 == 4 => (length / 2, false),
            n if n % 7 == 6 => (0, false),
            _ => (length, true),
        };
        (answer[..kept].to_vec(), go_on)
    });
    let place = hurried(&proxy);
    let mut admitted = 0;
    for number in 0..60 {
        // A request whose second answer is cut as well has failed for its caller, who does not make the call.
        admitted += u64::from(eventually(|| admit(&place, &format!("operation {number}"), 40)));
    }
    assert_eq!((admitted, used(&server)), (40, 40));
}

/// A server's clock that jumps ahead makes no request late for ever; and ours does not matter.
#[test]
fn a_clock_that_jumps_ahead_is_followed() {
    let Some(server) = TestServer::start(&[]) else { return };
    let clock = "local function instant() return tonumber(redis.call('GET', 'clock')) end\n";
    let mut connection = server.connection();
    let mut set = |now: u64| redis::cmd("SET").arg("clock").arg(now).exec(&mut connection).expect("set");
    set(86_400_000 * 20_000);
    let place = Server::with(&server.url(), "g", clock, LITTLE).expect("a URL");
    assert_eq!(admit(&place, "1", 3), Ok(true));
    set(86_400_000 * 20_001);
    assert_eq!(admit(&place, "2", 3), Ok(true));
    set(86_400_000 * 19_999);
    assert_eq!(admit(&place, "3", 1), Ok(false), "a clock that goes back makes nothing free");
}

/// A free port, as far as one can tell.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// What the process that trusts the server's authority is asked to do: this very test, told so by a variable, for whom to
/// trust is said by the environment.
const TRUSTING: &str = "RALPH_TEST_TLS_URL";

#[test]
fn tls_is_spoken_with_whom_the_system_trusts() {
    if let Ok(url) = std::env::var(TRUSTING) {
        assert_eq!(admit(&Server::new(&url, "g").expect("a URL"), "1", 1), Ok(true));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(path("cert.pem"), signed.cert.pem()).expect("written");
    std::fs::write(path("key.pem"), signed.signing_key.serialize_pem()).expect("written");
    let port = free_port().to_string();
    let (cert, key) = (path("cert.pem"), path("key.pem"));
    let settings = ["--port", "0", "--tls-port", &port, "--tls-cert-file", &cert, "--tls-key-file", &key];
    let more = ["--tls-ca-cert-file", &cert, "--tls-auth-clients", "no", "--requirepass", SECRET];
    let Some(_server) = TestServer::start(&[&settings[..], &more[..]].concat()) else { return };
    let url = format!("rediss://:{SECRET}@localhost:{port}");
    refused(&Server::new(&url, "g").expect("a URL"), &["certificate that is not trusted", "SSL_CERT_FILE"]);
    let plain = url.replace("rediss:", "redis:");
    refused(&hurried(&plain), &["rediss://"]);
    let name = "store::shared::redis::tests::tls_is_spoken_with_whom_the_system_trusts";
    let trusting = Command::new(std::env::current_exe().expect("ourselves"))
        .args(["--exact", name])
        .env("SSL_CERT_FILE", &cert)
        .env(TRUSTING, &url)
        .output()
        .expect("run");
    assert!(trusting.status.success(), "{}", String::from_utf8_lossy(&trusting.stdout));
}
