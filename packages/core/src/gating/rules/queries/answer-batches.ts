import type { MessagePort } from 'node:worker_threads';
import { queryFunctions } from '../functions.ts';
import { meetsTraitFilter, type RunQuery } from '../traits.ts';
import { evaluate, type QueryBudget, threadMs } from './evaluate.ts';
import { isYes } from './is-yes.ts';
import { type BatchAnswer, type QueryAnswer, type QueryBatch, type QueryJob, toAnswer } from './job.ts';
import type { Pulse } from './pulse.ts';
import { toQueryFailed } from './query-failed.ts';

/** Evaluates incoming batches, one at a time. */
export function answerBatches(port: MessagePort, pulse: Pulse): void {
  port.on('message', async (batch: QueryBatch) => port.postMessage(await answerBatch(batch, pulse)));
}

/** Evaluates a batch on this thread. */
export async function answerBatch({ now, leftMs, jobs }: QueryBatch, pulse?: Pulse): Promise<BatchAnswer> {
  const startedAt = threadMs();
  const budget: QueryBudget = { now, leftMs, computedMs: threadMs, ...(pulse !== undefined && { beat: pulse.beat }) };
  const answers: QueryAnswer[] = [];
  for (const [index, job] of jobs.entries()) {
    pulse?.begin(index);
    answers.push(await answerJob(job, budget));
  }
  pulse?.end();
  return { answers, tookMs: threadMs() - startedAt };
}

/** Evaluates a job on this thread. It never throws: failures are returned. */
async function answerJob(job: QueryJob, budget: QueryBudget): Promise<QueryAnswer> {
  try {
    return { isYes: await decideJob(job, budget) };
  } catch (error) {
    return toAnswer(toQueryFailed(error));
  }
}

async function decideJob(job: QueryJob, budget: QueryBudget): Promise<boolean> {
  const run: RunQuery = (query, input) => evaluate(query, input, {}, budget);
  if (job.kind === 'traits') return meetsTraitFilter(job.filter, job.tokens, run);
  const { query, input, variables } = job;
  return isYes(await evaluate(query, input, { ...variables, ...queryFunctions(run) }, budget));
}
