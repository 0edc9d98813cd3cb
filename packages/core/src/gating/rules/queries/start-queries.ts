import { hasQueries, meetsTraitFilter, type TraitFilter } from '../traits.ts';
import { failAll, type QueryAnswer, type QueryJob } from './job.ts';
import { budgetMs } from './limits.ts';
import { type QueryPool, queryPool } from './pool.ts';
import { QueryFailed } from './query-failed.ts';

/** The queries of one request, or of one member in a sweep. They share one budget of computing time. */
export interface Queries {
  /** Has a job decided in another thread. Throws `QueryFailed`. */
  ask(job: QueryJob): Promise<boolean>;
}

interface Asked {
  job: QueryJob;
  resolve(isYes: boolean): void;
  reject(error: QueryFailed): void;
}

const maxBatch = 64;

/** `caller` is who asks, or the community whose rules they are: all have their turn. */
export function startQueries(now: Date, caller = '', pool: Pick<QueryPool, 'run'> = queryPool): Queries {
  const waiting: Asked[] = [];
  let leftMs = budgetMs;
  let isSending = false;

  const answerAll = async (jobs: readonly QueryJob[]): Promise<readonly QueryAnswer[]> => {
    const tooLong = () => new QueryFailed('The queries of this request take too long.', 'limit');
    const { answers, tookMs } =
      leftMs > 0 ? await pool.run({ caller, now, leftMs, jobs }) : failAll({ jobs }, tooLong());
    leftMs -= tookMs;
    return answers;
  };
  const send = async (): Promise<void> => {
    for (let batch = waiting.splice(0, maxBatch); batch.length > 0; batch = waiting.splice(0, maxBatch)) {
      const answers = await answerAll(batch.map(({ job }) => job)).catch((): QueryAnswer[] => []);
      for (const [index, asked] of batch.entries()) settle(asked, answers[index]);
    }
    isSending = false;
  };
  return {
    ask: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        if (isSending) return;
        isSending = true;
        // Once all rules of the request have asked, so that their jobs travel together.
        queueMicrotask(() => process.nextTick(send));
      }),
  };
}

/** Whether tokens meet a filter; with a query in it, that is decided apart. */
export function askTraits(
  queries: Queries,
  filter: TraitFilter,
  tokens: Extract<QueryJob, { kind: 'traits' }>['tokens'],
): Promise<boolean> {
  if (hasQueries(filter)) return queries.ask({ kind: 'traits', filter, tokens });
  return meetsTraitFilter(filter, tokens, () => Promise.reject(new Error('This filter has no queries.')));
}

function settle({ resolve, reject }: Asked, answer: QueryAnswer | undefined): void {
  if (answer === undefined) reject(new QueryFailed('The query could not be run.', 'fault'));
  else if ('isYes' in answer) resolve(answer.isYes);
  else reject(new QueryFailed(answer.failure.message, answer.failure.kind));
}
