// The id of a message that is too long to be kept: read as its bytes pass by.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = new Set([0x7b, 0x5b])
const CLOSE = new Set([0x7d, 0x5d])

/** As much of a name or of an id as is looked at; a longer id is none that a client makes. */
const LONGEST = 200

/** Looks for the outermost `id` and `method` of a JSON object of any length, in memory that does not grow with it. */
export class MessageOutline {
  #depth = 0
  #inString = false
  #escaped = false
  #isValue = false
  #text: number[] = []
  #name = ''
  readonly #found = new Map<string, string>()

  /** The next bytes of the message. */
  read(bytes: Uint8Array): void {
    for (const byte of bytes) this.#step(byte)
  }

  /** The id of the request that this is: undefined where it is none, or has none that can be read. */
  get requestId(): string | number | undefined {
    if (!this.#found.has('method')) return undefined
    const id = parse(this.#found.get('id'))
    return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : undefined
  }

  #step(byte: number): void {
    if (this.#inString) {
      this.#keep(byte)
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) this.#inString = false
      return
    }
    if (byte === QUOTE) this.#inString = true
    if (CLOSE.has(byte)) {
      if (this.#depth === 1) this.#endOfMember()
      this.#depth -= 1
    } else if (OPEN.has(byte)) this.#depth += 1
    else if (this.#depth !== 1) return
    else if (byte === COMMA) this.#endOfMember()
    else if (byte === COLON) this.#endOfName()
    else this.#keep(byte)
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#text.length < LONGEST) this.#text.push(byte)
  }

  #endOfName(): void {
    this.#name = String(parse(this.#take()))
    this.#isValue = true
  }

  #endOfMember(): void {
    const value = this.#take()
    if (this.#isValue && (this.#name === 'id' || this.#name === 'method')) this.#found.set(this.#name, value)
    this.#isValue = false
  }

  #take(): string {
    const text = Buffer.from(this.#text).toString()
    this.#text = []
    return text
  }
}

function parse(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}
