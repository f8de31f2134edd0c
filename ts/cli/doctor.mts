// `doctor`: what is wrong with a project, and how to mend it. What is Ralph's is looked at by the core; here is what only
// Node can know.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RalphToolError, RalphTools } from '../../index.js'
import { styles, wrap } from '../status/text.mjs'
import { clean } from '../terminal.mjs'
import { type Call, EXIT } from './commands.mjs'
import { printJson } from './output.mjs'
import { projectOption } from './project.mjs'

/** Something that was found. */
interface Finding {
  /** `error`: a run does not begin, or ends at once. `warning`: it is worse for it. `note`: worth knowing. */
  severity: 'error' | 'warning' | 'note'
  what: string
  /** What to do about it; empty where `what` says so. */
  mend: string
}

const MARKS = { error: ['✖', 'bad'], warning: ['!', 'notice'], note: ['·', 'dim'] } as const

/** Looks for what is wrong. Exit code 1 where a run would not begin. */
export async function doctor({ options }: Call): Promise<number> {
  const project = await examined(options.project)
  const findings = [...project.findings, ...node(), ...peers(project.projectDir)]
  if (options.json) printJson({ project: project.projectDir, findings })
  else print(project.projectDir, findings)
  return findings.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.done
}

function print(project: string | undefined, findings: Finding[]): void {
  const { columns = 80, isTTY } = process.stdout
  const paint = styles(process.stdout, process.env)
  const room = isTTY ? Math.max(20, columns) - 2 : Number.POSITIVE_INFINITY
  const lines = project === undefined ? [] : [paint('strong', `Project ${clean(project)}`)]
  for (const { severity, what, mend } of findings) {
    const [mark, style] = MARKS[severity]
    const [first = '', ...more] = wrap(clean(what), room)
    lines.push(paint(style, `${mark} ${first}`), ...more.map((line) => `  ${line}`))
    if (mend) lines.push(...wrap(clean(`→ ${mend}`), room).map((line) => `  ${line}`))
  }
  if (findings.every(({ severity }) => severity === 'note'))
    lines.push(paint('good', '✔ nothing is in the way of a run'))
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function examined(named: string | undefined): Promise<{ projectDir?: string; findings: Finding[] }> {
  try {
    // Whoever looks resets nothing.
    const ralph = new RalphTools({ ...projectOption(named), autoReset: false })
    const found = (ralph as unknown as { __examine(): Promise<Finding[]> }).__examine()
    return { projectDir: ralph.projectDir, findings: await found }
  } catch (error) {
    if (!(error instanceof RalphToolError)) throw error
    return { findings: [{ severity: 'error', what: `${error.code}: ${error.message}`, mend: '' }] }
  }
}

const manifest = createRequire(import.meta.url)('ralph-sdk-tools/package.json') as {
  engines: { node: string }
  peerDependencies: Record<string, string>
}

function node(): Finding[] {
  const oldest = manifest.engines.node.replace(/^>=/, '')
  if (compare(process.versions.node, oldest) >= 0) return []
  const what = `this is Node ${process.versions.node}, and Node ${oldest} is the oldest that works`
  return [{ severity: 'error', what, mend: 'install a newer Node' }]
}

/** What `run` and `ralph-sdk-tools/agent-sdk` need, and this program does not. */
const PEERS = [
  { name: '@anthropic-ai/claude-agent-sdk', oldest: '0.3.0' },
  { name: 'zod', oldest: '4.0.0' },
]

function peers(projectDir: string | undefined): Finding[] {
  return PEERS.flatMap(({ name, oldest }): Finding[] => {
    const version = versionOf(name, projectDir)
    if (version !== undefined && compare(version, oldest) >= 0) return []
    const found =
      version === undefined ? 'is not installed' : `is ${version} here, and ${oldest} is the oldest that works`
    const what = `${name} ${found}: \`run\` and ralph-sdk-tools/agent-sdk need it, the MCP server and the other commands do not`
    return [{ severity: 'warning', what, mend: `\`npm install ${name}\`` }]
  })
}

/** The version that this package would get, else the project; undefined where there is none. */
function versionOf(name: string, projectDir: string | undefined): string | undefined {
  const from = [fileURLToPath(import.meta.url), ...(projectDir === undefined ? [] : [join(projectDir, 'package.json')])]
  for (const place of from) {
    const folders = createRequire(place).resolve.paths(name) ?? []
    for (const folder of folders) {
      try {
        return createRequire(place)(join(folder, name, 'package.json')).version
      } catch {
        // Not there.
      }
    }
  }
  return undefined
}

/** Which version is later; what comes after a hyphen does not count. */
function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) =>
    version
      .replace(/[-+].*/, '')
      .split('.')
      .map(Number),
  )
  for (let at = 0; at < 3; at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
