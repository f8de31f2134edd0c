//! Writes what derives from the tools' definitions, the declarations in front of `index.d.ts` and the tables of
//! `docs/API.md` and `docs/INTEGRATION.md`; and what derives from the targets that `package.json` names, the packages in
//! `npm/` and the addon's loader. `npm run generate` runs it; CI fails where that changes a file.

mod comment;
mod declarations;
mod guarded_loop;
mod loader;
mod packages;
mod reference;
mod types;

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

fn main() -> ExitCode {
    match write_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("codegen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_all(root: &Path) -> io::Result<()> {
    fs::write(root.join("bindings/types.d.ts"), declarations::all())?;
    packages::write(root)?;
    for (name, parts) in [("docs/API.md", reference::parts()), ("docs/INTEGRATION.md", guarded_loop::parts())] {
        let path = root.join(name);
        let document = fs::read_to_string(&path)?;
        let document = reference::refresh(&document, &parts).map_err(|error| io::Error::other(format!("{name}: {error}")))?;
        fs::write(path, document)?;
    }
    Ok(())
}
