// Line coverage of Rust and TypeScript, of everything that the tests drive: cargo's tests, and vitest's with the addon and
// the programs that they start. `npm run coverage`; it fails where a tool, a rule or a layer is under LEAST.
//
// Needs cargo-llvm-cov, and LLVM's own tools in rustc's version: `rustup component add llvm-tools`, or others named by
// LLVM_COV and LLVM_PROFDATA.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Percent of lines. */
const LEAST = 90
const TYPESCRIPT = ['index.js', 'native.js', 'dist/**/*.mjs']
const NOT_OURS = ['dist/examples/**']
/** Of these folders, each file or folder below is a part of its own; of others, the folder is. */
const APART = ['src/tools', 'src/rules', 'src/store']
const NO_PART = /(^|\/)(tests?|testing)(\.rs|\/)|_tests\.rs$/

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const OUT = join(ROOT, 'coverage')
const RAW = join(OUT, 'raw')
const KEPT = join(OUT, 'addon')

rmSync(OUT, { recursive: true, force: true })
mkdirSync(KEPT, { recursive: true })
const env = { ...process.env, ...instrumentation() }
const addons = readdirSync(ROOT).filter((name) => name.endsWith('.node'))
for (const name of addons) cpSync(join(ROOT, name), join(KEPT, name), { preserveTimestamps: true })
try {
  run('cargo', ['llvm-cov', 'clean', '--workspace', '--profraw-only'], env)
  run('cargo', ['test', '--workspace', '--quiet'], env)
  node('node_modules/@napi-rs/cli/dist/cli.js', addonBuild(), env)
  node('node_modules/vitest/vitest.mjs', ['run', ...process.argv.slice(2)], { ...env, NODE_V8_COVERAGE: RAW })
} finally {
  // What was built for counting is slow: what was there comes back.
  for (const name of addons) renameSync(join(KEPT, name), join(ROOT, name))
}
const rust = rustIsCovered()
const typescript = typescriptIsCovered()
process.exit(rust && typescript ? 0 : 1)

/** What cargo-llvm-cov has cargo, and what it builds, count with. */
function instrumentation() {
  // A folder of its own: what is built for counting is of no other use, and would be built anew each time.
  const folder = { CARGO_TARGET_DIR: join(ROOT, 'target', 'coverage') }
  const args = ['llvm-cov', 'show-env', '--no-cfg-coverage']
  const { status, stdout, error } = spawnSync('cargo', args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (status !== 0 || error) {
    process.stderr.write(
      'cargo llvm-cov is missing: `cargo install cargo-llvm-cov`, `rustup component add llvm-tools`\n',
    )
    process.exit(1)
  }
  const entries = [...stdout.matchAll(/^([A-Z_]+)=(['"]?)(.*)\2$/gm)].map(([, name, , value]) => [name, value])
  return { ...Object.fromEntries(entries), ...folder }
}

/** The addon of `npm run build:quick`, by the same words. */
function addonBuild() {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return scripts['build:quick'].split(' && ')[0].split(' ').slice(1)
}

function rustIsCovered() {
  const file = join(OUT, 'rust.json')
  run('cargo', ['llvm-cov', 'report', '--json', '--summary-only', '--output-path', file], env)
  const parts = new Map()
  for (const { filename, summary } of JSON.parse(readFileSync(file, 'utf8')).data[0].files) {
    const path = relative(ROOT, filename).split(sep).join('/')
    if (path.startsWith('..') || NO_PART.test(path)) continue
    const counted = parts.get(partOf(path)) ?? { count: 0, covered: 0 }
    counted.count += summary.lines.count
    counted.covered += summary.lines.covered
    parts.set(partOf(path), counted)
  }
  const rows = [...parts].map(([part, { count, covered }]) => ({
    part,
    percent: count ? (100 * covered) / count : 100,
  }))
  for (const { part, percent } of rows.sort((a, b) => a.percent - b.percent)) {
    process.stdout.write(`${percent.toFixed(1).padStart(6)} %  ${part}${percent < LEAST ? '  too little' : ''}\n`)
  }
  return rows.length > 0 && rows.every(({ percent }) => percent >= LEAST)
}

/** `src/rules/window.rs` and `src/tools/task_planner/run.rs` belong to `src/rules/window` and `src/tools/task_planner`. */
function partOf(path) {
  const apart = APART.find((folder) => path.startsWith(`${folder}/`))
  const depth = apart ? apart.split('/').length + 1 : path.startsWith('src/') ? 2 : 1
  return path.split('/').slice(0, depth).join('/').replace(/\.rs$/, '')
}

function typescriptIsCovered() {
  const { status } = spawnSync(
    process.execPath,
    [
      ...['node_modules/c8/bin/c8.js', 'report', '--temp-directory', RAW, '--exclude-after-remap=false'],
      ...TYPESCRIPT.flatMap((file) => ['--include', file]),
      ...NOT_OURS.flatMap((file) => ['--exclude', file]),
      ...['--reporter', 'text', '--check-coverage', '--per-file', '--lines', String(LEAST)],
    ],
    { cwd: ROOT, stdio: 'inherit' },
  )
  return status === 0
}

function node(file, args, environment) {
  run(process.execPath, [file, ...args], environment)
}

function run(command, args, environment) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: environment })
  if (status === 0) return
  throw new Error(`\`${[command, ...args].join(' ')}\`: ${error?.message ?? `it ended with ${status}`}`)
}
