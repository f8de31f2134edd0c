//! What keeps a server from being used, in words that say what to do, and without a secret.

use std::io;

use redis::{ConnectionAddr, ErrorKind, RedisError, ServerErrorKind};

/// A failed try.
#[derive(Debug)]
pub(super) struct Failure {
    /// What follows the server's name in a message.
    pub(super) reason: String,
    /// Whether another try, on a new connection, may mend it.
    pub(super) again: bool,
}

/// What a URL is wrong about; the URL itself is not in it, for it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongUrl(pub String);

/// What a server's own words mean: a word in them, and the reason to tell. The first that is found counts.
const SERVER_WORDS: &[(&str, &str)] = &[
    ("NOAUTH", "asks for a password; write it into `shared`, as in redis://:password@host or redis://user:password@host"),
    ("WRONGPASS", "refuses the user or the password; correct them in `shared`"),
    ("NOPERM", "does not allow this user what is needed; allow it EVAL, EVALSHA, SCRIPT LOAD and the keys ralph:*"),
    ("OOM", "is full (maxmemory) and takes nothing in; give it more memory or make room, and leave its policy at noeviction"),
    ("READONLY", "is a replica, which only reads; name the primary in `shared`"),
    ("MISCONF", "cannot save to its disk and so takes nothing in; make room on its disk, or see its log"),
    ("CLUSTERDOWN", "is a node of a cluster that is down; see to the cluster"),
    ("MASTERDOWN", "is a replica that has lost its primary; name the primary in `shared`"),
    ("LOADING", "is still reading its data after a start; wait"),
    ("BUSY", "is held up by somebody's script; see to it with SCRIPT KILL, or wait"),
    ("unknown command", "knows no scripts; use Redis or Valkey 6 or later"),
    ("WRONGTYPE", "has other data under our keys (ralph:*); set another sharedName, or remove those keys"),
];

impl Failure {
    /// An answer that is none of ours.
    pub(super) fn strange() -> Self {
        Self {
            reason: "answers, but not as Redis does; check that the address in `shared` is a Redis or Valkey server's".into(),
            again: true,
        }
    }

    pub(super) fn new(error: &RedisError, address: &ConnectionAddr) -> Self {
        let said = format!("{} {error}", error.code().unwrap_or_default());
        if let Some((host, port)) = error.redirect_node() {
            return Self {
                reason: format!(
                    "is a node of a cluster, and another one keeps our keys; name that in `shared`: {host}:{port} (one group, a sharedName, is always on one node)"
                ),
                again: false,
            };
        }
        let known = SERVER_WORDS.iter().find(|(word, _)| said.contains(word));
        match error.kind() {
            ErrorKind::AuthenticationFailed => {
                Self { reason: "refuses the user or the password; correct them in `shared`".into(), again: false }
            }
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => Self::strange(),
            ErrorKind::Io => Self { reason: connection(error, &said, address), again: true },
            ErrorKind::Server(ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain) => {
                Self { reason: known.map_or("is busy; wait", |(_, reason)| reason).into(), again: false }
            }
            _ => match known {
                Some((_, reason)) => Self { reason: (*reason).to_owned(), again: false },
                None if said.contains("database") => {
                    Self { reason: "has no such database; correct the number at the end of `shared`".into(), again: false }
                }
                None => Self { reason: format!("refuses: {}", crate::input::clip(&said, 200)), again: false },
            },
        }
    }
}

/// Why there is no connection, or no answer on it.
fn connection(error: &RedisError, said: &str, address: &ConnectionAddr) -> String {
    let tls = matches!(address, ConnectionAddr::TcpTls { .. });
    let kind = std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    let lower = said.to_ascii_lowercase();
    if tls && (lower.contains("certificate") || lower.contains("unknownissuer")) {
        return format!(
            "has a certificate that is not trusted ({}); add its authority to the system's, or name its file in SSL_CERT_FILE",
            crate::input::clip(said, 160)
        );
    }
    if tls && lower.contains("corrupt message") {
        return "does not speak TLS; write redis:// instead of rediss://, or name its TLS port".into();
    }
    if error.is_timeout() {
        return "gave no answer within 2 s; check that it runs and that the network lets you through".into();
    }
    if let ConnectionAddr::Unix(path) = address
        && !path.exists()
    {
        return "is not there: no socket of that name; start the server, or correct the path in `shared`".into();
    }
    if error.is_connection_refusal() || kind == Some(io::ErrorKind::ConnectionRefused) {
        return "takes no connections; start it, or correct the address in `shared`".into();
    }
    if kind == Some(io::ErrorKind::PermissionDenied) {
        return "does not let this user connect; give the user access to the socket".into();
    }
    if lower.contains("lookup") || lower.contains("resolve") || lower.contains("name or service") {
        return "has a host name that leads nowhere; correct it in `shared`, or mend the name service".into();
    }
    if error.is_connection_dropped() || lower.contains("eof") || lower.contains("reset") || lower.contains("broken pipe") {
        let hint = if tls { "" } else { ", and write rediss:// if it speaks TLS" };
        return format!("cuts the connection; check that it is a Redis or Valkey server and runs{hint}");
    }
    format!("cannot be reached ({}); check that it runs and that `shared` names it rightly", crate::input::clip(said, 160))
}

impl WrongUrl {
    pub(super) fn new(url: &str, error: &RedisError) -> Self {
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        let what = match error.detail() {
            _ if error.to_string().contains("database") => "the database at its end is no number",
            _ if error.to_string().contains("wildcard") => "0.0.0.0 is where a server listens; name the host",
            _ if scheme.ends_with("unix") || scheme == "unix" => "a socket is written unix:///path/of/the/socket, on Unix alone",
            _ => {
                "host, port or another part is not written as in a URL; blanks, `@`, `/`, `#` in a password are written %20, %40, %2F, %23"
            }
        };
        Self(what.to_owned())
    }
}

/// A server's address, without user and password.
pub(super) fn shown(address: &ConnectionAddr) -> String {
    match address {
        ConnectionAddr::Tcp(host, port) => format!("redis://{}:{port}", bracketed(host)),
        ConnectionAddr::TcpTls { host, port, .. } => format!("rediss://{}:{port}", bracketed(host)),
        ConnectionAddr::Unix(path) => format!("unix://{}", path.display()),
        _ => "redis".to_owned(),
    }
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}
