import { parentPort, workerData } from 'node:worker_threads';
import { answerJob } from './answer-job.ts';
import { threadMs } from './evaluate.ts';
import type { BatchAnswer, QueryAnswer, QueryBatch } from './job.ts';
import { pulseOf } from './pulse.ts';

const pulse = pulseOf(workerData);

/** What runs in a thread of the pool. One batch is under way at a time. */
parentPort?.on('message', async ({ now, leftMs, jobs }: QueryBatch) => {
  const startedAt = threadMs();
  const budget = { now, leftMs, computedMs: threadMs, beat: pulse.beat };
  const answers: QueryAnswer[] = [];
  for (const [index, job] of jobs.entries()) {
    pulse.begin(index);
    answers.push(await answerJob(job, budget));
  }
  const answer: BatchAnswer = { answers, tookMs: threadMs() - startedAt };
  pulse.end();
  parentPort?.postMessage(answer);
});
