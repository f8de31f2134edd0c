//! The core as a program uses it: through `Ralph`, on real files, by a frozen clock.

mod memory;
mod store;
mod support;
mod vectors;
