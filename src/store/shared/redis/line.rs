//! The connection to a server: made when it is needed, and made anew when it breaks.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Client, Connection, ConnectionInfo, RedisResult, Value};

use super::answer::Answer;
use super::failure::{Failure, shown};
use super::scripts::{Call, Operation, Scripts};
use crate::error::{Error, ErrorCode, Result};
use crate::rules::backoff::Backoff;
use crate::rules::budget::Millis;
use crate::waits;

/// How long a connection may take, its handshake included; and how long an answer may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// One connection to a server.
pub(super) struct Line {
    info: ConnectionInfo,
    shown: String,
    scripts: Scripts,
    patience: Duration,
    since: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    backoff: Backoff,
    /// Why it failed last.
    reason: String,
}

struct Open {
    connection: Connection,
    /// The server's clock at `Line::since`, by its last answer: it may lie before 1970, hence the sign.
    origin: i128,
}

impl Line {
    pub(super) fn new(info: ConnectionInfo, clock: &str, patience: Duration) -> Self {
        let shown = shown(info.addr());
        Self { info, shown, scripts: Scripts::new(clock), patience, since: Instant::now(), state: Mutex::default() }
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Runs a script and reads its answer, of which the first member is the server's instant. What fails on the way is
    /// tried once more, on a new connection; then the server is left alone for a while.
    pub(super) fn run<T>(&self, call: &Call, read: impl Fn(Millis, &mut Answer) -> Option<T>) -> Result<T> {
        waits::during(|| self.run_now(call, &read))
    }

    fn run_now<T>(&self, call: &Call, read: impl Fn(Millis, &mut Answer) -> Option<T>) -> Result<T> {
        let mut state = self.lock();
        if let Some(left) = state.backoff.left(self.since.elapsed()) {
            return Err(self.unreachable(&state.reason, left));
        }
        let mut failure = match self.attempt(&mut state, call, &read) {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        if failure.again {
            failure = match self.attempt(&mut state, call, &read) {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
        }
        let pause = state.backoff.failed(self.since.elapsed());
        let error = self.unreachable(&failure.reason, pause);
        state.reason = failure.reason;
        Err(error)
    }

    fn attempt<T>(&self, state: &mut State, call: &Call, read: impl Fn(Millis, &mut Answer) -> Option<T>) -> Result<T, Failure> {
        let answered = self.ask(state, call).and_then(|(now, mut answer)| read(now, &mut answer).ok_or_else(Failure::strange));
        match &answered {
            Ok(_) => state.backoff.worked(),
            Err(failure) if failure.again => state.open = None,
            Err(_) => {}
        }
        answered
    }

    fn ask(&self, state: &mut State, call: &Call) -> Result<(Millis, Answer), Failure> {
        let mut open = match state.open.take() {
            Some(open) => open,
            None => self.connect()?,
        };
        let answer = self.send(&mut open, call)?;
        state.open = Some(open);
        Ok(answer)
    }

    fn connect(&self) -> Result<Open, Failure> {
        let failed = |error| Failure::new(&error, self.info.addr());
        let client = Client::open(self.info.clone()).map_err(failed)?;
        let connection = client.get_connection_with_timeout(self.patience).map_err(failed)?;
        connection
            .set_read_timeout(Some(self.patience))
            .and_then(|()| connection.set_write_timeout(Some(self.patience)))
            .map_err(failed)?;
        let mut open = Open { connection, origin: 0 };
        self.send(&mut open, &Call::new(Operation::Hello))?;
        Ok(open)
    }

    fn send(&self, open: &mut Open, call: &Call) -> Result<(Millis, Answer), Failure> {
        let script = self.scripts.get(call.operation).ok_or_else(Failure::strange)?;
        let mut invocation = script.prepare_invoke();
        for key in &call.keys {
            invocation.key(key);
        }
        if call.has_deadline {
            // Executed later, as after a pause of the server, it would count what its caller was told is not admitted.
            invocation.arg((open.origin + self.elapsed() + millis(self.patience)).to_string());
        }
        for arg in &call.args {
            invocation.arg(arg);
        }
        let answered: RedisResult<Value> = invocation.invoke(&mut open.connection);
        let mut answer =
            Answer::new(answered.map_err(|error| Failure::new(&error, self.info.addr()))?).ok_or_else(Failure::strange)?;
        let now = answer.number().ok_or_else(Failure::strange)?;
        open.origin = i128::from(now) - self.elapsed();
        Ok((now, answer))
    }

    fn unreachable(&self, reason: &str, pause: Duration) -> Error {
        Error::new(
            ErrorCode::SharedUnreachable,
            format!(
                "the shared place {} {reason}; nothing was admitted, and it is asked again in {:.2} s at the earliest",
                self.shown,
                pause.as_secs_f64()
            ),
        )
    }

    fn elapsed(&self) -> i128 {
        millis(self.since.elapsed())
    }

    /// The state is whole at every instant: an open connection is taken out while it is used.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> i128 {
    i128::try_from(duration.as_millis()).unwrap_or(i128::MAX / 4)
}
