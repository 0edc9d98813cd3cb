import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { makeFakeClone, startTask } from '../fake-clone.ts';

/** A Vite that writes what it would have built, unless the source is broken. */
const fakeVite = `
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
const text = readFileSync('src/main.tsx', 'utf8');
if (text === 'broken') throw new Error('main.tsx does not parse');
const folder = process.argv.find((flag) => flag.startsWith('--outDir=')).slice('--outDir='.length);
rmSync(folder, { recursive: true, force: true });
for (const name of ['assets', '.vite']) mkdirSync(folder + '/' + name, { recursive: true });
writeFileSync(folder + '/assets/main-' + text + '.js', text);
writeFileSync(folder + '/.vite/manifest.json', text);
appendFileSync('builds.txt', process.argv.slice(2).join(' ') + '\\n');
`;

function makeCloneWithPages(t: Parameters<typeof makeFakeClone>[0]) {
  const clone = makeFakeClone(t, {
    'scripts/routes.ts': 'console.log("routes");',
    'apps/console/package.json': '{"type":"module"}',
    'apps/console/vite.config.ts': '',
    'apps/console/src/main.tsx': 'one',
    'apps/console/src/main.test.ts': '',
    'apps/console/node_modules/vite/package.json': '{"type":"module"}',
    'apps/console/node_modules/vite/bin/vite.js': fakeVite,
    'packages/client/src/index.ts': '',
    'packages/kernel/src/chat-platforms.ts': '',
  });
  const builds = () => {
    const file = join(clone.root, 'apps/console/builds.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
  };
  const run = () => startTask(t, clone, 'routes').ended;
  return { ...clone, builds, run };
}

test('the pages are built when they are missing, and again when what they are made of has changed', async (t) => {
  const { write, builds, run, root } = makeCloneWithPages(t);
  assert.match((await run()).stderr, /^Building the pages … done in [\d.]+ s$/m);
  assert.doesNotMatch((await run()).stderr, /Building/);
  assert.equal(builds(), 1);
  write('apps/console/src/main.test.ts', 'a test is no part of a page');
  await run();
  assert.equal(builds(), 1);
  let expected = 1;
  const sources = ['apps/console/src/new.ts', 'packages/client/src/index.ts', 'packages/kernel/src/chat-platforms.ts'];
  for (const changed of [...sources, 'apps/console/vite.config.ts']) {
    write(changed, '// changed');
    assert.equal((await run()).code, 0);
    expected += 1;
    assert.equal(builds(), expected, changed);
  }
  rmSync(join(root, 'apps/console/dist'), { recursive: true });
  await run();
  assert.equal(builds(), expected + 1);
});

/** Returns the files of the pages, and which of them the list of pages refers to. */
function listDist(root: string) {
  const dist = join(root, 'apps/console/dist');
  return [...readdirSync(join(dist, 'assets')).sort(), readFileSync(join(dist, '.vite/manifest.json'), 'utf8')];
}

test('a running server keeps the files of the pages it serves, until they are built without one', async (t) => {
  const { write, run, root } = makeCloneWithPages(t);
  write(
    'packages/server/src/cli/main.ts',
    "import { writeFileSync } from 'node:fs'; writeFileSync('up', ''); setInterval(() => {}, 1e6);",
  );
  const server = startTask(t, { root, write }, 'start');
  await until('the server runs', () => existsSync(join(root, 'up')));
  write('apps/console/src/main.tsx', 'two');
  assert.equal((await run()).code, 0);
  assert.deepEqual(listDist(root), ['main-one.js', 'main-two.js', 'two']);
  server.child.kill('SIGTERM');
  await server.ended;
  write('apps/console/src/main.tsx', 'three');
  assert.equal((await run()).code, 0);
  assert.deepEqual(listDist(root), ['main-three.js', 'three']);
});

test('pages that cannot be built stop the command and say why, and the next run tries again', async (t) => {
  const { write, builds, run, root } = makeCloneWithPages(t);
  await run();
  write('apps/console/src/main.tsx', 'broken');
  const failed = await run();
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /The pages in apps\/console could not be built\.\n {2}\| [\s\S]*main\.tsx does not parse/,
  );
  assert.equal(failed.stdout, '');
  assert.deepEqual(listDist(root), ['main-one.js', 'one'], 'the old ones stay');
  write('apps/console/src/main.tsx', 'one');
  assert.equal((await run()).code, 0);
  assert.equal(builds(), 2);
});
