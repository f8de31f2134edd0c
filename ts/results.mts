// What a tool's answer looks like on the wire: one compact JSON text of bounded size, always valid.

/** The longest text of a result, in characters (DESIGN section 8). */
export const MAX_RESULT_LENGTH = 20_000

type Json = Record<string, unknown>

/** The answer as compact JSON of at most `max` characters; what was cut is said in it (`nextOffset`, `warnings`). */
export function resultText(output: object, offset: number, max = MAX_RESULT_LENGTH): string {
  const whole = JSON.stringify(output)
  if (whole.length <= max) return whole
  for (const { text, items } of SHORTER) {
    const shorter = text === Infinity ? (output as Json) : warned(shorten(output, text, items) as Json)
    const cut = cutTasks(shorter, offset, max)
    if (cut !== undefined) return cut
  }
  return JSON.stringify({ warnings: ['the answer is too long to show: ask for less of it'] })
}

/** How much of each text and of each list other than `tasks` is kept, tried in this order. */
const SHORTER = [
  { text: Infinity, items: Infinity },
  { text: 2000, items: 100 },
  { text: 500, items: 50 },
  { text: 200, items: 20 },
  { text: 40, items: 4 },
]

/** The answer with as many tasks as fit, but at least one of those it had, so that a caller who pages gets on. */
function cutTasks(output: Json, offset: number, max: number): string | undefined {
  const { tasks } = output
  if (!Array.isArray(tasks) || tasks.length < 2) {
    const text = JSON.stringify(output)
    return text.length <= max ? text : undefined
  }
  const frame = JSON.stringify({ ...output, tasks: [], nextOffset: offset + tasks.length })
  let room = max - frame.length
  let fit = 0
  for (const task of tasks) {
    room -= JSON.stringify(task).length + (fit > 0 ? 1 : 0)
    if (room < 0) break
    fit += 1
  }
  if (fit === 0) return undefined
  if (fit === tasks.length) return JSON.stringify(output)
  return JSON.stringify({ ...output, tasks: tasks.slice(0, fit), nextOffset: offset + fit })
}

function shorten(value: unknown, text: number, items: number, key = ''): unknown {
  if (typeof value === 'string') return value.length > text ? `${beginning(value, text)}…` : value
  if (Array.isArray(value)) {
    const kept = key === 'tasks' ? value : value.slice(0, items)
    return kept.map((item) => shorten(item, text, items))
  }
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).slice(0, Math.max(items, 40))
    return Object.fromEntries(kept.map(([name, item]) => [name, shorten(item, text, items, name)]))
  }
  return value
}

/** The first `length` characters, without half of a surrogate pair. */
function beginning(text: string, length: number): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length
  return text.slice(0, end)
}

function warned(output: Json): Json {
  const warnings = Array.isArray(output['warnings']) ? output['warnings'] : []
  return { ...output, warnings: [...warnings, 'long texts and lists were cut to fit the answer'] }
}
