// `serve`, and what a client starts without a word.

import { realpathSync } from 'node:fs'
import { type Access, RalphTools, type RalphToolsOptions } from '../../index.js'
import { note, serve } from '../server/stdio.mjs'
import { type Call, EXIT } from './commands.mjs'
import { projectOption } from './project.mjs'

export async function serveProject({ options }: Call): Promise<number> {
  const access = options.access as Access
  const logLevel = options['log-level'] as NonNullable<RalphToolsOptions['logLevel']>
  const ralph = new RalphTools({ ...projectOption(options.project), logLevel })
  // Found above, or named by a variable: whoever started it may not expect that.
  if (options.project === undefined && !isHere(ralph.projectDir)) note(`the project is ${ralph.projectDir}`)
  await serve({ ralph, access, logLevel })
  return EXIT.done
}

function isHere(folder: string): boolean {
  try {
    return realpathSync('.') === folder
  } catch {
    return false
  }
}
