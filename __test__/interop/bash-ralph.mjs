// The real bash Ralph, function by function, from a checkout of the user's. Nothing of it is kept: what can be sourced
// without starting a loop is extracted into a temporary folder at each run.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LIBRARIES = ['date_utils', 'timeout_utils', 'response_analyzer', 'circuit_breaker', 'log_utils']

/**
 * In front of everything: a clock that the test sets (`FAKE_NOW`, seconds; unset: the real one), and no waiting. Of
 * `date`, only the forms that mean "now" are redirected.
 */
const SHIMS = `
date() {
  if [[ -z "\${FAKE_NOW:-}" || "\${1:-}" == --version ]]; then command date "$@"; return; fi
  if [[ "\${1:-}" == -d && "\${2:-}" == '+1 hour' ]]; then command date -d "@$((FAKE_NOW + 3600))" "\${@:3}"; return; fi
  local argument
  for argument in "$@"; do
    if [[ "$argument" == -d ]]; then command date "$@"; return; fi
  done
  command date -d "@$FAKE_NOW" "$@"
}
sleep() { :; }
clear() { :; }
export -f date sleep clear
`

/** How the two generations lay out a project. */
const LAYOUTS = {
  'v0.9': { state: '', plan: '@fix_plan.md', layout: 'flat' },
  'v0.11': { state: '.ralph', plan: '.ralph/fix_plan.md', layout: 'ralph' },
}

export class BashRalph {
  /** @param {string} source the checkout  @param {string} scratch where the extract goes */
  constructor(source, scratch) {
    this.source = source
    const loop = readFileSync(join(source, 'ralph_loop.sh'), 'utf8')
    /** `v0.9` keeps its files at the root, `v0.11` in `.ralph/`. */
    this.generation = /^RALPH_DIR=/m.test(loop) ? 'v0.11' : 'v0.9'
    Object.assign(this, LAYOUTS[this.generation])
    const libraries = LIBRARIES.map((name) => join(source, 'lib', `${name}.sh`)).filter((path) => existsSync(path))
    this.prelude = join(scratch, 'prelude.sh')
    const monitor = readFileSync(join(source, 'ralph_monitor.sh'), 'utf8')
    writeFileSync(
      this.prelude,
      [
        SHIMS,
        ...libraries.map((path) => `source ${quote(path)}`),
        // The monitor first: both scripts have a STATUS_FILE, and the loop's is the same file.
        definitions(monitor),
        definitions(loop),
      ].join('\n'),
    )
  }

  /**
   * Runs a piece of bash in a project, with Ralph's functions there.
   *
   * @param {{ cwd: string, now?: number, tz?: string, variables?: Record<string, string | number | boolean>, args?: string[] }} where
   * @returns {Promise<{ status: number, stdout: string, stderr: string }>}
   */
  run(script, { cwd, now, tz = 'UTC', variables = {}, args = [] }) {
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${quote(String(value))}`)
    const text = [`source ${quote(this.prelude)}`, ...settings, script].join('\n')
    const { PATH, HOME, TMPDIR = '/tmp' } = process.env
    const env = { PATH, HOME, TMPDIR, TZ: tz, TERM: 'dumb', LC_ALL: 'C.UTF-8', GIT_OPTIONAL_LOCKS: '0' }
    if (now !== undefined) env.FAKE_NOW = String(Math.floor(now / 1000))
    return new Promise((resolve, reject) => {
      const child = spawn('bash', ['-c', text, 'bash', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const out = { stdout: '', stderr: '' }
      child.stdout.setEncoding('utf8').on('data', (chunk) => (out.stdout += chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk) => (out.stderr += chunk))
      child.on('error', reject)
      child.on('close', (status) => resolve({ status, ...out }))
    })
  }
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A script's functions and one-line assignments at the top level: what defines, without what runs. */
export function definitions(script) {
  const kept = []
  let inFunction = false
  let heredoc = null
  for (const line of script.split('\n')) {
    if (heredoc !== null) {
      if (inFunction) kept.push(line)
      if (line.trim() === heredoc) heredoc = null
      continue
    }
    heredoc = /(?<!<)<<-?\s*['"]?([A-Za-z_]\w*)/.exec(line)?.[1] ?? null
    if (inFunction) {
      kept.push(line)
      if (line === '}') inFunction = false
    } else if (/^\w+\(\) *\{ *$/.test(line)) {
      kept.push(line)
      inFunction = true
    } else if (/^[A-Za-z_]\w*=/.test(line) && !/=\($/.test(line)) {
      kept.push(line)
    }
  }
  return kept.join('\n')
}

/** Text without terminal colours. */
export function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
  return text.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '')
}
