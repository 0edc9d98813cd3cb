import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { queryFunctions } from './functions.ts';
import { compileQuery, isYes, QueryFailed, QueryMalformed, startQueries } from './query.ts';
import { queryFunctionNames } from './reserved-names.ts';

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
const run = (text: string, variables: Record<string, unknown> = {}) => {
  const context = startQueries(now);
  return compileQuery(text).run(assets, { ...variables, ...queryFunctions(context) }, context);
};
// Queries have milliseconds, which a busy machine can take away in the middle of one.
const stopTime = (t: TestContext) => void t.mock.method(Date, 'now', () => now.getTime());

describe('queries', () => {
  test('every function beyond JSONata does what its name says', async (t) => {
    stopTime(t);
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

  test('variables are there under their names', async (t) => {
    stopTime(t);
    assert.equal(await run('$count($[0].tokens) >= $_minCount', { _minCount: 2 }), true);
  });

  test('the time is the time of the decision, and chance there is none', async (t) => {
    stopTime(t);
    assert.equal(await run('$now()'), now.toISOString());
    assert.equal(await run('$millis()'), now.getTime());
    for (const text of ['$random()', '$shuffle([1, 2])', '$eval("1")'])
      await assert.rejects(run(text), QueryFailed, text);
  });

  test('hostile queries end in a failure, soon', async () => {
    const hostile = [
      '($f := function($x) { $f($x + 1) }; $f(1))',
      '($f := function($x) { 1 + $f($x + 1) }; $f(1))',
      '$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })',
      '[1..9000000]',
      '$reduce([1..100], function($a, $b) { $a & $a }, "aaaaaaaa")',
      '$pad("a", 500000000)',
      '$sort([1..9999], function($a, $b) { $a < $b })',
    ];
    for (const text of hostile) {
      const startedAt = performance.now();
      await assert.rejects(run(text), QueryFailed, text);
      assert.ok(performance.now() - startedAt < 2_000, text);
    }
  });

  test('a long query lets others have their turn, and all of a decision share one budget', async () => {
    const context = startQueries(now);
    const query = compileQuery('$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })');
    const fail = (shared: typeof context) => assert.rejects(query.run([], {}, shared), QueryFailed);
    let turns = 0;
    const interval = setInterval(() => {
      turns += 1;
    }, 0);
    try {
      for (const _ of [1, 2, 3]) await fail(startQueries(now));
      assert.ok(turns > 0);
      let tries = 0;
      for (; context.leftMs > 0 && tries < 50; tries += 1) await fail(context);
      assert.ok(tries < 50);
      await assert.rejects(query.run([], {}, context), /take too long/);
    } finally {
      clearInterval(interval);
    }
  });

  test('what cannot be read is refused with its place', () => {
    assert.throws(() => compileQuery('$sum(['), QueryMalformed);
    assert.throws(() => compileQuery('$match(x, /(a+)+b/)'), /no regular expressions/);
    assert.throws(() => compileQuery('[{"a": (x.y[/a/])}]'), /no regular expressions/);
    assert.throws(() => compileQuery('1 '.repeat(4096)), /up to 4096/);
  });

  test('a query over something unexpected fails instead of answering', async () => {
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

  test('nothing, zero and emptiness are no yes', () => {
    for (const value of [undefined, null, 0, '', false, [], {}, [0, ''], () => true]) assert.equal(isYes(value), false);
    for (const value of [1, 'x', true, [0, 1], { a: 1 }]) assert.equal(isYes(value), true);
  });
});
