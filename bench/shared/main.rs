//! What a claim and an increment cost at a shared place, beside the same scripts sent by the client library alone, and how the
//! cost grows with the workers on one budget: `cargo bench --bench shared`.
//!
//! Needs `redis-server`; it is started on a socket of its own. `BENCH_CALLS` (default 2000) is the number of calls measured.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ralph_sdk_tools::rules::budget::{Ask, Budget, BudgetLimits, BudgetPeriod, Spent};
use ralph_sdk_tools::rules::lease::Beat;
use ralph_sdk_tools::store::clock::SystemClock;
use ralph_sdk_tools::store::shared::{Folder, Place, Server, Worker};
use redis::{Script, Value};

const CLOCK: &str = "local function instant()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
";
const COMMON: &str = include_str!("../../src/store/shared/redis/common.lua");
const ADMIT: &str = include_str!("../../src/store/shared/redis/admit.lua");
const CLAIM: &str = include_str!("../../src/store/shared/redis/claim.lua");

const TASKS: [&str; 3] = ["first-task", "second-task", "third-task"];

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let calls = std::env::var("BENCH_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let folder = tempfile::tempdir().expect("a folder");
    let Some(redis) = Redis::start(folder.path()) else {
        println!("redis-server is not installed: nothing is measured");
        return;
    };
    println!("{calls} calls each, in turns of 20; microseconds a call (median of the turns)\n");
    side_by_side(&redis, calls);
    growth(&redis, folder.path(), calls);
}

/// Ours and the library alone, in turns, so that both meet the same noise.
fn side_by_side(redis: &Redis, calls: usize) {
    let place = Server::new(&redis.url, "bench").expect("a URL");
    let mut connection = redis::Client::open(redis.url.as_str()).expect("a URL").get_connection().expect("connected");
    let (admit, claim) = (Script::new(&format!("{CLOCK}{COMMON}{ADMIT}")), Script::new(&format!("{CLOCK}{COMMON}{CLAIM}")));
    let budgets = [budget()];
    let mut number = 0_usize;
    let said = r#"{"machine":"m","project":"/p"}"#;
    let [ours, alone] = in_turns(
        calls,
        [
            &mut || {
                number += 1;
                ask(&place, &budgets, &format!("ours-{number}"), "worker");
            },
            &mut {
                let mut number = 0_usize;
                move || {
                    number += 1;
                    let _: Value = admit
                        .key(format!("ralph:{{raw}}:operation:{number}"))
                        .key("ralph:{raw}:plan-limit")
                        .key("ralph:{raw}:seen")
                        .key("ralph:{raw}:workers")
                        .key("ralph:{raw}:budget:hour:b")
                        .arg("9000000000000000")
                        .arg(&["1", "0", "0", "worker", said, "60000", "1000000000", "-1", "-1"])
                        .invoke(&mut connection)
                        .expect("answered");
                }
            },
        ],
    );
    println!("increment  here {ours:7.1}  library alone {alone:7.1}  {:.2} times", ours / alone);
    let mut connection = redis::Client::open(redis.url.as_str()).expect("a URL").get_connection().expect("connected");
    let worker = Worker { name: "worker", beat: Some(beat()) };
    let [ours, alone] = in_turns(
        calls,
        [
            &mut || {
                place.claim("plan", &TASKS, &worker, 60_000).expect("claimed");
            },
            &mut move || {
                let _: Value = claim
                    .key("ralph:{raw}:claims:plan")
                    .key("ralph:{raw}:seen")
                    .key("ralph:{raw}:workers")
                    .arg(&["worker", said, "60000"])
                    .arg(&TASKS)
                    .invoke(&mut connection)
                    .expect("answered");
            },
        ],
    );
    println!("claim      here {ours:7.1}  library alone {alone:7.1}  {:.2} times\n", ours / alone);
}

/// One budget, more and more workers that have spent of it.
fn growth(redis: &Redis, folder: &Path, calls: usize) {
    let shared = Folder::new(folder.join("shared"), Duration::from_secs(60), Arc::new(SystemClock));
    let places: [(&str, Box<dyn Place>); 2] =
        [("redis", Box::new(Server::new(&redis.url, "growth").expect("a URL"))), ("directory", Box::new(shared))];
    let budgets = [budget()];
    for (name, place) in places {
        let mut known = 0;
        for workers in [1, 10, 100, 1000] {
            while known < workers {
                ask(&*place, &budgets, &format!("{name}-new-{known}"), &format!("worker-{known}"));
                known += 1;
            }
            let mut number = 0;
            let [cost] = in_turns(
                calls,
                [&mut || {
                    number += 1;
                    let worker = format!("worker-{}", number % workers);
                    ask(&*place, &budgets, &format!("{name}-{workers}-{number}"), &worker);
                }],
            );
            println!("{name:9}  {workers:4} workers on one budget: {cost:7.1}");
        }
    }
}

fn ask(place: &dyn Place, budgets: &[Budget], operation: &str, worker: &str) {
    let ask = Ask { budgets, calls: 1, used: Spent::default() };
    let told = place.admit(operation, &ask, &Worker { name: worker, beat: Some(beat()) }).expect("answered");
    assert!(told.value.admitted);
}

fn budget() -> Budget {
    let limits = BudgetLimits { calls: Some(1_000_000_000), ..BudgetLimits::default() };
    Budget { name: "b".into(), per: BudgetPeriod::Hour, limits }
}

fn beat() -> Beat {
    Beat { machine: Some("m".into()), project: Some("/p".into()), ..Beat::default() }
}

/// Runs each in turns of 20; the medians of a call's cost in microseconds.
fn in_turns<const N: usize>(calls: usize, mut each: [&mut dyn FnMut(); N]) -> [f64; N] {
    const TURN: u32 = 20;
    let mut costs: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..calls.div_ceil(TURN as usize) {
        for (work, costs) in each.iter_mut().zip(&mut costs) {
            let begun = Instant::now();
            for _ in 0..TURN {
                work();
            }
            costs.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(TURN));
        }
    }
    costs.map(|mut costs| {
        costs.sort_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied().unwrap_or_default()
    })
}

/// A server; it stops when dropped.
struct Redis {
    child: Child,
    url: String,
}

impl Redis {
    fn start(folder: &Path) -> Option<Self> {
        let socket = folder.join("socket");
        let child = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no"])
            .arg("--unixsocket")
            .arg(&socket)
            .stdout(Stdio::null())
            .spawn()
            .ok()?;
        let url = format!("unix://{}", socket.display());
        let begun = Instant::now();
        while redis::Client::open(url.as_str()).and_then(|client| client.get_connection()).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the server starts");
            thread::sleep(Duration::from_millis(5));
        }
        Some(Self { child, url })
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
