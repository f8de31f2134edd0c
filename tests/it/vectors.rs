//! The recorded answers of bash Ralph, v0.9.0 and v0.11.5, family by family.

use crate::support::replay;

#[test]
fn rate() {
    replay("rate");
}

#[test]
fn planner() {
    replay("planner");
}

#[test]
fn circuit() {
    replay("circuit");
}

#[test]
fn exitcheck() {
    replay("exitcheck");
}

#[test]
fn analyze() {
    replay("analyze");
}

#[test]
fn status() {
    replay("status");
}

#[test]
fn metrics() {
    replay("metrics");
}
