// Takes out what only the building of the pages needed; `npm prune` then removes its packages.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const console_ = join(root, 'apps/console/package.json');
writeFileSync(console_, JSON.stringify({ ...JSON.parse(readFileSync(console_, 'utf8')), dependencies: {} }));
for (const path of ['apps/console/src', 'apps/console/test', 'packages/server/test', 'packages/emulators/src'])
  rmSync(join(root, path), { recursive: true, force: true });
