// The documents, taken apart: code blocks, headings, links.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/project.mts'

/** A fenced code block. */
export interface Block {
  document: string
  /** Of its first line of text, from 1. */
  line: number
  /** The first word behind the fence, such as `ts`. */
  language: string
  /** The rest of that line: what the block is, where a test must know. */
  name: string
  text: string
}

/** A link as it is written, where it stands. */
export interface Link {
  document: string
  line: number
  target: string
}

/** Folders at the root that are made, not written. */
const MADE = ['.git', 'coverage', 'dist', 'node_modules', 'target']

/** The project's own folders. */
export const FOLDERS: readonly string[] = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !MADE.includes(entry.name))
  .map(({ name }) => name)

/** Every document of the project, by its path from the root. */
export const DOCUMENTS: readonly string[] = ['', ...FOLDERS.map((name) => `${name}/`)]
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => folder + name))
  .filter((name) => name.endsWith('.md'))
  .sort()

export function textOf(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8')
}

export function blocksOf(document: string): Block[] {
  const blocks: Block[] = []
  let open: (Block & { fence: string }) | undefined
  textOf(document)
    .split('\n')
    .forEach((text, index) => {
      const [, fence, language = '', name = ''] = /^(`{3,})(\S*) ?(.*)$/.exec(text) ?? []
      if (open && text === open.fence) {
        blocks.push(open)
        open = undefined
      } else if (open) {
        open.text += `${text}\n`
      } else if (fence) {
        open = { document, line: index + 2, language, name, text: '', fence }
      }
    })
  if (open) throw new Error(`${document}:${open.line}: the code block is never closed`)
  return blocks
}

/** The document's prose: code blocks are blank lines. */
export function proseOf(document: string): string {
  const lines = textOf(document).split('\n')
  for (const { line, text } of blocksOf(document)) {
    for (let index = line - 2; index < line + text.split('\n').length - 1; index += 1) lines[index] = ''
  }
  return lines.join('\n')
}

/** The anchors that the headings make, as GitHub names them. */
export function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of proseOf(document).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

export function linksOf(document: string): Link[] {
  return proseOf(document)
    .split('\n')
    .flatMap((text, index) =>
      [...text.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
        document,
        line: index + 1,
        target,
      })),
    )
}
