// `serve`, and what a client starts without a word.

import type { Access, RalphToolsOptions } from '../../index.js'
import { serve } from '../server/stdio.mjs'
import { type Call, EXIT } from './commands.mjs'
import { projectOption } from './project.mjs'

export async function serveProject({ options }: Call): Promise<number> {
  const access = options.access as Access
  const logLevel = options['log-level'] as NonNullable<RalphToolsOptions['logLevel']>
  await serve({ ...projectOption(options.project), access, logLevel })
  return EXIT.done
}
