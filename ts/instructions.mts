/**
 * What the tools are for and in which order: MCP's `instructions`, which a client hands to its model. Under 1 500
 * characters, for they are in every session.
 */
export const INSTRUCTIONS = `Ralph runs you in a loop over a plan (.ralph/fix_plan.md) and guards that loop. These five tools are its guards, and one plan, one hour and one log are shared with everybody who works on the project.

Working on the plan:
1. task_planner read, filter pending, limit 1: the next open task. Do that one and no other.
2. When it is done and tested, task_planner update with its taskId. Never tick what is not done, and never edit the boxes of the plan yourself.
3. progress_reporter update with a message, where people who watch should know something.
4. End your answer with the status block that the prompt asks for.

Running a loop yourself (access full), before each call of Claude:
exit_detection check (stop if shouldExit), circuit_breaker check (stop unless canExecute), rate_limit increment (wait if not admitted), circuit_breaker begin; and after it: exit_detection analyze with the output, circuit_breaker record, progress_reporter update.

A guard that says stop is right: do not reset it, tell the person why it stopped (reason, exitReason) and what would help. Everything that a guard keeps is in .ralph/: leave those files to the tools, the plan excepted. An error is CODE: what was wrong and what to do next.`
