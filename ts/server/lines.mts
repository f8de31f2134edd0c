// Lines of a stream of bytes, each of bounded length.

const NEWLINE = 0x0a

/** What is done with the lines. */
export interface LineHandler {
  /** A whole line, its end not included. */
  line(bytes: Buffer): void
  /** A line grows past the limit: what takes its bytes from the first on, and is told of its end. */
  tooLong(): { read(bytes: Uint8Array): void; end(): void }
}

/** Cuts what is pushed into lines of at most `limit` bytes; of a longer one nothing is kept. */
export class LineSplitter {
  #parts: Buffer[] = []
  #length = 0
  #skipped: ReturnType<LineHandler['tooLong']> | undefined

  constructor(
    private readonly limit: number,
    private readonly handler: LineHandler,
  ) {}

  push(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, end))
      this.#endLine()
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) this.#add(rest)
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#skipped === undefined && this.#length > this.limit) {
      this.#skipped = this.handler.tooLong()
      for (const part of this.#parts.splice(0)) this.#skipped.read(part)
    }
    if (this.#skipped) this.#skipped.read(bytes)
    else this.#parts.push(bytes)
  }

  #endLine(): void {
    const skipped = this.#skipped
    const line = Buffer.concat(this.#parts.splice(0))
    this.#skipped = undefined
    this.#length = 0
    if (skipped) skipped.end()
    else this.handler.line(line)
  }
}
