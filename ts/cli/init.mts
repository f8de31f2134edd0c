// `init`: the files of a new project. Never over a file that is there.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Call, EXIT } from './commands.mjs'
import { printJson, printLine } from './output.mjs'
import { projectOption } from './project.mjs'

const PLAN = `# Plan

Ralph works through the boxes from the top. A task is what one loop can finish and check.

## First

- [ ] Describe the first task here
- [ ] And the second

## Optional

- [ ] A task under this heading does not keep a run going
`

const PROMPT = `# What Claude should know in every loop

You work on this project alone, in a loop: each loop is told its task at the end of this text.

- What the project is, and for whom:
- How to build and test it:
- What must not be touched:

Do the one task you are told, test it, commit it, tick it. Do not start another.
`

const SERVER = {
  mcpServers: {
    ralph: {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'ralph-sdk-tools', '--project', '.', '--access', 'worker'],
    },
  },
}

/** What git should leave alone: state that changes in every loop. */
const IGNORED = `*
!.gitignore
!fix_plan.md
!PROMPT.md
!AGENT.md
!specs/
!specs/**
`

/** The files, by their paths in the project. */
const FILES: Readonly<Record<string, string>> = {
  '.ralph/fix_plan.md': PLAN,
  '.ralph/PROMPT.md': PROMPT,
  '.ralph/.gitignore': IGNORED,
  '.mcp.json': `${JSON.stringify(SERVER, null, 2)}\n`,
}

/** Writes what is not there yet. */
export async function init({ options }: Call): Promise<number> {
  // Not the nearest project above: whoever types this wants one here.
  const folder = projectOption(options.project).projectDir ?? process.env['RALPH_PROJECT_DIR'] ?? '.'
  const written: string[] = []
  const kept: string[] = []
  for (const [name, text] of Object.entries(FILES)) (write(join(folder, name), text) ? written : kept).push(name)
  const advice = kept.includes('.mcp.json') && !hasServer(join(folder, '.mcp.json'))
  if (options.json) printJson({ project: resolve(folder), written, kept })
  else {
    for (const name of written) printLine(`written: ${name}`)
    for (const name of kept) printLine(`kept as it is: ${name}`)
    if (advice)
      printLine(
        'add the server to .mcp.json: claude mcp add --scope project ralph -- npx -y ralph-sdk-tools --project . --access worker',
      )
    if (written.includes('.ralph/fix_plan.md'))
      printLine('next: write your tasks into .ralph/fix_plan.md, then `ralph-sdk-tools run`')
  }
  return EXIT.done
}

/** Whether the file was written; one that is there stays, and so does a link that leads nowhere. */
function write(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true })
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function hasServer(path: string): boolean {
  try {
    return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).mcpServers?.ralph !== undefined
  } catch {
    return false
  }
}
