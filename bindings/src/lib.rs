//! The Node-native addon: `RalphTools` and the tools' definitions over the core. It translates and hands over work, and
//! decides nothing: what a value must be and what a call does is said in the core.

#![cfg_attr(test, allow(dead_code, reason = "napi-derive registers nothing in test builds"))]

mod agent;
mod answers;
mod clock;
mod definitions;
mod engine;
mod errors;
mod job;
mod ralph_tools;
mod values;
mod workers;
