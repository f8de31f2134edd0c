// A small Ralph project in a temporary folder.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROMPT = `# Greeter

You are working on a tiny program that greets people. Before you start, check the rate limit and list the pending tasks
with the ralph tools. Do one or two tasks, tick each with task_planner as soon as it is done, and leave a message with
progress_reporter. End with a RALPH_STATUS block:

---RALPH_STATUS---
STATUS: IN_PROGRESS | COMPLETE
TASKS_COMPLETED_THIS_LOOP: <number>
FILES_MODIFIED: <number>
TESTS_STATUS: PASSING | FAILING | NOT_RUN
WORK_TYPE: IMPLEMENTATION | TESTING | DOCUMENTATION
EXIT_SIGNAL: false | true
RECOMMENDATION: <one line>
---END_RALPH_STATUS---
`

const PLAN = `# Fix plan

## High priority

- [x] [greet-1] Create the project
- [ ] [greet-2] Write greet.mjs with a function greet(name)
- [ ] [greet-3] Test greet with node:test

## Documentation

- [ ] Say in README.md how to run it

## Nice to have

- [ ] Greet in other languages
`

/** Makes the project, under version control where there is git, and returns its folder. */
export function makeSampleProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-sample-'))
  mkdirSync(join(folder, '.ralph'))
  writeFileSync(join(folder, '.ralph', 'PROMPT.md'), PROMPT)
  writeFileSync(join(folder, '.ralph', 'fix_plan.md'), PLAN)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  try {
    git('init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=Ralph', '-c', 'user.email=ralph@localhost', 'commit', '--quiet', '-m', 'Sample project')
  } catch {
    // Without git, files changed are what the model reports.
  }
  return folder
}
