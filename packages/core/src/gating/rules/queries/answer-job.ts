import { queryFunctions } from '../functions.ts';
import { meetsTraitFilter, type RunQuery } from '../traits.ts';
import { evaluate, type QueryBudget } from './evaluate.ts';
import { isYes } from './is-yes.ts';
import { type QueryAnswer, type QueryJob, toAnswer } from './job.ts';
import { toQueryFailed } from './query-failed.ts';

/** Decides a job on this thread. It never throws: what fails is told. */
export async function answerJob(job: QueryJob, budget: QueryBudget): Promise<QueryAnswer> {
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
