// `prepublishOnly`: this folder is never published as it stands. Its platforms' packages are links into the clone.

process.stderr.write(`A release is published by its tag, never from a clone: here the packages of the platforms are links
that lead nowhere on another machine. See "A release" in CONTRIBUTING.md; \`npm run release:local\` tries one.
`)
process.exit(1)
