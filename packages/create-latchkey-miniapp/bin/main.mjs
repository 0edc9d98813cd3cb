#!/usr/bin/env node
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledLibrary, CreateProblem, createMiniAppFolder, readVersion } from './create.mjs';

const home = fileURLToPath(new URL('..', import.meta.url));
const [name, ...rest] = process.argv.slice(2);

/** @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);

if (name === '--version') print(readVersion(home));
else if (name === undefined || name.startsWith('-') || rest.length > 0) {
  print('Usage: create-latchkey-miniapp <folder>');
  process.exitCode = name === '--help' ? 0 : 1;
} else {
  try {
    const template = join(home, 'template');
    createMiniAppFolder(name, {
      template,
      node: '>=20.3',
      scripts: { start: 'node start.js', test: 'node --test' },
      dependencies: bundledLibrary(template),
    });
    print(
      `Your mini-app is in ${name}. Next:\n\n  cd ${name}\n  npm install\n  npm test\n\nIts README.md explains how to run and register it.`,
    );
  } catch (error) {
    if (!(error instanceof CreateProblem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
