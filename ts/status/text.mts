// Text on a terminal: colour, width and bars.

import stringWidth from 'string-width'

export { clean } from '../terminal.mjs'

/** What a piece of text is, from which its colour follows. */
export type Style = 'plain' | 'strong' | 'dim' | 'good' | 'notice' | 'bad' | 'accent'

/** Puts a style on a text. */
export type Styles = (style: Style, text: string) => string

const SGR: Record<Style, string> = {
  plain: '',
  strong: '1',
  dim: '2',
  good: '32',
  notice: '33',
  bad: '31',
  accent: '36',
}

/** Colour on a terminal unless NO_COLOR is set; FORCE_COLOR asks for it elsewhere. */
export function styles(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): Styles {
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0'
  const colour = !env['NO_COLOR'] && env['TERM'] !== 'dumb' && (stream.isTTY === true || forced)
  return (style, text) => (colour && SGR[style] && text ? `\x1b[${SGR[style]}m${text}\x1b[0m` : text)
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The most UTF-16 units that a column of a screen may be made of: what is longer is cut before it is measured. */
const UNITS_PER_COLUMN = 16

/** How many columns a text takes, styles not counted. */
export function width(text: string): number {
  return stringWidth(text)
}

/** An unstyled text in at most `columns` columns, with `…` where it was cut. */
export function clip(text: string, columns: number): string {
  const looked = text.slice(0, Math.max(0, columns) * UNITS_PER_COLUMN + UNITS_PER_COLUMN)
  if (looked.length === text.length && width(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(looked)) {
    used += width(segment)
    if (used > columns - 1) break
    kept += segment
  }
  return columns > 0 ? `${kept}…` : ''
}

/** A path in at most `columns` columns: what is cut is its middle, for the end says most. */
export function clipPath(path: string, columns: number): string {
  if (path.length <= columns * UNITS_PER_COLUMN && width(path) <= columns) return path
  const tail = Math.max(0, Math.ceil(((columns - 1) * 2) / 3))
  let end = ''
  // From the end back: nobody reads a name of which only the beginning is there.
  for (const { segment } of [...graphemes.segment(path.slice(-tail * UNITS_PER_COLUMN || path.length))].reverse()) {
    if (width(segment) + width(end) > tail) break
    end = segment + end
  }
  return clip(clip(path, columns - width(end)) + end, columns)
}

/** A text in lines of at most `columns` columns, cut between words; `…` ends the last where there would be more. */
export function wrap(text: string, columns: number, most = Number.POSITIVE_INFINITY): string[] {
  const room = Math.max(1, columns)
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(' ')) {
    for (const part of parts(word, room)) {
      const size = width(part)
      const gap = line === '' ? 0 : 1
      if (line !== '' && used + gap + size > room) {
        lines.push(line)
        if (lines.length > most) break
        line = part
        used = size
      } else {
        line += (gap ? ' ' : '') + part
        used += gap + size
      }
    }
    if (lines.length > most) break
  }
  if (line !== '') lines.push(line)
  if (lines.length <= most) return lines
  const kept = lines.slice(0, most)
  return [...kept.slice(0, -1), clip(`${kept.at(-1) ?? ''} ${lines[most] ?? ''}`, room)]
}

/** A word as it is, or in pieces that fit. */
function parts(word: string, room: number): string[] {
  if (word.length <= room && width(word) <= room) return [word]
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const { segment } of graphemes.segment(word)) {
    const size = width(segment)
    if (used + size > room && piece !== '') {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += segment
    used += size
  }
  return [...pieces, piece]
}

/** A text with spaces up to `columns` columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)))
}

/** A bar whose filled part is `share` (0 to 1) of its length. Full only at 1, empty only at 0. */
export function bar(share: number, columns: number, style: Style, paint: Styles): string {
  const clamped = Math.min(1, Math.max(0, share || 0))
  const exact = Math.round(clamped * columns)
  const filled = clamped === 0 || clamped === 1 ? exact : Math.min(columns - 1, Math.max(1, exact))
  return paint(style, '█'.repeat(filled)) + paint('dim', '░'.repeat(columns - filled))
}

/** `45 s`, `12 min 05 s`, `3 h 07 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`
}
