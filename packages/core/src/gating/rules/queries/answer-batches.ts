import type { MessagePort } from 'node:worker_threads';
import { answerJob } from './answer-job.ts';
import { threadMs } from './evaluate.ts';
import type { BatchAnswer, QueryAnswer, QueryBatch } from './job.ts';
import type { Pulse } from './pulse.ts';

/** Answers the batches that come in. One is under way at a time. */
export function answerBatches(port: MessagePort, pulse: Pulse): void {
  port.on('message', async ({ now, leftMs, jobs }: QueryBatch) => {
    const startedAt = threadMs();
    const budget = { now, leftMs, computedMs: threadMs, beat: pulse.beat };
    const answers: QueryAnswer[] = [];
    for (const [index, job] of jobs.entries()) {
      pulse.begin(index);
      answers.push(await answerJob(job, budget));
    }
    pulse.end();
    const answer: BatchAnswer = { answers, tookMs: threadMs() - startedAt };
    port.postMessage(answer);
  });
}
