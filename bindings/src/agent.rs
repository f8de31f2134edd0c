//! What belongs to one JavaScript environment: the main thread's, or a worker thread's.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use napi::{Env, Result};

use crate::answers::Listener;
use crate::clock::AgentClock;

/// The state of an environment. Nothing in it is shared with another thread's JavaScript.
#[derive(Default)]
pub struct Agent {
    /// The clock of the instances made here.
    pub clock: Arc<AgentClock>,
    /// Those who wait for answers here: one for each time that `index.js` is loaded.
    pub listeners: RefCell<Vec<Rc<Listener>>>,
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
