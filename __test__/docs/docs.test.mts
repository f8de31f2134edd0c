// Everything that the documents show is compiled, run or compared, so that it cannot rot.

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { type Options, query } from '@anthropic-ai/claude-agent-sdk'
import { type RalphTools, toolDefinitions } from 'ralph-sdk-tools'
import { RALPH_TOOL_NAMES } from 'ralph-sdk-tools/agent-sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { renderStatus } from '../../dist/status/render.mjs'
import { takeSnapshot } from '../../dist/status/snapshot.mjs'
import { offline } from '../../examples/scripted-model/offline.mts'
import { startScriptedModel } from '../../examples/scripted-model/server.mts'
import { freezeClock, project, ROOT, read, toolsIn } from '../support/project.mts'
import { answerTo, comment, examplesOf } from './answers.mts'
import { checkCommand, checkServers } from './commands.mts'
import { anchorsOf, type Block, blocksOf, DOCUMENTS, FOLDERS, linksOf, proseOf, textOf } from './documents.mts'

const BLOCKS = DOCUMENTS.flatMap(blocksOf)
const definitions = toolDefinitions()
const { errorCodes }: { errorCodes(): string[] } = createRequire(import.meta.url)('../../native.js')

const at = ({ document, line }: { document: string; line: number }) => `${document}:${line}`
const written = (language: string, name?: string) =>
  BLOCKS.filter((block) => block.language === language && (name === undefined || block.name === name))

/** The one block of that name. */
function block(language: string, name: string): Block {
  const [only, ...others] = written(language, name)
  if (!only || others.length > 0) throw new Error(`${others.length + (only ? 1 : 0)} blocks \`${language} ${name}\``)
  return only
}

test('no code block escapes: each is of a kind that is checked below', () => {
  const kinds = ['ts', 'sh', 'json', 'markdown', 'mermaid', 'text']
  expect(BLOCKS.filter(({ language }) => !kinds.includes(language)).map(at)).toEqual([])
  expect(new Set(BLOCKS.map(({ language }) => language))).toEqual(new Set(kinds))
  // Of text, only what a program prints is shown; which is in its name.
  expect(written('text').map(({ name }) => name)).toEqual(Object.keys(PRINTED))
})

describe('TypeScript', () => {
  test('every block compiles against the package, by its own name', async () => {
    const folder = join(ROOT, 'dist', 'examples', 'docs')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const origin = new Map<string, Block>()
    for (const [index, code] of written('ts').entries()) {
      const name = `block-${index}.mts`
      origin.set(name, code)
      writeFileSync(join(folder, name), `${code.text}\n${PRELUDE(code.text)}`)
    }
    const extended = join(ROOT, 'tsconfig.base.json')
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: extended, compilerOptions: { noEmit: true } }),
    )
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) => error)
    const located = String(stdout).replaceAll(/\S*(block-\d+\.mts)\((\d+),/g, (_, name, line) => {
      const code = origin.get(name) as Block
      return `${code.document}:${code.line + Number(line) - 1} (`
    })
    expect(located).toBe('')
  })

  /** Behind a block that shows mere calls, what they are calls of; and what makes it a module. */
  const PRELUDE = (code: string) =>
    /^import /m.test(code) ? 'export {}\n' : "declare const ralph: import('ralph-sdk-tools').RalphTools\nexport {}\n"

  test('the wrapper of the README runs, with the real Agent SDK', async () => {
    const folder = project({ '.ralph/fix_plan.md': '- [ ] [demo-1] Say hello\n' })
    const model = await startScriptedModel([
      { calls: [{ name: 'mcp__ralph__task_planner', input: { action: 'update', taskId: 'demo-1' } }] },
      { text: 'Hello. The plan is done.' },
    ])
    const claude = await offline(model.url)
    onTestFinished(async () => {
      await model.close()
      await claude.dispose()
    })
    const file = join(ROOT, 'dist', 'examples', 'docs-wrapper.mjs')
    writeFileSync(file, block('ts', 'wrapper.mts').text)
    await promisify(execFile)(process.execPath, [file], { cwd: folder, env: claude.env })
    expect(model.remaining).toBe(0)
    expect(read(folder, '.ralph/fix_plan.md')).toBe('- [x] [demo-1] Say hello\n')
    expect(read(folder, '.ralph/.call_count').trim()).toBe('1')
    expect(JSON.parse(read(folder, '.ralph/.circuit_breaker_state'))).toMatchObject({
      state: 'CLOSED',
      current_loop: 1,
    })
  })

  test('the wrapper of the README has at most 15 lines of code', () => {
    const lines = block('ts', 'wrapper.mts').text.split('\n')
    expect(lines.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(15)
  })
})

/** Where each action has an example. */
const EXAMPLES = 'docs/TOOLS.md'

/** The examples' project, and the moment at which they are run, as the document says. */
function stage(): { folder: string; ralph: RalphTools } {
  const folder = project({ '.ralph/fix_plan.md': block('markdown', '.ralph/fix_plan.md').text })
  vi.stubEnv('TZ', 'UTC')
  onTestFinished(() => void vi.unstubAllEnvs())
  freezeClock(NOW)
  return { folder, ralph: toolsIn({}, { projectDir: folder }) }
}

const NOW = '2026-03-01T10:20:30Z'
/** What stands for the folder in the documents. */
const PROJECT = '/srv/greeter'

/** Compares a document with what it should be; with UPDATE_DOCS=1, writes that instead. */
function expectDocument(document: string, text: string): void {
  if (process.env['UPDATE_DOCS']) writeFileSync(join(ROOT, document), text)
  else expect(textOf(document)).toBe(text)
}

describe('examples', () => {
  const documents = DOCUMENTS.filter((document) => blocksOf(document).some(({ text }) => examplesOf(text).length > 0))

  test.each(documents)('of %s: the answers are what the tools answer', async (document) => {
    const { folder, ralph } = stage()
    let renewed = textOf(document)
    for (const { text } of blocksOf(document)) {
      let shown = text
      for (const example of examplesOf(text)) {
        const answer = (await answerTo(example, ralph)).replaceAll(folder, PROJECT)
        if (answer !== example.shown) shown = shown.replace(example.comment, () => comment(answer))
      }
      renewed = renewed.replace(text, () => shown)
    }
    expectDocument(document, renewed)
  })

  test.each(definitions.map(({ name }) => name))('there is one for each action of %s', (name) => {
    const { method, actions } = definitions.find((tool) => tool.name === name) as (typeof definitions)[number]
    const calls = blocksOf(EXAMPLES).flatMap(({ text }) => examplesOf(text).map(({ call }) => call))
    const shown = actions.filter((action) =>
      calls.some((call) => call.startsWith(`ralph.${method}(`) && call.includes(`action: '${action.name}'`)),
    )
    expect(shown.map((action) => action.name)).toEqual(actions.map((action) => action.name))
  })
})

test.each(
  written('sh').flatMap((code) =>
    code.text
      .trim()
      .split('\n')
      .map((line) => [line, at(code)] as const),
  ),
)('`%s` (%s) is a command that works', (line) => {
  if (!line.startsWith('#')) checkCommand(line)
})

test('the permissions of INTEGRATION.md keep a model that edits files from its guards, and from nothing else', async () => {
  const settings = block('json', '.claude/settings.json').text
  const folder = project({ '.ralph/fix_plan.md': '- [ ] First\n', '.claude/settings.json': settings })
  const files = ['.ralph/.call_count', '.ralph/status.json', '.ralph/logs/ralph.log', '.ralph/notes.md', 'new.txt']
  const model = await startScriptedModel([
    { calls: files.map((file) => ({ name: 'Write', input: { file_path: join(folder, file), content: '0' } })) },
    { text: 'Done.' },
  ])
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
  })
  const options: Options = {
    ...claude.options,
    settingSources: ['project'],
    permissionMode: 'acceptEdits',
    cwd: folder,
  }
  for await (const _ of query({ prompt: 'Go.', options }));
  expect(files.filter((file) => existsSync(join(folder, file)))).toEqual(['.ralph/notes.md', 'new.txt'])
})

test.each(written('json').map((code) => [at(code), code] as const))('JSON of %s', (_, { text, name }) => {
  const value = JSON.parse(text)
  if (name === '.mcp.json') checkServers(value.mcpServers)
})

describe('what names the tools names them right', () => {
  const actions = new Set(definitions.flatMap((tool) => tool.actions.map(({ name }) => `${tool.name} ${name}`)))
  const tools = definitions.map(({ name }) => name).join('|')

  test.each(written('mermaid').map((code) => [at(code), code] as const))('the diagram of %s', (_, { text }) => {
    const named = [...text.matchAll(new RegExp(`\\b(?:${tools}) [a-z]+`, 'g'))].map(([pair]) => pair)
    expect(named.filter((pair) => !actions.has(pair))).toEqual([])
    expect(text).toMatch(/^(flowchart|sequenceDiagram)\b/)
  })

  test('the paragraph for CLAUDE.md', () => {
    const { text } = block('markdown', 'CLAUDE.md')
    const named = [...text.matchAll(/mcp__\w+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(0)
    for (const name of named) expect(RALPH_TOOL_NAMES).toContain(name)
  })
})

/** What programs print, by the names of the blocks that show it. */
const PRINTED: Record<string, () => Promise<string>> = {
  'ralph-sdk-tools --help': async () =>
    execFileSync(process.execPath, [join(ROOT, 'dist', 'ralph-sdk-tools.cjs'), '--help'], { encoding: 'utf8' }),

  // Of the project as the examples leave it.
  'ralph-sdk-tools status': async () => {
    const { ralph } = stage()
    const examples = blocksOf(EXAMPLES).flatMap(({ text }) => examplesOf(text))
    for (const example of examples) await answerTo(example, ralph)
    const snapshot = { ...(await takeSnapshot(ralph)), project: PROJECT, takenAt: NOW }
    return `${renderStatus(snapshot, { columns: 80, rows: 40, styles: (_, text) => text }).join('\n')}\n`
  },
}

test.each(Object.keys(PRINTED))('`%s` prints what is shown', async (name) => {
  const { document, text } = block('text', name)
  const fence = `\`\`\`text ${name}\n`
  const printed = await (PRINTED[name] as () => Promise<string>)()
  expectDocument(
    document,
    textOf(document).replace(`${fence}${text}`, () => `${fence}${printed}`),
  )
})

describe('links', () => {
  test.each(DOCUMENTS)('of %s lead somewhere', (document) => {
    const broken = linksOf(document).filter(({ target }) => {
      if (/^https:\/\//.test(target)) return false
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? document : join(dirname(document), path)
      if (!existsSync(join(ROOT, file))) return true
      return anchor !== undefined && !anchorsOf(relative(ROOT, join(ROOT, file))).has(anchor)
    })
    expect(broken.map((link) => `${at(link)} ${link.target}`)).toEqual([])
  })

  test('every document is linked from the README or from CONTRIBUTING', () => {
    const linked = ['README.md', 'CONTRIBUTING.md'].flatMap(linksOf).map(({ target }) => target.split('#')[0])
    expect(DOCUMENTS.filter((document) => document !== 'README.md' && !linked.includes(document))).toEqual([])
  })
})

test('TROUBLESHOOTING.md says of every error code what to do', () => {
  const text = proseOf('docs/TROUBLESHOOTING.md')
  expect(errorCodes().filter((code) => !text.includes(`\`${code}\``))).toEqual([])
})

test('CONTRIBUTING.md has a line for each folder', () => {
  const [, part = ''] = /^### Where things are\n([\s\S]*?)^## /m.exec(proseOf('CONTRIBUTING.md')) ?? []
  expect(FOLDERS.filter((name) => !part.includes(`\`${name}/\``))).toEqual([])
})

/** Bytes. What everybody reads first is read to its end only if it is short. */
const LONGEST_README = 12_000

test('the README is short', () => {
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThan(LONGEST_README)
})

test.each(DOCUMENTS)('%s knows no machine', (document) => {
  expect(textOf(document)).not.toMatch(/\/(home|root|Users|work|tmp)\//)
})
