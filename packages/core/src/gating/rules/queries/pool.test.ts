import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BatchAnswer, QueryBatch, QueryJob } from './job.ts';
import { QueryFailed } from './query-failed.ts';
import { createQueryPool, type QueryThread, startQueries, stoppedMs, type ThreadEnd } from './start-queries.ts';

const now = new Date('2026-01-15T12:00:00Z');
const job = (text: string): QueryJob => ({ kind: 'query', query: { text }, input: [], variables: {} });
const textOf = (request: QueryJob) => (request.kind === 'query' ? request.query.text : '');
const stuck = new QueryFailed('The query does not terminate.', 'limit');

/** Fake threads: `yes` and `no` are answered, `end` ends the thread. */
function fakeThreads() {
  const batches: string[][] = [];
  let opened = 0;
  const answer = (texts: readonly string[]): BatchAnswer | ThreadEnd => {
    const end = texts.indexOf('end');
    if (end >= 0) return { reason: stuck, job: end };
    return { answers: texts.map((text) => ({ isYes: text === 'yes' })), tookMs: texts.length };
  };
  const open = (): QueryThread => {
    opened += 1;
    let isOpen = true;
    return {
      isOpen: () => isOpen,
      run: async ({ jobs }: QueryBatch) => {
        const texts = jobs.map(textOf);
        batches.push(texts);
        const outcome = answer(texts);
        if ('reason' in outcome) isOpen = false;
        return outcome;
      },
      end: async () => {
        isOpen = false;
      },
    };
  };
  return { open, batches, opened: () => opened };
}
const batchOf = (...texts: string[]): QueryBatch => ({ caller: 'caller', now, leftMs: 500, jobs: texts.map(job) });

describe('the pool of queries', () => {
  test('no thread is opened before there is work, and an idle one is used again', async () => {
    const threads = fakeThreads();
    const pool = createQueryPool({ size: 2, open: threads.open });
    assert.equal(threads.opened(), 0);
    for (let turn = 0; turn < 3; turn += 1) assert.equal((await pool.run(batchOf('yes'))).answers.length, 1);
    assert.equal(threads.opened(), 1);
    await Promise.all(Array.from({ length: 20 }, () => pool.run(batchOf('yes'))));
    assert.equal(threads.opened(), 2);
  });

  test('a job that kills its thread fails alone, and the others run again without it', async () => {
    const threads = fakeThreads();
    const pool = createQueryPool({ size: 1, open: threads.open });
    const { answers, tookMs } = await pool.run(batchOf('yes', 'end', 'no', 'end', 'yes'));
    const failure = { kind: 'limit', message: stuck.message };
    assert.deepEqual(answers, [{ isYes: true }, { failure }, { isYes: false }, { failure }, { isYes: true }]);
    assert.equal(tookMs, 2 * stoppedMs + 3);
    assert.deepEqual(threads.batches, [
      ['yes', 'end', 'no', 'end', 'yes'],
      ['yes', 'no', 'end', 'yes'],
      ['yes', 'no', 'yes'],
    ]);
  });

  test('queued work of others is done by the next thread', async () => {
    const pool = createQueryPool({ size: 1, open: fakeThreads().open });
    const [, ...others] = await Promise.all([
      pool.run(batchOf('end')),
      ...Array.from({ length: 10 }, () => pool.run(batchOf('yes'))),
    ]);
    for (const { answers } of others) assert.deepEqual(answers, [{ isYes: true }]);
  });

  test('a thread that cannot be started is a query failure, not a result', async () => {
    const pool = createQueryPool({
      open: () => {
        throw new Error('no thread left');
      },
    });
    const { answers } = await pool.run(batchOf('yes', 'no'));
    assert.deepEqual(
      answers.map((answer) => 'failure' in answer && answer.failure.kind),
      ['fault', 'fault'],
    );
  });

  test('work beyond the queue limit is refused, and nothing is accepted after closing', async () => {
    const threads = fakeThreads();
    const pool = createQueryPool({ size: 1, maxWaiting: 2, open: threads.open });
    const results = await Promise.all(Array.from({ length: 5 }, () => pool.run(batchOf('yes'))));
    const answered = results.filter(({ answers }) => answers.some((answer) => 'isYes' in answer));
    assert.equal(answered.length, 3);
    await pool.close();
    const { answers } = await pool.run(batchOf('yes'));
    assert.ok(answers.every((answer) => 'failure' in answer && answer.failure.kind === 'fault'));
  });

  test('callers take turns, and only one that submits too much is refused', async () => {
    const threads = fakeThreads();
    const pool = createQueryPool({ size: 1, maxWaitingOfCaller: 3, open: threads.open });
    const run = (caller: string, text: string) => pool.run({ ...batchOf(text), caller });
    const results = await Promise.all([...'12345'].map((text) => run('much', text)).concat(run('little', 'yes')));
    assert.deepEqual(threads.batches.flat(), ['1', '2', 'yes', '3', '4']);
    assert.ok('failure' in (results[4]?.answers[0] ?? {}));
    assert.deepEqual(results[5]?.answers, [{ isYes: true }]);
  });
});

describe('the queries of a request', () => {
  test('concurrent queries are sent together', async () => {
    const threads = fakeThreads();
    const queries = startQueries(now, 'caller', createQueryPool({ open: threads.open }));
    const deep = async (text: string, levels: number): Promise<boolean> =>
      levels === 0 ? queries.ask(job(text)) : deep(text, levels - 1);
    const answers = await Promise.all([queries.ask(job('yes')), deep('no', 3), deep('yes', 9)]);
    assert.deepEqual(answers, [true, false, true]);
    assert.deepEqual(threads.batches, [['yes', 'no', 'yes']]);
  });

  test('they share one budget, and queries beyond it fail instead of returning a result', async () => {
    const requests: number[] = [];
    const run = async ({ jobs, leftMs }: QueryBatch): Promise<BatchAnswer> => {
      requests.push(leftMs);
      return { answers: jobs.map(() => ({ isYes: true })), tookMs: 200 };
    };
    const queries = startQueries(now, 'caller', { run });
    for (let turn = 0; turn < 3; turn += 1) assert.equal(await queries.ask(job('yes')), true);
    await assert.rejects(queries.ask(job('yes')), (error) => error instanceof QueryFailed && error.kind === 'limit');
    assert.deepEqual(requests, [500, 300, 100]);
  });

  test('a broken pool is a query failure, and the next query starts a new one', async () => {
    let calls = 0;
    const run = async ({ jobs }: QueryBatch): Promise<BatchAnswer> => {
      calls += 1;
      if (calls === 1) throw new Error('broken');
      return { answers: jobs.map(() => ({ isYes: true })), tookMs: 1 };
    };
    const queries = startQueries(now, 'caller', { run });
    await assert.rejects(queries.ask(job('yes')), (error) => error instanceof QueryFailed && error.kind === 'fault');
    assert.equal(await queries.ask(job('yes')), true);
  });
});
