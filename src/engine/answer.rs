//! What the engine answers to a door.

use serde_json::Value;

use crate::rules::breaker::CircuitState;
use crate::tools::task_planner::Task;
use crate::{record, words};

words! {
    /// What a door does next.
    LoopStep {
        /// Admitted and counted: send `prompt`.
        Query = "query",
        /// Send nothing before `wait.seconds` are over, then ask with the event `admit`.
        Wait = "wait",
        /// The run is over: `ending`.
        End = "end",
        /// The run does not begin: another session loops on the project.
        Refuse = "refuse",
        /// Give `prompt` to the model beside what goes on.
        Tell = "tell",
        /// Nothing.
        None = "none",
    }
}

words! {
    /// Why nothing may be sent yet.
    LoopWaitReason {
        /// The hour's limit, or a budget, is used up.
        RateLimit = "rate_limit",
        /// The provider's plan is used up.
        ApiLimit = "api_limit",
        /// The provider is overloaded or fails.
        ApiError = "api_error",
        /// The query failed.
        Failed = "failed",
        /// All open tasks are claimed by other workers.
        Claimed = "claimed",
        /// What the workers share cannot be reached.
        Unreachable = "unreachable",
    }
}

record! {
    /// A wait between two loops. It ends by itself.
    LoopWait {
        always {
            /// Why.
            reason: LoopWaitReason,
            /// How long, in whole seconds, at least 1.
            seconds: u64,
            /// Until when: ISO 8601, UTC.
            until: String,
            /// The reason in words.
            message: String,
        }
    }
}

record! {
    /// How a run ended, in the words that `status.json` has for it.
    LoopEnding {
        always {
            /// `completed`, `halted`, `stopped` or `error`.
            status: String,
            /// What ended it: `graceful_exit`, `circuit_breaker_open`, `permission_denied`, `blocked`, `loop_limit`, `time_limit`,
            /// `token_limit`, `cost_limit`, `interrupted`, `cancelled` or `guard_failed`.
            last_action: String,
            /// Loops of the run: queries that were admitted and counted.
            loops: u64,
        }
        sometimes {
            /// The guard's own word for it, such as `plan_complete` or `stagnation_detected`; of `guard_failed` the error's code.
            exit_reason: String,
            /// What a person should know besides.
            message: String,
        }
    }
}

record! {
    /// A loop that is over.
    ClosedLoop {
        always {
            /// Its number.
            r#loop: u64,
            /// How long it took, in seconds.
            duration_seconds: f64,
            /// Whether its query succeeded.
            succeeded: bool,
            /// Whether the circuit breaker and the statistics count it: not a loop that the provider refused.
            counted: bool,
            /// What was done, in the model's words.
            summary: String,
            /// Tokens that it used.
            tokens_used: u64,
            /// Files that it changed.
            files_modified: u64,
            /// The circuit breaker after it.
            circuit: CircuitState,
            /// Why the breaker is so; empty where there is nothing to say.
            reason: String,
        }
        sometimes {
            /// What it cost in US dollars, where the output says so.
            cost_usd: f64,
        }
    }
}

record! {
    /// How the guards stand.
    LoopCounts {
        always {
            /// Calls admitted in this clock hour.
            calls: u64,
            /// Calls that the hour admits.
            max_calls: u64,
            /// Tokens recorded in this clock hour.
            tokens: u64,
            /// Tokens after which the hour admits no call; 0 is no limit.
            max_tokens: u64,
            /// The circuit breaker.
            circuit: CircuitState,
            /// Tasks of the plan that are done.
            completed_tasks: u64,
            /// All tasks of the plan.
            total_tasks: u64,
        }
    }
}

record! {
    /// What `LoopEngine` answers to an event.
    LoopAnswer {
        always {
            /// What to do.
            next: LoopStep,
            /// The session.
            session: String,
            /// The loop that runs, or ran last; 0 before any.
            r#loop: u64,
            /// Lines for a person, in order.
            notes: Vec<String>,
        }
        sometimes {
            /// (query, tell) What goes to the model.
            prompt: String,
            /// (query) Claude's session to resume.
            resume: String,
            /// (query, tell) The task that the prompt names.
            task: Task,
            /// (query, wait, end, status) How the guards stand.
            counts: LoopCounts,
            /// (wait) For how long, and why.
            wait: LoopWait,
            /// (end) How the run ended.
            ending: LoopEnding,
            /// (refuse) Why, with the other session's id.
            message: String,
            /// (stop, failure) The loop that is over.
            closed: ClosedLoop,
        }
    }
}

record! {
    /// What the loop answers to a hook of Claude Code's.
    LoopHookAnswer {
        always {
            /// What the hook's callback returns.
            output: Value,
            /// What the engine answered.
            answer: LoopAnswer,
        }
    }
}

record! {
    /// What calls of tools changed.
    LoopEffects {
        always {
            /// The files, from the project directory, in the order of the alphabet.
            files: Vec<String>,
            /// Whether a tool ran of which nobody can tell what it changed.
            opaque: bool,
        }
    }
}

impl LoopAnswer {
    /// Nothing to do.
    #[must_use]
    pub fn none(session: &str) -> Self {
        Self {
            next: LoopStep::None,
            session: session.to_owned(),
            r#loop: 0,
            notes: Vec::new(),
            prompt: None,
            resume: None,
            task: None,
            counts: None,
            wait: None,
            ending: None,
            message: None,
            closed: None,
        }
    }
}
