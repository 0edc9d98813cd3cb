import { type BatchAnswer, type QueryAnswer, type QueryBatch, toAnswer } from './job.ts';
import { QueryFailed } from './query-failed.ts';
import type { ThreadEnd } from './thread.ts';

/** What a query costs its request that had to be stopped together with its thread. */
export const stoppedMs = 150;
const maxFalseStarts = 2;

const lost = toAnswer(new QueryFailed('The query could not be run.', 'fault'));

type Place = (batch: QueryBatch) => Promise<BatchAnswer | ThreadEnd>;

/**
 * Runs a batch until every job has an answer. A job that is stopped at a limit fails, and the others are run again
 * without it. A thread that ends for another reason, or before its first job, is given a second try.
 */
export async function runAll({ caller, now, leftMs, jobs }: QueryBatch, place: Place): Promise<BatchAnswer> {
  const answers = new Map<number, QueryAnswer>();
  const suspects = new Set<number>();
  let tookMs = 0;
  let falseStarts = 0;
  while (answers.size < jobs.length) {
    const open = [...jobs.entries()].filter(([index]) => !answers.has(index));
    const batch = { caller, now, leftMs: leftMs - tookMs, jobs: open.map(([, job]) => job) };
    const outcome = await place(batch);
    if ('answers' in outcome) {
      tookMs += outcome.tookMs;
      for (const [at, [index]] of open.entries()) answers.set(index, outcome.answers[at] ?? lost);
      continue;
    }
    const { reason, job = -1 } = outcome;
    const [culprit] = open[job] ?? [];
    if (culprit !== undefined && (reason.kind === 'limit' || suspects.has(culprit))) {
      answers.set(culprit, toAnswer(reason));
      tookMs += stoppedMs;
    } else if (culprit !== undefined) {
      suspects.add(culprit);
    } else {
      falseStarts += 1;
      if (falseStarts === maxFalseStarts) for (const [index] of open) answers.set(index, toAnswer(reason));
    }
  }
  return { answers: [...jobs.keys()].map((index) => answers.get(index) ?? lost), tookMs };
}
