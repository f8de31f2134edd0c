//! `native.js`: finds the addon for this system. Each package is asked for by a literal name, so that tools which collect
//! a program's files (bundlers, serverless packers) find it.

use crate::packages::{Manifest, SCOPE};

/// The whole file.
pub fn text(manifest: &Manifest) -> String {
    let case = |name: &str, package: &str| format!("      case '{name}':\n        return require('{package}')\n");
    let cases =
        manifest.platforms.iter().fold(String::new(), |cases, platform| cases + &case(&platform.name, &platform.package()));
    include_str!("loader.js").replace("      // CASES\n", &cases).replace("BINARY", &manifest.binary).replace("SCOPE", SCOPE)
}
