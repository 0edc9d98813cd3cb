import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { decideRoles, openRules } from '../../evaluation/index.ts';
import { decide } from '../decide.ts';
import { readRule } from '../index.ts';
import { questionKey, questionsOf } from '../questions.ts';
import { a, contract, evm, now, read } from '../testing.ts';
import type { QueryJob } from './job.ts';
import { createQueryPool, openThread, type QueryThread, startQueries } from './start-queries.ts';

const job = (text: string): QueryJob => ({ kind: 'query', query: { text }, input: [{ balance: '5' }], variables: {} });
const good = '$gt($[0].balance, 4)';
// Two equal trees in which every branch is the same object: small to build, but a comparison never ends.
const grow = 'function($x) { $reduce([1..48], function($a, $i) { {"l": $a, "r": $a} }, $x) }';
const endless = `($grow := ${grow}; $grow({"x": 1}) = $grow({"x": 1}))`;
const huge = `($grow := ${grow}; $length($string($grow({"x": 1}))) > 0)`;
const crowded = '$map([1..999], function($i) { [1..9999] })';
const slow = '$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })';
const batchOf = (...texts: string[]) => ({ caller: 'caller', now, leftMs: 500, jobs: texts.map(job) });
const kindsOf = ({ answers }: Awaited<ReturnType<ReturnType<typeof createQueryPool>['run']>>) =>
  answers.map((answer) => ('isYes' in answer ? answer.isYes : answer.failure.kind));

describe('queries in worker threads', () => {
  const threads: QueryThread[] = [];
  const pool = createQueryPool({
    size: 2,
    open: () => {
      const thread = openThread();
      threads.push(thread);
      return thread;
    },
  });
  after(() => pool.close());

  test('a query that never ends is stopped, and other queries continue beside it', async () => {
    const [stopped, ...others] = await Promise.all([
      pool.run(batchOf(endless)),
      ...Array.from({ length: 50 }, () => pool.run(batchOf(good))),
    ]);
    assert.deepEqual(stopped && kindsOf(stopped), ['limit']);
    assert.deepEqual(new Set(others.flatMap(kindsOf)), new Set([true]));
  });

  test('a query that takes all memory ends its thread and nothing else', async () => {
    const narrow = createQueryPool({ size: 1, open: () => openThread(16) });
    assert.deepEqual(kindsOf(await narrow.run(batchOf(good, crowded, '$not(true)'))), [true, 'limit', false]);
    assert.deepEqual(kindsOf(await narrow.run(batchOf(good))), [true]);
    await narrow.close();
    assert.deepEqual(kindsOf(await pool.run(batchOf(good, huge, good))), [true, 'limit', true]);
  });

  test('a thread that is killed midway is replaced, and its work redone', async () => {
    const running = pool.run(batchOf(slow, good));
    await Promise.all(threads.map((thread) => thread.end()));
    assert.deepEqual(kindsOf(await running), ['limit', true]);
  });

  test('picture strings are refused immediately, under any alias', async () => {
    const texts = [11, 25].map((count) => `($f := $toMillis; $f("${'1'.repeat(60)}x", "${'[f]'.repeat(count)}"))`);
    assert.deepEqual(kindsOf(await pool.run(batchOf(...texts, good))), ['refused', 'refused', true]);
  });

  test('filters with queries are evaluated separately, and an unusable value does not match', async () => {
    const rule = readRule({
      asset: `evm:1/ERC721:${contract}`,
      query: '#ownsTraits',
      variables: { _filter: { filters: [{ traits: [{ trait_type: 'level', value: '$ > 5' }] }] } },
    });
    const holds = (...levels: unknown[]) => {
      const tokens = levels.map((level, id) => ({ id: String(id), amount: '1', metadata: { attributes: { level } } }));
      const answers = new Map(
        questionsOf(rule, evm(a), { now }).map((question) => [questionKey(question), read('1', tokens)]),
      );
      return decide(rule, { now, wallets: evm(a), answers }, startQueries(now, 'caller', pool));
    };
    assert.equal((await holds('7')).truth, 'true');
    assert.equal((await holds(3, 'high', [])).truth, 'false');
  });
});

describe('rules with hostile queries', () => {
  const asset = `evm:1/ERC721:${contract}`;
  const facts = () => {
    const [question] = questionsOf(readRule({ asset, query: good }), evm(a), { now });
    const answers = new Map(question && [[questionKey(question), read('5', [{ id: '1', amount: '5' }])]]);
    return { requestedBy: 'c', now, wallets: evm(a), answers, memberRoles: [], guestRoles: [], guestPasses: [] };
  };
  const rows = (...queries: string[]) =>
    queries.map((query, index) => ({
      id: String(index),
      community_id: 'c',
      role_id: String(index),
      definition: { asset, query, roleId: String(index) },
      created_at: now,
      updated_at: now,
    }));

  test('a failed query is unknown, never false, and affects no other role', async () => {
    const verdicts = await decideRoles(openRules(rows(good, huge, '($f := $toMillis; $f("1", "[f]"))', good)), facts());
    assert.deepEqual(
      verdicts.map(({ truth }) => truth),
      ['true', 'unknown', 'unknown', 'true'],
    );
    const not = readRule({ scheme: 'logic', variables: { rule: { not: { asset, query: huge } } } });
    assert.equal((await decide(not, facts())).truth, 'unknown');
  });

  test('all rules of a member share one budget', async () => {
    const verdicts = await decideRoles(openRules(rows(...Array.from({ length: 30 }, () => slow))), facts());
    const reasons = verdicts.map(({ reason }) => JSON.stringify(reason));
    assert.ok(verdicts.every(({ truth }) => truth === 'unknown'));
    assert.ok(reasons.filter((reason) => reason.includes('The query takes too long')).length <= 11);
    assert.ok(reasons.some((reason) => reason.includes('queries of this request take too long')));
  });
});
