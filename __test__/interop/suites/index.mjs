// What is played, in this order.

import { analyze } from './analyze.mjs'
import { circuit } from './circuit.mjs'
import { config } from './config.mjs'
import { exit } from './exit.mjs'
import { metrics } from './metrics.mjs'
import { plan } from './plan.mjs'
import { rate } from './rate.mjs'
import { sessions } from './sessions.mjs'
import { status } from './status.mjs'
import { together } from './together.mjs'

export const SUITES = [rate, circuit, plan, exit, analyze, status, metrics, sessions, config, together]
