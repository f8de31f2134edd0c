// A real Redis or Valkey server, on a port and a socket of its own.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Whether there is a server to start. */
export const hasRedis = program !== undefined

export interface RedisServer {
  /** With its password. */
  url: string
  socketUrl: string
  stop(): void
}

/** Starts a server with a password; it is stopped at the end of the test, by its own process. */
export async function startRedis(): Promise<RedisServer> {
  if (program === undefined) throw new Error('no redis-server')
  const folder = mkdtempSync(join(tmpdir(), 'ralph-redis-'))
  const socket = join(folder, 'socket')
  const port = await freePort()
  const settings = ['--port', String(port), '--unixsocket', socket, '--dir', folder]
  const child = spawn(program, [...settings, '--save', '', '--appendonly', 'no', '--requirepass', 'p4ss'], {
    stdio: 'ignore',
  })
  const stop = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  onTestFinished(stop)
  while (!(await answers(socket))) await delay(5)
  return { url: `redis://:p4ss@127.0.0.1:${port}`, socketUrl: `unix://${socket}?pass=p4ss`, stop }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket)
    connection.on('error', () => resolve(false))
    connection.on('connect', () => {
      connection.destroy()
      resolve(true)
    })
  })
}
