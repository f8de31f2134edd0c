// The examples in the documents: every ```ts block is type-checked against the package, and one marked ```ts run is also
// run, in a sample project.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeSampleProject } from '../examples/sdk-wrapper/sample-project.mts'
import { ROOT } from './support/project.mts'

/** Inside the package, so that an example imports it by its name. */
const FOLDER = join(ROOT, 'dist', 'documents')
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

/** What an example may use that does not import for itself. One line, so that line numbers stay easy to find. */
const PRELUDE = `import { RalphTools, RalphToolError } from 'ralph-sdk-tools'; import { createRalphServer, registerRalphTools, listRalphTools, RALPH_TOOL_NAMES } from 'ralph-sdk-tools/agent-sdk'; const ralph = new RalphTools();\n`

interface Example {
  name: string
  code: string
  run: boolean
}

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/API.md',
  'docs/INTEGRATION.md',
  'examples/sdk-wrapper/README.md',
]
const examples = DOCUMENTS.filter((document) => existsSync(join(ROOT, document))).flatMap(examplesOf)

function examplesOf(document: string): Example[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^```ts( run)?\n([\s\S]*?)^```$/gm)].map(({ index, 1: run, 2: code = '' }) => ({
    name: `${document.replaceAll('/', '-')}-line-${text.slice(0, index).split('\n').length}`,
    code: fromHere(/^import /m.test(code) ? code : PRELUDE + code, document),
    run: run !== undefined,
  }))
}

/** The code with imports of files beside the document found from where it is compiled. */
function fromHere(code: string, document: string): string {
  const place = (path: string) => relative(FOLDER, join(ROOT, dirname(document), path)).replaceAll('\\', '/')
  return code.replace(/ from '(\.\.?\/[^']+)'/g, (_, path: string) => ` from '${place(path)}'`)
}

let complaints: string

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, code } of examples) writeFileSync(join(FOLDER, `${name}.mts`), code)
  const compilerOptions = { rootDir: ROOT, outDir: 'out', noUnusedLocals: false }
  const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.mts'] }
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(config))
  complaints = spawnSync(process.execPath, [TSC, '-p', FOLDER, '--pretty', 'false'], { encoding: 'utf8' }).stdout
})

describe('examples', () => {
  test('there are some', () => {
    expect(examples.length).toBeGreaterThan(0)
  })

  test.each(examples)('$name type-checks', ({ name }) => {
    expect(complaints.split('\n').filter((line) => line.includes(`${name}.mts`))).toEqual([])
  })

  const runnable = examples.filter(({ run }) => run)
  test.skipIf(runnable.length === 0).each(runnable)('$name runs', ({ name }) => {
    const cwd = makeSampleProject()
    try {
      execFileSync(process.execPath, [join(FOLDER, 'out', 'dist', 'documents', `${name}.mjs`)], { cwd, stdio: 'pipe' })
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  })
})

test('every link to a file leads to one', () => {
  for (const document of DOCUMENTS.filter((name) => existsSync(join(ROOT, name)))) {
    const folder = join(ROOT, document, '..')
    for (const [, target = ''] of readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (!/^\w+:/.test(target)) expect(existsSync(join(folder, target)), `${document}: ${target}`).toBe(true)
    }
  }
})
