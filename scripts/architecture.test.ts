import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deepImports, emptyEntryPoints, readEntryPoints } from './architecture/entry-points.ts';
import { importsOf, readSources, type SourceFile } from './architecture/sources.ts';
import { declaredTables, foreignAccesses } from './architecture/tables.ts';
import {
  clockWatching,
  coreImports,
  fileImports,
  importCycles,
  outOfPlace,
  readTests,
  upwardImports,
  wrongDirections,
} from './architecture.ts';

const files = readSources();

function fileOf(path: string, text: string, imports: string[] = []): SourceFile {
  return { path, text, lines: 1, imports };
}

test('packages import each other in one direction only', () => {
  assert.deepEqual(wrongDirections(files), []);
});

test('an import against the direction is noticed', () => {
  const wrong = fileOf('packages/core/src/x/y.ts', '', ['@latchkey/server']);
  const adapter = fileOf('packages/chains/src/evm/x.ts', '', ['@latchkey/core']);
  const kit = fileOf('packages/adapter-kit/src/x.ts', '', ['@latchkey/core/ports', '@latchkey/chains']);
  const core = fileOf('packages/core/src/x/z.ts', '', ['@latchkey/adapter-kit']);
  const app = fileOf('apps/console/src/x.tsx', '', ['@latchkey/server/facts']);
  const script = fileOf('scripts/x.ts', '', ['@latchkey/server']);
  assert.deepEqual(wrongDirections([wrong, adapter, kit, core, app, script]), [
    'packages/core/src/x/y.ts imports server',
    'packages/chains/src/evm/x.ts imports core',
    'packages/adapter-kit/src/x.ts imports chains',
    'packages/core/src/x/z.ts imports adapter-kit',
    'apps/console/src/x.tsx imports server/facts',
  ]);
});

test('packages and apps are imported only through their entry points', () => {
  assert.deepEqual(deepImports(files, readEntryPoints()), []);
});

test('an import past an entry point is noticed, and one of a missing entry point', () => {
  const bench = fileOf('bench/x.ts', '', ['../packages/core/src/shared/context.ts', './y.ts', '@latchkey/core/facts']);
  const app = fileOf('apps/portal/facts/x.ts', '', ['../../console/src/x.ts', '../config/x.ts']);
  const lost = fileOf('packages/server/src/x.ts', '', ['@latchkey/core/nowhere', '@latchkey/chains/solana']);
  assert.deepEqual(deepImports([bench, app, lost], readEntryPoints()), [
    'bench/x.ts imports ../packages/core/src/shared/context.ts',
    'apps/portal/facts/x.ts imports ../../console/src/x.ts',
    'packages/server/src/x.ts imports @latchkey/core/nowhere',
  ]);
});

test('every entry point of a package is a file', () => {
  assert.deepEqual(emptyEntryPoints(readEntryPoints()), []);
  assert.deepEqual(emptyEntryPoints(new Map([['@latchkey/x', 'packages/x/src/index.ts']])), [
    '@latchkey/x leads to packages/x/src/index.ts',
  ]);
});

test('a module is imported through its index only', () => {
  const isThroughIndex = ({ to, target }: { to: string; target: string }) =>
    !to.includes('/') || target.endsWith(`${to}/index.ts`);
  // The files at the root assemble the modules and may import their internals.
  const deep = coreImports(files).filter((edge) => edge.from.includes('/') && !isThroughIndex(edge));
  assert.deepEqual(deep, []);
});

test('the areas of core form layers: no module imports one of an area above or beside its own', () => {
  assert.deepEqual(upwardImports(coreImports(files)), []);
  assert.ok(coreImports(files).length > 1_000);
});

test('an import up or sideways is noticed, and so is a folder that belongs to no layer', () => {
  const edges = [
    { file: 'a', from: 'identity/wallets', to: 'gating/rules' },
    { file: 'b', from: 'billing/payments', to: 'near/near-nft' },
    { file: 'c', from: 'shared', to: 'services/audit' },
    { file: 'd', from: 'attic/old', to: 'shared' },
    { file: 'e', from: 'gating/rules', to: 'identity/wallets' },
  ];
  assert.deepEqual(upwardImports(edges), [
    'a imports gating/rules',
    'b imports near/near-nft',
    'c imports services/audit',
    'd imports shared',
  ]);
});

test('modules do not import each other in cycles', () => {
  const modules = coreImports(files).filter(({ from, to }) => from.includes('/') && to.includes('/'));
  assert.deepEqual(importCycles(modules), []);
  assert.deepEqual(
    importCycles([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]),
    [['a', 'b', 'a']],
  );
});

test('files do not import each other in a cycle, not even for types', () => {
  const edges = fileImports(files);
  assert.ok(edges.length > 3_000);
  assert.deepEqual(importCycles(edges), []);
});

test('a cycle of files is noticed, also through an import without names', () => {
  const file = (path: string, text: string) => fileOf(path, text, importsOf(text));
  const edges = fileImports([
    file('packages/a/src/rows.ts', "import type { Shape } from './shape.ts';"),
    file('packages/a/src/shape.ts', "import './tables.ts';"),
    file('packages/a/src/tables.ts', "import { rows } from './rows.ts';"),
  ]);
  assert.equal(importCycles(edges).length, 1);
});

test('each table is declared by one feature', () => {
  const declared = declaredTables(files);
  assert.ok(declared.length > 100);
  const twice = Object.entries(Object.groupBy(declared, ({ table }) => table)).filter(
    ([, owners = []]) => owners.length > 1,
  );
  assert.deepEqual(twice, []);
});

test('a table is read and written only in the folder of the feature that declares it', () => {
  assert.deepEqual(foreignAccesses(files), []);
});

test('an access to the table of another feature is noticed, in the words of Kysely and of SQL', () => {
  const text =
    "declare module '@latchkey/db/tables' {\n  interface Tables {\n    coins: { id: string; at: { day: number } };\n  }\n}";
  const owner = fileOf('packages/core/src/money/coins/queries.ts', text);
  const foreign = (code: string) => foreignAccesses([owner, fileOf('packages/core/src/people/x/x.ts', code)]);
  for (const code of [
    "db.selectFrom('coins as c')",
    'sql`delete from coins where id = 1`',
    "tx.innerJoin('coins', 'a', 'b')",
  ])
    assert.deepEqual(foreign(code), [{ table: 'coins', path: 'packages/core/src/people/x/x.ts' }], code);
  assert.deepEqual(foreign("for (const name of ['coins']) sql.table(name)").length, 1);
  assert.deepEqual(foreign("deleteExpired(db, 'coins', 'at', before)").length, 1);
  assert.deepEqual(foreign("const message = 'no coins from here'; // select from coins"), []);
  assert.deepEqual(
    foreignAccesses([owner, fileOf('packages/core/src/money/coins/x.ts', "db.selectFrom('coins')")]),
    [],
  );
});

test('environment, clock, randomness, terminal and adapters are each touched in one place', () => {
  assert.deepEqual(outOfPlace(files), []);
});

test('a second reader of the clock is noticed', () => {
  assert.deepEqual(outOfPlace([fileOf('packages/core/src/x/y.ts', 'const now = Date.now();')]), [
    'packages/core/src/x/y.ts asks for the time',
  ]);
});

test('what writes to the terminal is noticed, and prose about the console is not', () => {
  const places = outOfPlace([
    fileOf('packages/core/src/x/y.ts', "console.log('x');"),
    fileOf('packages/core/src/x/z.ts', '/** Opens the console. It is a page. */'),
  ]);
  assert.deepEqual(places, ['packages/core/src/x/y.ts writes to the terminal']);
});

test('a second place that loads the emulators is noticed, and their types are free', () => {
  const text =
    "import type { SampleWorld } from '@latchkey/emulators/sample-world';\nimport { sendKey } from '@latchkey/emulators/sample-world';";
  assert.equal(outOfPlace([fileOf('packages/server/src/x.ts', text)]).length, 1);
  assert.deepEqual(outOfPlace([fileOf('packages/server/src/x.ts', text.split('\n')[0] ?? '')]), []);
});

test('no file of the product grows past 450 lines', () => {
  assert.deepEqual(
    files.filter((file) => file.lines > 451 && !/\.(test|suite)\.ts$/.test(file.path)).map((file) => file.path),
    [],
  );
});

test('no test asserts durations, or waits with its own timeout', () => {
  assert.deepEqual(readTests().flatMap(clockWatching), []);
});

test('a test that watches the clock is noticed', () => {
  const text = [
    "assert.ok(performance.now() - since < 5_000, 'too slow');",
    'while (performance.now() < deadline) await delay(10);',
    'assert.ok(exit.tookMs < 10_000);',
    'async function waitUntil(condition: () => boolean) {}',
    "describe('a suite', { timeout: 300_000 }, () => {",
    "  await t.test('a part', { skip, timeout }, async () => {",
    '  { concurrency: 2, timeout: 5_000 },',
    '}, { timeout: 5_000 });',
    'const seconds = Math.floor(Date.now() / 1000);',
    'await api.getUpdates({ timeout: 30 });',
  ];
  const found = clockWatching(fileOf('packages/a/src/a.test.ts', text.join('\n')));
  assert.deepEqual(
    found.map((line) => line.split(':')[1]),
    ['1', '2', '3', '4', '5', '6', '7', '8'],
  );
});

test('imports are found in the sources at all', () => {
  assert.ok(coreImports(files).length > 10);
  assert.ok(files.some((file) => file.imports.includes('@latchkey/kernel')));
  for (const home of ['apps/console/', 'apps/portal/', 'bench/', 'packages/', 'scripts/'])
    assert.ok(files.filter(({ path }) => path.startsWith(home)).length > 10, home);
});
