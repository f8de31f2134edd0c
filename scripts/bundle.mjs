// Makes one program of the compiled command line and of what it needs of other packages, so that nothing has to be
// installed beside it. `npm run build:ts` runs it after the compiler.

import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const DIST = join(ROOT, 'dist')
const PROGRAM = 'ralph-sdk-tools'
/** `engines` in package.json. */
const OLDEST_NODE = 'node18.17'

/** What stays a file of its own: the addon's loader, and the layer that programs import. */
const BESIDE = [
  { pattern: /^(?:\.\.\/)+index\.js$/, path: '../index.js' },
  { pattern: /^\.\.\/loop\.mjs$/, path: './loop.mjs' },
]

const beside = {
  name: 'beside',
  resolveId(source, importer = '') {
    const ours = source.startsWith('.') && !importer.includes('/node_modules/')
    const known = ours && BESIDE.find(({ pattern }) => pattern.test(source))
    return known ? { id: known.path, external: true } : null
  },
}

/** Modules of the MCP SDK and of zod that a server of tools never calls: how each ends, and what stands in for it. */
const NEVER_CALLED = {
  '/validation/ajv-provider.js': 'export class AjvJsonSchemaValidator {}',
  '/experimental/tasks/server.js': 'export class ExperimentalServerTasks {}',
  '/zod/v4/locales/index.js': "export { default as en } from './en.js'",
  '/zod/v4/core/to-json-schema.js':
    'export const createToJSONSchemaMethod = () => () => ({}), createStandardJSONSchemaMethod = createToJSONSchemaMethod',
  '/zod/v4/core/json-schema-processors.js': 'export {}',
}

/** Stands for a schema that is made when something of it is asked for. */
const LAZY = `function lazySchema(make) {
  let schema
  const made = () => (schema ??= make())
  return new Proxy({}, {
    get: (_, key) => made()[key],
    set: (_, key, value) => Reflect.set(made(), key, value),
    has: (_, key) => key in made(),
  })
}
`

/** Half of a server's start is spent on reading its source, so what is not needed goes. */
const lean = {
  name: 'lean',
  load(id) {
    const end = Object.keys(NEVER_CALLED).find((path) => id.endsWith(path))
    return end === undefined ? null : NEVER_CALLED[end]
  },
  // The SDK makes the schemas of all of MCP's messages when it is loaded. Here each is made when it is first used.
  transform(code, id) {
    if (!id.endsWith('/sdk/dist/esm/types.js')) return null
    let out = LAZY
    let at = 0
    for (const statement of this.parse(code).body) {
      const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      if (declaration?.type !== 'VariableDeclaration') continue
      for (const { id: variable, init } of declaration.declarations) {
        if (init?.type !== 'CallExpression' || !variable.name.endsWith('Schema')) continue
        out += `${code.slice(at, init.start)}/* @__PURE__ */ lazySchema(() => ${code.slice(init.start, init.end)})`
        at = init.end
      }
    }
    return out + code.slice(at)
  },
  // Source of ASCII alone takes V8 half the memory, and less time.
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

removeOld()
const bundle = await rolldown({
  input: { [PROGRAM]: join(DIST, 'cli', 'main.mjs') },
  platform: 'node',
  preserveEntrySignatures: false,
  // Of what `lean` leaves out.
  shimMissingExports: true,
  onLog: (level, log, print) => log.code !== 'SHIMMED_EXPORT' && print(level, log),
  plugins: [beside, lean],
  transform: { target: OLDEST_NODE },
})
const { output } = await bundle.write({
  dir: DIST,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: `${PROGRAM}-[name].cjs`,
  minify: { compress: true, mangle: true, codegen: true },
  comments: { legal: false, annotation: false, jsdoc: false },
})
await bundle.close()
chmodSync(join(DIST, `${PROGRAM}.cjs`), 0o755)
writeNotices(packagesOf(output.flatMap(({ modules = {} }) => Object.keys(modules))))

function removeOld() {
  for (const name of readdirSync(DIST)) {
    if (name.startsWith(PROGRAM) && name.endsWith('.cjs')) rmSync(join(DIST, name))
  }
}

/** The folders of the packages that these files come from. */
function packagesOf(files) {
  const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(folders)].sort()
}

/** Licences that are bundled ask for their notice to come along. */
function writeNotices(folders) {
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (!file) throw new Error(`${relative(ROOT, folder)} has no licence file: its notice has to be written down`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  const head = `The program ${PROGRAM} contains code of these packages.\n`
  writeFileSync(join(DIST, 'THIRD-PARTY-NOTICES.txt'), [head, ...notices].join(`\n${'-'.repeat(80)}\n\n`))
}
