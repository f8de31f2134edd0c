//! `npm/`: the package of each platform, which carries the addon alone. npm installs the one that fits.

use std::path::Path;
use std::{fs, io};

use serde_json::{Map, Value, json};

use crate::loader;

/// The scope of the platforms' packages. Unscoped names that end like `-win32-x64-msvc` are refused by the registry as spam.
pub const SCOPE: &str = "@ralph-sdk-tools";

/// Native programs that lie beside the addon, each built from the crate of its name.
const PROGRAMS: &[&str] = &[];

/// A system that the addon is built for.
pub struct Platform {
    /// As Node names it, with the C library where there are several: `linux-x64-gnu`.
    pub name: String,
    target: String,
    os: &'static str,
    cpu: &'static str,
    libc: Option<&'static str>,
}

impl Platform {
    /// The platform of one of Rust's target triples.
    fn of(triple: &str) -> Result<Self, String> {
        let unknown = || format!("package.json: nothing is known of the target {triple}; add it to codegen/src/packages.rs");
        let (arch, system) = triple.split_once('-').ok_or_else(unknown)?;
        let cpu = match arch {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            _ => return Err(unknown()),
        };
        let (os, abi, libc) = match system {
            "unknown-linux-gnu" => ("linux", "-gnu", Some("glibc")),
            "unknown-linux-musl" => ("linux", "-musl", Some("musl")),
            "apple-darwin" => ("darwin", "", None),
            "pc-windows-msvc" => ("win32", "-msvc", None),
            _ => return Err(unknown()),
        };
        Ok(Self { name: format!("{os}-{cpu}{abi}"), target: triple.to_owned(), os, cpu, libc })
    }

    /// The addon's file.
    pub fn addon(&self, binary: &str) -> String {
        format!("{binary}.{}.node", self.name)
    }

    /// The name under which npm knows it.
    pub fn package(&self) -> String {
        format!("{SCOPE}/{}", self.name)
    }

    fn manifest(&self, root: &Manifest) -> Value {
        let exe = if self.os == "win32" { ".exe" } else { "" };
        let files: Vec<_> =
            std::iter::once(self.addon(&root.binary)).chain(PROGRAMS.iter().map(|program| format!("{program}{exe}"))).collect();
        let mut manifest = json!({
            "name": self.package(),
            "version": root.version,
            // The release publishes a copy without this line: a folder in which nobody has put a binary is not published by hand.
            "private": true,
            "description": format!("The native part of ralph-sdk-tools for {}", self.name),
            "license": root.license,
            "repository": root.repository,
            "engines": root.engines,
            "os": [self.os],
            "cpu": [self.cpu],
        });
        if let (Some(libc), Some(members)) = (self.libc, manifest.as_object_mut()) {
            members.insert("libc".to_owned(), json!([libc]));
        }
        let rest = json!({
            "main": self.addon(&root.binary),
            "files": files,
            "rustTarget": self.target,
            // A program inside Yarn's archive cannot be run.
            "preferUnplugged": true,
            "publishConfig": { "access": "public" },
        });
        if let (Some(members), Value::Object(rest)) = (manifest.as_object_mut(), rest) {
            members.extend(rest);
        }
        manifest
    }

    fn readme(&self) -> String {
        let name = &self.name;
        format!(
            "# {}\n\nThe native part of `ralph-sdk-tools` for {name}. Install `ralph-sdk-tools`: npm adds this by itself.\n",
            self.package()
        )
    }
}

/// What the root's `package.json` says of all packages.
pub struct Manifest {
    version: Value,
    license: Value,
    repository: Value,
    engines: Value,
    /// What the addon's files begin with.
    pub binary: String,
    /// All that the addon is built for.
    pub platforms: Vec<Platform>,
}

impl Manifest {
    fn read(text: &str) -> Result<Self, String> {
        let root: Map<String, Value> = serde_json::from_str(text).map_err(|error| format!("package.json: {error}"))?;
        let member = |name: &str| root.get(name).cloned().ok_or_else(|| format!("package.json has no `{name}`"));
        let napi = member("napi")?;
        let targets = napi["targets"].as_array().ok_or("package.json has no `napi.targets`")?;
        let version = member("version")?;
        if version != env!("CARGO_PKG_VERSION") {
            return Err(format!("package.json is of version {version}, Cargo.toml of {}: set both", env!("CARGO_PKG_VERSION")));
        }
        Ok(Self {
            version,
            license: member("license")?,
            repository: member("repository")?,
            engines: member("engines")?,
            binary: napi["binaryName"].as_str().ok_or("package.json has no `napi.binaryName`")?.to_owned(),
            platforms: targets
                .iter()
                .map(|target| Platform::of(target.as_str().unwrap_or_default()))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Writes the packages and the loader that chooses among them.
pub fn write(root: &Path) -> io::Result<()> {
    let manifest = Manifest::read(&fs::read_to_string(root.join("package.json"))?).map_err(io::Error::other)?;
    for platform in &manifest.platforms {
        let folder = root.join("npm").join(&platform.name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("package.json"), format!("{:#}\n", platform.manifest(&manifest)))?;
        fs::write(folder.join("README.md"), platform.readme())?;
        fs::copy(root.join("LICENSE"), folder.join("LICENSE"))?;
    }
    fs::write(root.join("native.js"), loader::text(&manifest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest_with(version: &str, target: &str) -> String {
        json!({ "version": version, "license": "MIT", "repository": "r", "engines": { "node": ">=18" },
                "napi": { "binaryName": "it", "targets": [target] } })
        .to_string()
    }

    #[test]
    fn names_are_those_of_node_and_of_npm() {
        for (triple, name, libc) in [
            ("x86_64-unknown-linux-gnu", "linux-x64-gnu", Some("glibc")),
            ("aarch64-unknown-linux-musl", "linux-arm64-musl", Some("musl")),
            ("aarch64-apple-darwin", "darwin-arm64", None),
            ("x86_64-pc-windows-msvc", "win32-x64-msvc", None),
        ] {
            let root = Manifest::read(&manifest_with(env!("CARGO_PKG_VERSION"), triple)).expect("a known target");
            let manifest = root.platforms[0].manifest(&root);
            assert_eq!(manifest["name"], format!("@ralph-sdk-tools/{name}"));
            assert_eq!(manifest["main"], format!("it.{name}.node"));
            assert_eq!(manifest["files"][0], manifest["main"]);
            assert_eq!(manifest.get("libc"), libc.map(|libc| json!([libc])).as_ref());
        }
    }

    #[test]
    fn an_unknown_target_and_a_version_of_its_own_are_refused() {
        let error = |text: &str| Manifest::read(text).err().expect("refused");
        assert!(error(&manifest_with(env!("CARGO_PKG_VERSION"), "riscv64gc-unknown-linux-gnu")).contains("riscv64gc"));
        assert!(error(&manifest_with("99.0.0", "aarch64-apple-darwin")).contains("99.0.0"));
    }
}
