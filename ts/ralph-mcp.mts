#!/usr/bin/env node
// The program `ralph-mcp`: the first name of `ralph-sdk-tools`, which `.mcp.json` files have.

import { createRequire } from 'node:module'

createRequire(import.meta.url)('./ralph-sdk-tools.cjs')
