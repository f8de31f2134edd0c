// What a scripted model says, and what it was asked.

/** A call of a tool. */
export interface ToolCall {
  /** As the model knows it, for example `mcp__ralph__rate_limit`. */
  name: string
  input: Record<string, unknown>
}

/** One answer of the model: text, calls of tools, or both; or a refusal of the whole request. */
export interface Turn {
  text?: string
  calls?: ToolCall[]
  /** Instead of an answer: an HTTP error. */
  error?: { status: number; type: string; message: string }
}

/** A turn, or how to make it from what the model was asked (the results of its last calls, for example). */
export type ScriptedTurn = Turn | ((request: ModelRequest) => Turn)

/** A content block of a message, as far as a script cares. */
export interface ContentBlock {
  type: string
  text?: string
  tool_use_id?: string
  is_error?: boolean
  content?: string | ContentBlock[]
}

/** A request that reached the model. */
export interface ModelRequest {
  model: string
  stream?: boolean
  system?: string | ContentBlock[]
  tools?: { name: string; description?: string; input_schema?: unknown }[]
  messages: { role: 'user' | 'assistant'; content: string | ContentBlock[] }[]
}

/** The answer of a tool, as the model reads it. */
export interface ToolAnswer {
  text: string
  isError: boolean
}

/** The results of the calls that the model made in its last turn. */
export function lastToolAnswers(request: ModelRequest): ToolAnswer[] {
  const content = request.messages.findLast(({ role }) => role === 'user')?.content
  if (content === undefined || typeof content === 'string') return []
  return content
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({ text: withoutReminders(textOf(block.content)), isError: block.is_error === true }))
}

/** A tool's answer without what Claude Code may append to it for the model. */
export function withoutReminders(text: string): string {
  return text.replace(/\n*<system-reminder>[\s\S]*$/, '')
}

/** The text of a content, whatever its form. */
export function textOf(content: string | ContentBlock[] | undefined): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((block) => block.text ?? '').join('')
}
