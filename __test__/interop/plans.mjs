// Plans: such as both count alike, and such as only we do.

const SECTIONS = [
  '## High Priority',
  '## Low Priority',
  '### Details',
  '## Optional',
  '## Nice to Have',
  '# Plan',
  '## future enhancements',
]
const PLAIN = ['- [ ] write it', '- [x] read it', '- [x] test it', 'Some words.', '']
/** Lines that bash miscounts: other bullets, indents and marks, dates, fences, comments. */
const EXOTIC = [
  '* [ ] starred',
  '  - [x] deeper',
  '- [X] shouted',
  '1. [ ] counted',
  '- [2026-01-29] a date',
  '- [ ](link) here',
  '```',
  '<!--',
  '-->',
  '- [/] begun',
  '- [~] begun too',
  '- [-] dropped',
  '- [!] important',
  '- [] empty',
  '> - [ ] quoted',
]

/** A plan, and whether it has lines that only one of the two understands. */
export function plan(random) {
  const exotic = random.chance(0.25)
  const lines = []
  for (let n = random.between(1, 12); n > 0; n -= 1) {
    if (random.chance(0.25)) lines.push(random.pick(SECTIONS))
    if (exotic && random.chance(0.4)) lines.push(random.pick(EXOTIC))
    const line = random.chance(0.6) ? random.pick(['- [x] read it', '- [x] test it']) : random.pick(PLAIN)
    lines.push(/^- \[/.test(line) ? `${line} ${n}` : line)
  }
  return { text: `${lines.join('\n')}\n`, exotic: exotic && lines.some((line) => EXOTIC.includes(line)) }
}
