// What the tests use of `torture.mjs`.

export interface Row {
  readonly name: string
  readonly what: string
}

export interface Result {
  readonly tries: number
  readonly failures: readonly string[]
  readonly skipped?: string
}

export const ROWS: readonly Row[]
export function torture(row: Row, bounds: { seconds: number; rounds?: number; seed: number }): Promise<Result>
