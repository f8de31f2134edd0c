// Whether what a release consists of fits together, and what its notes are.
//
//     node scripts/release/check.mjs             before a release is tagged
//     node scripts/release/check.mjs v1.2.3      in the release of that tag
//     node scripts/release/check.mjs --notes     prints the notes alone

import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distTag, fail, platformsOf, readJson } from './packages.mjs'

const root = process.cwd()
const args = process.argv.slice(2)
const tag = args.find((word) => !word.startsWith('-'))

const { version, optionalDependencies } = readJson(root, 'package.json')
const cargo = readFileSync(join(root, 'Cargo.toml'), 'utf8')
const changes = sectionOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)

const problems = [
  tag &&
    tag !== `v${version}` &&
    `the tag is ${tag}, but package.json says ${version}: tag v${version}, or set the version`,
  cargoVersion(cargo) !== version &&
    `Cargo.toml says ${cargoVersion(cargo)}, package.json ${version}: set both, then \`npm run generate\``,
  !changes && `CHANGELOG.md has no section \`## ${version}\`: say what has changed`,
  tag &&
    distTag(version) === 'latest' &&
    changes &&
    !/\d{4}-\d{2}-\d{2}/.test(changes.heading) &&
    `CHANGELOG.md: \`${changes.heading}\` has no date; write \`## ${version} (YYYY-MM-DD)\``,
  ...platformsOf(root).flatMap(({ name, manifest }) => [
    manifest.version !== version && `npm/${name} is of version ${manifest.version}: \`npm run generate\``,
    !(manifest.name in optionalDependencies) && `package.json: optionalDependencies lack ${manifest.name}`,
  ]),
].filter(Boolean)
if (problems.length > 0) fail(problems.join('\n'))

if (args.includes('--notes')) process.stdout.write(`${changes.text}\n`)
else process.stdout.write(`version ${version}, published as @${distTag(version)}\n`)
if (process.env.GITHUB_OUTPUT) {
  appendFileSync(process.env.GITHUB_OUTPUT, `version=${version}\ntag=${distTag(version)}\n`)
}

/** The version of the workspace. */
function cargoVersion(text) {
  return /^\[workspace\.package\][^[]*?^version = "([^"]*)"/m.exec(text)?.[1]
}

/** What changed in a version; a prerelease may stand under the version that it comes before. */
function sectionOf(text, wanted) {
  const sections = text.split(/^(?=## )/m).map((section) => {
    const [heading, ...lines] = section.trim().split('\n')
    return { heading, version: heading.split(' ')[1], text: lines.join('\n').trim() }
  })
  return sections.find((s) => s.version === wanted) ?? sections.find((s) => s.version === wanted.split('-')[0])
}
