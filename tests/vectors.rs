//! The recorded answers of bash Ralph, v0.9.0 and v0.11.5, family by family.

mod support;

#[test]
fn rate() {
    support::replay("rate");
}

#[test]
fn circuit() {
    support::replay("circuit");
}

#[test]
fn exitcheck() {
    support::replay("exitcheck");
}

#[test]
fn planner() {
    support::replay("planner");
}
