//! What belongs to one JavaScript environment: the main thread's, or a worker thread's.

use std::sync::Arc;

use napi::{Env, Result};

use crate::clock::AgentClock;

/// The state of an environment. Nothing in it is shared with another thread's JavaScript.
#[derive(Debug, Default)]
pub struct Agent {
    /// The clock of the instances made here.
    pub clock: Arc<AgentClock>,
}

impl Agent {
    /// That of `env`, made at its first use and dropped at the environment's end.
    pub fn of(env: Env) -> Result<&'static Self> {
        if let Some(agent) = env.get_instance_data::<Self>()? {
            return Ok(agent);
        }
        env.set_instance_data(Self::default(), (), |_| ())?;
        env.get_instance_data::<Self>()?
            .map(|agent| &*agent)
            .ok_or_else(|| napi::Error::from_reason("the environment keeps no data"))
    }
}
