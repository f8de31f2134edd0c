// The project that was named on the command line.

import type { RalphToolsOptions } from '../../index.js'

/** The option `projectDir`; left out where none was named, for the core then looks for one. */
export function projectOption(named: string | undefined): Pick<RalphToolsOptions, 'projectDir'> {
  return named === undefined ? {} : { projectDir: named }
}
