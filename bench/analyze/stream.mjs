// The last result of a stream-json log in Node: every line parsed, so that each is known to be JSON.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

let last
let text
let length = 0
for await (const line of createInterface({
  input: createReadStream(process.argv[2], { highWaterMark: 1 << 20 }),
  crlfDelay: Infinity,
})) {
  length += line.length + 1
  if (line === '') continue
  const message = JSON.parse(line)
  if (message.type === 'result') last = message
  if (message.type === 'assistant') text = message.message.content.find((block) => block.type === 'text')?.text ?? text
}
console.log(length, last?.session_id, text?.length)
