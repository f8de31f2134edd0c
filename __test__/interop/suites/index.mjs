// What is played, in this order.

import { circuit } from './circuit.mjs'
import { exit } from './exit.mjs'
import { plan } from './plan.mjs'
import { rate } from './rate.mjs'

export const SUITES = [rate, circuit, plan, exit]
