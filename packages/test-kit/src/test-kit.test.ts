import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from './index.ts';
import { roundOf, shareOf, takeSome } from './turns.ts';
import { fairShare } from './until.ts';
import { scaled } from './volume.ts';

const kit = fileURLToPath(new URL('index.ts', import.meta.url));

function printed(expression: string, env: Record<string, string>): string {
  const script = `import { seed, seedNumber, volume } from ${JSON.stringify(kit)}; process.stdout.write(String(${expression}));`;
  const options = { env: { ...process.env, ...env }, encoding: 'utf8' as const };
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], options);
}

test('a suite runs a small volume unless deep is requested', () => {
  assert.equal(scaled('usual', 20, 300), 20);
  assert.equal(scaled('deep', 20, 300), 300);
  assert.equal(printed('volume(20, 300)', { LATCHKEY_TEST_VOLUME: 'deep' }), '300');
});

test('a number scales the deep volume, and never to nothing', () => {
  assert.equal(scaled('3', 20, 300), 900);
  assert.equal(scaled('0.1', 20, 300), 30);
  assert.equal(scaled('0.0001', 20, 300), 1);
});

test('an invalid volume is refused with the valid values', () => {
  for (const setting of ['', 'much', '0', '-1', 'Infinity']) {
    assert.throws(() => scaled(setting, 20, 300), /must be usual, deep or a number above 0/);
  }
});

test('a given seed changes every suite, and is different for each', () => {
  const given = { LATCHKEY_TEST_SEED: 'abc' };
  assert.equal(printed("seed('fuzz')", given), 'fuzz abc');
  const numbers = ["seedNumber('a')", "seedNumber('b')"].map((expression) => printed(expression, given));
  assert.notEqual(numbers[0], numbers[1]);
  for (const number of numbers) assert.ok(Number.isInteger(Number(number)) && Number(number) < 2 ** 32);
});

test('a suite that takes turns runs each of its shares in consecutive turns, and begins where its name says', () => {
  const shares = [7, 8, 9, 10].map((turn) => shareOf('fuzz', 4, turn));
  assert.deepEqual(shares.toSorted(), [0, 1, 2, 3]);
  const starts = new Set(Array.from({ length: 30 }, (_, n) => shareOf(`suite ${n}`, 4, 7)));
  assert.equal(starts.size, 4);
});

test('a suite that looks at some of many takes all of them in consecutive rounds, and never more than it wants', () => {
  for (const [length, count] of [
    [48, 6],
    [47, 6],
    [5, 3],
    [3, 3],
    [2, 5],
    [7, 1],
  ] as const) {
    const items = Array.from({ length }, (_, n) => n);
    const shares = 6;
    const rounds = Math.ceil(length / Math.min(count, length));
    const taken = Array.from({ length: rounds }, (_, n) => takeSome(items, count, roundOf(shares, 13 + n * shares)));
    for (const some of taken) assert.ok(some.length <= count, `${some}`);
    assert.deepEqual(new Set(taken.flat()), new Set(items), `${count} of ${length}`);
  }
  assert.deepEqual(takeSome([1, 2, 3], 3, 7), [1, 2, 3], 'all of them at once');
});

test('a test that takes turns is reported at its own line, and those of other shares with the reason', () => {
  const script = [
    `import { takeTurns } from ${JSON.stringify(kit)};`,
    `const turns = takeTurns('a suite', 2);`,
    `turns.test('one', () => { throw new Error('runs'); });`,
    `turns.describe('two', () => { throw new Error('runs'); });`,
  ].join('\n');
  const options = { env: { ...process.env, NODE_TEST_CONTEXT: undefined }, encoding: 'utf8' as const };
  const run = (turn: string | undefined) =>
    spawnSync(process.execPath, ['--test-reporter=tap', '--input-type=module', '--eval', script], {
      ...options,
      env: { ...options.env, LATCHKEY_TEST_TURN: turn },
    }).stdout;
  const [first, second, whole] = [run('0'), run('1'), run(undefined)];
  for (const output of [first, second]) {
    assert.match(output, /# SKIP share [12] of 2 of a suite/);
    assert.equal(output.match(/^not ok/gm)?.length, 1);
    assert.match(output, /location: '.*eval.*:[34]:7'/);
  }
  assert.notEqual(first, second);
  assert.equal(whole.match(/^not ok/gm)?.length, 2);
});

test('a second counts less the more processes compete for each core, and never more than a second', () => {
  assert.equal(fairShare(0, 2), 1);
  assert.equal(fairShare(1.5, 2), 1);
  assert.equal(fairShare(50, 2), 0.04);
});

test('waiting returns the condition’s result', async () => {
  let requested = 0;
  assert.equal(
    await until('the third answer is there', async () => (++requested === 3 ? 'there' : undefined)),
    'there',
  );
  assert.equal(requested, 3);
});

test('a bound is reported in an ordinary run and enforced in a deep one', () => {
  const file = (deep: boolean) => {
    const script = `import { test } from 'node:test'; import { bound } from ${JSON.stringify(kit)};
      test('slow', (t) => bound(t, 'an answer', 10_000_000, 1_000));`;
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, LATCHKEY_TEST_VOLUME: deep ? 'deep' : 'usual' };
    return spawnSync(process.execPath, ['--input-type=module', '--eval', script], { env, encoding: 'utf8' });
  };
  const [usual, deep] = [file(false), file(true)];
  assert.equal(usual.status, 0, usual.stdout);
  assert.match(usual.stdout, /an answer: 10000000 ms \(limit: 1000 ms/);
  assert.equal(deep.status, 1);
  assert.match(deep.stdout, /an answer took 10000000 ms of \d+ ms/);
});
