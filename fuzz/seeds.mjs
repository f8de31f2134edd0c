// Writes the outputs and plans of the vectors into fuzz/corpus: what libFuzzer starts from.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const here = new URL('.', import.meta.url)
const cases = JSON.parse(readFileSync(new URL('../__test__/data/vectors.json', here), 'utf8'))

function save(target, bytes) {
  const folder = new URL(`corpus/${target}/`, here)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(createHash('sha1').update(bytes).digest('hex'), folder), bytes)
}

for (const { files, steps } of cases) {
  for (const [name, text] of [...Object.entries(files), ...steps.flatMap(({ write = {} }) => Object.entries(write))]) {
    if (name.includes('claude_output_')) save('analyze', `\u0007${text}`)
    if (name.endsWith('fix_plan.md')) save('parsers', text)
  }
}
const block = '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\nFILES_MODIFIED: 2\n---END_RALPH_STATUS---'
const result = {
  type: 'result',
  is_error: false,
  result: `ok\n${block}`,
  session_id: 's-1',
  usage: { input_tokens: 5 },
}
const said = { type: 'assistant', message: { content: [{ type: 'text', text: block }] } }
const init = { type: 'system', subtype: 'init', session_id: 's-1' }
const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1772660000 } }
for (const text of [
  [init, said, limit, result].map((message) => JSON.stringify(message)).join('\n'),
  JSON.stringify([init, said, result]),
  JSON.stringify({
    ...result,
    is_error: true,
    errors: ['x'],
    permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'git a && b' } }],
  }),
  `RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: false | true\n${block}`,
]) {
  save('analyze', `\u0003${text}`)
}
for (const text of [
  "You've hit your weekly limit · resets Aug 16 at 1am (Asia/Tokyo)",
  'Claude AI usage limit reached|1772660000',
  '5-hour limit reached ∙ resets 3pm',
  "You've reached your weekly limit. It resets Friday at 5pm.",
  'git add . && git commit -m "a; b" || npm test\n# end',
  '{"a":[1,2.5e3,"\\u00e9",true,null],"b":{}}',
]) {
  save('parsers', text)
}
