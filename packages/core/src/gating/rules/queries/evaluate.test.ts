import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queryFunctions } from '../functions.ts';
import { queryFunctionNames } from '../reserved-names.ts';
import { evaluate, type QueryBudget, threadMs } from './evaluate.ts';
import { isYes } from './is-yes.ts';
import { QueryFailed } from './query-failed.ts';
import { readQuery } from './read-query.ts';

const now = new Date('2026-01-15T12:00:00Z');
const assets = [
  {
    asset: 'evm:1/ERC721:0xab',
    balance: '3',
    tokens: [
      { id: '7', balance: '1', metadata: { attributes: { hat: 'crown' } } },
      { id: '8', balance: '2', metadata: { attributes: { hat: 'bells' } } },
    ],
  },
];
/** A clock for queries that advances by a fixed amount at each read. */
const lookClock = (msPerCheck: number) => {
  const clock = { looks: 0, read: () => clock.looks++ * msPerCheck };
  return clock;
};
const startBudget = (computedMs: () => number): QueryBudget => ({ now, leftMs: 250, computedMs });
/** Uses a stepping clock, because this thread may do other work in the meantime. */
const run = (text: string, variables: Record<string, unknown> = {}, computedMs = lookClock(0.01).read) => {
  const budget = startBudget(computedMs);
  const functions = queryFunctions((query, input) => evaluate(query, input, {}, budget));
  return evaluate(readQuery(text), assets, { ...variables, ...functions }, budget);
};
describe('queries', () => {
  test('every function beyond JSONata does what its name says', async () => {
    const cases: [string, unknown][] = [
      ['$between("0.15", 0.1, "0.2")', true],
      ['$between(3, 1, 2)', false],
      ['$includes(["a", "b"], "b")', true],
      ['$includes([1, 2], 3)', false],
      ['$count($intersect([1, 2, 3], [2, 3, 4]))', 2],
      ['$compare("9007199254740993", "9007199254740992")', 1],
      ['$eq("1.50", 1.5)', true],
      ['$ne(1, 2)', true],
      ['$gt(2, 1) and $gte(2, 2) and $lt(1, 2) and $lte(2, 2)', true],
      ['$add("0.1", "0.2")', '0.3'],
      ['$sub("1", "0.9")', '0.1'],
      ['$addAll($[0].tokens.balance)', '3'],
      ['$toString(7)', '7'],
      ['$inRanges("7", "1-5, 7")', true],
      ['$ownsTraits($, {"filters": [{"traits": [{"trait_type": "hat", "value": "crown"}]}]})', true],
      ['$ownsTraitsPerToken($[0].tokens, {"minCount": 2, "traits": [{"trait_type": "hat", "value": "bells"}]})', true],
      ['$ownsBalance($, {"minCount": 3})', true],
      ['$ownsBalance($, {"minCount": 3, "tokenId": "8"})', false],
      ['$ownsBalance($, {"asset": "eip155:1/erc721:0xAB"})', true],
      ['$ownsBalance($, {"asset": "evm:2/ERC721:0xab"})', false],
    ];
    for (const [text, expected] of cases) assert.deepEqual(await run(text), expected, text);
    const used = cases.map(([text]) => text).join(' ');
    assert.deepEqual(
      queryFunctionNames.filter((name) => !used.includes(`$${name}(`)),
      [],
    );
  });

  test('variables are available by name', async () => {
    assert.equal(await run('$count($[0].tokens) >= $_minCount', { _minCount: 2 }), true);
  });

  test('the time is the time of the evaluation, and there is no randomness', async () => {
    assert.equal(await run('$now()'), now.toISOString());
    assert.equal(await run('$millis()'), now.getTime());
    for (const text of ['$random()', '$shuffle([1, 2])', '$eval("1")'])
      await assert.rejects(run(text), QueryFailed, text);
  });

  test('hostile queries fail quickly', async () => {
    const hostile = [
      '($f := function($x) { $f($x + 1) }; $f(1))',
      '($f := function() { $f() }; $f())',
      '($f := function($x) { 1 + $f($x + 1) }; $f(1))',
      '$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })',
      '[1..9000000]',
      '$reduce([1..100], function($a, $b) { $a & $a }, "aaaaaaaa")',
      '$pad("a", 500000000)',
      '$sort([1..9999], function($a, $b) { $a < $b })',
    ];
    for (const text of hostile) {
      const clock = lookClock(0.01);
      await assert.rejects(
        evaluate(readQuery(text), assets, {}, startBudget(clock.read)),
        (error) => error instanceof QueryFailed && error.kind === 'limit',
        text,
      );
      assert.ok(clock.looks < 5_100, text);
    }
  });

  test('a query’s time limit counts CPU time of its thread, not wall time', async () => {
    const before = threadMs();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    assert.ok(threadMs() - before < 300);
    await assert.rejects(run('($f := function($x) { $f($x + 1) }; $f(1))', {}, threadMs), /takes too long/);
  });

  test('all queries of a request share one budget', async () => {
    const budget = startBudget(lookClock(1).read);
    const query = readQuery('$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })');
    // Each query uses its 50 ms and slightly more until it is stopped; together they have 250 ms.
    for (let tries = 0; tries < 5; tries += 1) {
      assert.ok(budget.leftMs > 0);
      await assert.rejects(evaluate(query, [], {}, budget), /The query takes too long/);
    }
    await assert.rejects(evaluate(query, [], {}, budget), /of this request take too long/);
  });

  test('times are read and written without a picture, and of what they are applied to', async () => {
    assert.equal(await run('$toMillis("2026-01-15T12:00:00Z")'), now.getTime());
    assert.equal(await run(`$fromMillis(${now.getTime()})`), now.toISOString());
    assert.equal(await run('$sum(["2026-01-15", "1970-01-01"].$toMillis())'), Date.UTC(2026, 0, 15));
    assert.equal(await run('["1970-01-01"] ~> $map($toMillis)'), 0);
    assert.equal(await run('$toMillis(nothing)'), undefined);
    for (const text of ['$toMillis("tomorrow")', '$toMillis(1)', '$fromMillis("x")', '$fromMillis(1e99)'])
      await assert.rejects(run(text), (error) => error instanceof QueryFailed && error.kind === 'input', text);
  });

  test('a picture string is refused under any alias', async () => {
    const picture = (count: number) => JSON.stringify('[f]'.repeat(count));
    for (const text of [
      ...[11, 25].map((count) => `($f := $toMillis; $f("${'1'.repeat(60)}x", ${picture(count)}))`),
      '($f := [$fromMillis]; $f[0](0, "[Y,300000000]"))',
      '$map(["1"], function($text) { ($f := $toMillis; $f($text, "[Y]")) })',
    ]) {
      await assert.rejects(run(text), (error) => error instanceof QueryFailed && error.kind === 'refused', text);
    }
  });

  test('a query over unexpected input fails instead of returning a result', async () => {
    for (const text of [
      '$add("x", 1)',
      '$inRanges("1", "[")',
      '$ownsBalance($, 1)',
      '$ownsTraits($, "x")',
      '"a" + 1',
    ]) {
      await assert.rejects(run(text), QueryFailed, text);
    }
  });

  test('undefined, zero and empty values are not true', () => {
    for (const value of [undefined, null, 0, '', false, [], {}, [0, ''], () => true, { _jsonata_lambda: true }])
      assert.equal(isYes(value), false);
    for (const value of [1, 'x', true, [0, 1], { a: 1 }]) assert.equal(isYes(value), true);
  });
});
