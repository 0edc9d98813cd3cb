import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '..');
const knip = join(root, 'node_modules/knip/bin/knip.js');

interface Report {
  issues: { file: string; files?: { name: string }[]; exports?: { name: string }[] }[];
}

/** Returns what nothing uses, as lines: `file` or `file: export`. */
async function findDead(folder: string): Promise<string[]> {
  const args = [knip, '--no-progress', '--no-exit-code', '--reporter=json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 });
  const { issues } = JSON.parse(stdout) as Report;
  return issues
    .flatMap(({ file, files = [], exports = [] }) => [
      ...files.map(() => file),
      ...exports.map(({ name }) => `${file}: ${name}`),
    ])
    .toSorted();
}

test('every file and every export of the project is used', async () => {
  assert.deepEqual(await findDead(root), []);
});

test('an export and a file that nothing uses are found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-knip-'));
  try {
    await cp(join(root, 'knip.json'), join(folder, 'knip.json'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', workspaces: ['packages/*'] }));
    await mkdir(join(folder, 'packages/a/src'), { recursive: true });
    const write = (path: string, text: string) => writeFile(join(folder, 'packages/a', path), text);
    await write('package.json', JSON.stringify({ name: '@latchkey/a', type: 'module', exports: './src/index.ts' }));
    await write('src/index.ts', "export { dead, used } from './both.ts';");
    await write('src/both.ts', 'export const used = 1;\nexport const dead = 2;');
    await write('src/forgotten.ts', 'export const nobody = 3;');
    await write('src/index.test.ts', "import { used } from './index.ts';\nconsole.log(used);");
    assert.deepEqual(await findDead(folder), [
      'packages/a/src/both.ts: dead',
      'packages/a/src/forgotten.ts',
      'packages/a/src/index.ts: dead',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the exceptions to the search are a short list', async () => {
  const { ignoreIssues } = JSON.parse(await readFile(join(root, 'knip.json'), 'utf8')) as { ignoreIssues: object };
  // The test runner loads the first by its path, which no tool can follow, and the console’s build puts the second in the place of Node’s
  // own modules.
  assert.deepEqual(Object.keys(ignoreIssues), [
    'packages/db/src/testing/*.ts',
    'apps/console/src/rules-file/shims/*.ts',
  ]);
});
