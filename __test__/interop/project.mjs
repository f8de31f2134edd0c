// One project directory that bash and we take turns on, and the clock under which both see it.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

const require = createRequire(import.meta.url)
const { RalphTools } = require('../../index.js')
const native = require('../../native.js')

/** Files that are nobody's state. */
const IGNORED = /^\.git\/|\.ralph-tools\.lock$/

export class Project {
  /** @param {import('./bash-ralph.mjs').BashRalph} bash */
  constructor(bash, folder, { now, tz, options = {}, variables = {} }) {
    this.bash = bash
    this.folder = folder
    this.now = now
    this.tz = tz
    this.options = options
    this.variables = variables
    mkdirSync(join(folder, bash.state, 'logs'), { recursive: true })
    if (bash.layout === 'flat') this.write('PROMPT.md', 'Work.\n', { root: true })
    this.start()
  }

  /** A new process of ours: a new instance. */
  start() {
    this.tools = toolsIn(
      { TZ: this.tz },
      { projectDir: this.folder, ralphHome: '/nonexistent', logLevel: 'debug', ...this.options },
    )
  }

  wait(milliseconds) {
    this.now += milliseconds
  }

  path(name, { root = false } = {}) {
    return root ? join(this.folder, name) : join(this.folder, this.bash.state, name)
  }

  get plan() {
    return join(this.folder, this.bash.plan)
  }

  write(name, text, where) {
    const path = this.path(name, where)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    this.date(path)
  }

  read(name, where) {
    const path = this.path(name, where)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  /** A state file's JSON; its text where it is none; undefined where it is not there. */
  json(name) {
    return parsed(this.read(name))
  }

  remove(name) {
    rmSync(this.path(name), { force: true })
  }

  /** A copy with the same clock, in another folder. */
  copy(folder) {
    rmSync(folder, { recursive: true, force: true })
    cpSync(this.folder, folder, { recursive: true, preserveTimestamps: true })
    return Object.assign(Object.create(Project.prototype), this, { folder, tools: undefined })
  }

  /** Takes over what another copy holds. */
  become(other) {
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true, force: true })
    cpSync(other.folder, this.folder, { recursive: true, preserveTimestamps: true })
  }

  /** All files but git's and the lock: path to text. */
  snapshot() {
    const files = {}
    for (const path of walk(this.folder)) {
      const name = relative(this.folder, path)
      if (!IGNORED.test(name)) files[name] = readFileSync(path, 'utf8')
    }
    return files
  }

  /** Git takes Ralph's own files for unchanged, whatever is in them. */
  hideOwnFiles() {
    const git = (...args) => execFileSync('git', ['-C', this.folder, ...args], { encoding: 'utf8' })
    const own = git('ls-files', '--', this.bash.state)
      .split('\n')
      .filter((name) => name !== '' && name !== this.bash.plan)
    if (own.length > 0) git('update-index', '--assume-unchanged', ...own)
  }

  /** Runs bash here; what it wrote is dated by our clock, as it would be if the machine's clock were ours. */
  async inBash(script, args = [], variables = {}) {
    const dates = this.dates()
    const { folder: cwd, now, tz } = this
    const result = await this.bash.run(script, { cwd, now, tz, args, variables: { ...this.variables, ...variables } })
    this.dateChanged(dates)
    return result
  }

  /** Calls one of our tools here, at this project's time. */
  async call(tool, input) {
    native.__freezeClock(this.now)
    try {
      return await this.tools[tool](input)
    } finally {
      native.__freezeClock(null)
    }
  }

  dates() {
    return new Map([...walk(this.folder)].map((path) => [path, statSync(path).mtimeMs]))
  }

  dateChanged(before) {
    for (const [path, date] of this.dates()) if (before.get(path) !== date) this.date(path)
  }

  date(path) {
    utimesSync(path, this.now / 1000, this.now / 1000)
  }
}

function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== '.git') yield* walk(path)
    } else yield path
  }
}

export function parsed(text) {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Tools that see this environment alone. */
function toolsIn(env, options) {
  const before = { ...process.env }
  for (const name of Object.keys(process.env)) if (!['PATH', 'HOME'].includes(name)) delete process.env[name]
  Object.assign(process.env, env)
  try {
    return new RalphTools(options)
  } finally {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
