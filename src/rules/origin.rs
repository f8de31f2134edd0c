//! A repository's origin, however it is written: clones over SSH and over HTTPS are of one repository.

/// The origin as `host/path`: no scheme, user, password, port, `.git` or last slash; the host in lower case. A path of the
/// file system stays as it is.
#[must_use]
pub fn normalised(origin: &str) -> String {
    let origin = origin.trim();
    let trimmed = |path: &str| {
        let path = path.trim_end_matches('/');
        path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/').to_owned()
    };
    let joined = |host: &str, path: &str| {
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host).to_ascii_lowercase();
        format!("{host}/{}", trimmed(path.trim_start_matches('/')))
    };
    match origin.split_once("://") {
        Some(("file", path)) => trimmed(path),
        Some((_, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let named = host.rsplit_once('@').map_or(host, |(_, host)| host);
            // A port, but not a part of an address such as [::1].
            let without_port = named.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
            joined(without_port.map_or(named, |(host, _)| host), path)
        }
        // `git@host:path`; a slash before the colon, or a drive's letter, makes it a path.
        None => match origin.split_once(':') {
            Some((host, path)) if !host.contains('/') && host.len() > 1 => joined(host, path),
            _ => trimmed(origin),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_one_origin() {
        for origin in [
            "git@github.com:frankbria/ralph.git",
            "https://github.com/frankbria/ralph",
            "https://github.com/frankbria/ralph.git/",
            "https://user:t0ken@GitHub.com/frankbria/ralph.git",
            "ssh://git@github.com:22/frankbria/ralph.git",
            "git://github.com/frankbria/ralph\n",
            "github.com:frankbria/ralph",
        ] {
            assert_eq!(normalised(origin), "github.com/frankbria/ralph", "{origin}");
        }
    }

    #[test]
    fn a_path_stays_a_path() {
        for (origin, path) in [
            ("/srv/git/ralph.git", "/srv/git/ralph"),
            ("file:///srv/git/ralph.git", "/srv/git/ralph"),
            ("../up/stream/", "../up/stream"),
            (r"C:\git\ralph", r"C:\git\ralph"),
            ("", ""),
        ] {
            assert_eq!(normalised(origin), path, "{origin}");
        }
    }
}
