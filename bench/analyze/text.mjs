// The work of the analyzer on a text log, in Node: lines from a stream, one alternation to find those of interest.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const interesting =
  /should i|would you|do you want|which approach|which option|how should|what should|shall i|do you prefer|can you clarify|could you|what do you think|please confirm|need clarification|waiting|your preference|done|complete|finished|ready for review|nothing to do|no changes|already implemented|up to date|running tests|npm test|bats|pytest|jest|implementing|creating|writing|adding|function|class|error|exception|fatal|traceback|panicked|summary|implemented|ralph_status/i
const questions = [
  'should I',
  'would you',
  'do you want',
  'which approach',
  'which option',
  'how should',
  'what should',
  'shall I',
  'do you prefer',
  'can you clarify',
  'could you',
  'what do you think',
  'please confirm',
  'need clarification',
  'awaiting.*input',
  'waiting.*response',
  'your preference',
].map((pattern) => new RegExp(`\\b${pattern}\\b`, 'i'))
const facts = {
  completion: /done|complete|finished|ready for review/i,
  noWork: /nothing to do|no changes|already implemented|up to date/i,
  tests: /running tests|npm test|bats|pytest|jest/i,
  implementation: /implementing|creating|writing|adding|function|class/i,
}
const stuck = /^Error:|^ERROR:|^error:|\]: error|Link: error|Error occurred|failed with error|[Ee]xception|Fatal|FATAL/
const field = /"[^"]*error[^"]*":/

const found = { length: 0, errors: 0, questions: 0, status: 0 }
for await (const line of createInterface({
  input: createReadStream(process.argv[2], { highWaterMark: 1 << 20 }),
  crlfDelay: Infinity,
})) {
  found.length += line.length + 1
  if (!interesting.test(line)) continue
  for (const name in facts) found[name] ||= facts[name].test(line)
  if (stuck.test(line) && !field.test(line)) found.errors += 1
  if (/ralph_status/i.test(line)) found.status += 1
  for (const question of questions) if (question.test(line)) found.questions += 1
}
console.log(JSON.stringify(found))
