// Removes files that nothing reads at run time: types, source maps, manuals and tests of packages, and the caches of the build.
import { existsSync, globSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { optionalPeers } from '../../scripts/setup/packages.mjs';

const root = resolve(import.meta.dirname, '../..');
const unread = ['map', 'md', 'markdown', 'flow', 'd.ts', 'd.mts', 'd.cts', 'ts', 'mts', 'cts', 'tsx'];
const untouched = [
  'test',
  'tests',
  '__tests__',
  'benchmark',
  'benchmarks',
  'bench',
  'example',
  'examples',
  'docs',
  '.github',
];
const folders = ['node_modules', ...globSync('{apps,packages}/*/node_modules', { cwd: root })];

for (const path of optionalPeers(root)) rmSync(join(root, path), { recursive: true, force: true });
for (const folder of folders.filter((path) => existsSync(join(root, path)))) {
  // Links to our own packages are not followed: their TypeScript is what runs.
  for (const file of globSync(`${folder}/**/*.{${unread.join(',')}}`, { cwd: root, withFileTypes: true }))
    if (file.isFile() && !file.parentPath.includes('/@latchkey/')) rmSync(join(file.parentPath, file.name));
  // Only folders beside a package.json: deeper ones may be code, such as viem/actions/test.
  for (const path of globSync(`${folder}/{*,@*/*}/package.json`, { cwd: root }))
    if (!path.includes('/@latchkey/') && !untouched.includes(basename(dirname(path))))
      for (const name of untouched) rmSync(join(root, dirname(path), name), { recursive: true, force: true });
}
rmSync(join(root, '.runtime'), { recursive: true, force: true });
