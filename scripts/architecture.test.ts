import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clockWatching,
  featureCycles,
  featureImports,
  outOfPlace,
  readSources,
  readTests,
  type SourceFile,
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
  assert.deepEqual(wrongDirections([wrong, adapter, kit, core]), [
    'packages/core/src/x/y.ts imports server',
    'packages/chains/src/evm/x.ts imports core',
    'packages/adapter-kit/src/x.ts imports chains',
    'packages/core/src/x/z.ts imports adapter-kit',
  ]);
});

test('a feature reaches another only through its index', () => {
  const sneaky = featureImports(files).filter((edge) => edge.door !== 'index.ts' && edge.to !== 'ports');
  assert.deepEqual(sneaky, []);
});

test('features do not import each other in a circle', () => {
  assert.deepEqual(featureCycles(featureImports(files)), []);
  assert.deepEqual(
    featureCycles([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]),
    [
      ['a', 'b', 'a'],
      ['b', 'a', 'b'],
    ],
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

test('a second place that loads the twins is noticed, and their types are free', () => {
  const text = "import type { SampleWorld } from '@latchkey/twins';\nimport { sendKey } from '@latchkey/twins';";
  assert.equal(outOfPlace([fileOf('packages/server/src/x.ts', text)]).length, 1);
  assert.deepEqual(outOfPlace([fileOf('packages/server/src/x.ts', text.split('\n')[0] ?? '')]), []);
});

test('no file of the product grows past 300 lines', () => {
  assert.deepEqual(
    files.filter((file) => file.lines > 300 && !/\.(test|suite)\.ts$/.test(file.path)).map((file) => file.path),
    [],
  );
});

test('no test asserts how long something took, or waits with a patience of its own', () => {
  assert.deepEqual(readTests().flatMap(clockWatching), []);
});

test('a test that watches the clock is noticed', () => {
  const text = [
    "assert.ok(performance.now() - since < 5_000, 'too slow');",
    'while (performance.now() < deadline) await delay(10);',
    'assert.ok(exit.tookMs < 10_000);',
    'async function waitUntil(condition: () => boolean) {}',
    'const seconds = Math.floor(Date.now() / 1000);',
  ];
  const found = clockWatching(fileOf('packages/a/src/a.test.ts', text.join('\n')));
  assert.deepEqual(
    found.map((line) => line.split(':')[1]),
    ['1', '2', '3', '4'],
  );
});

test('imports are found in the sources at all', () => {
  assert.ok(featureImports(files).length > 10);
  assert.ok(files.some((file) => file.imports.includes('@latchkey/kernel')));
});
