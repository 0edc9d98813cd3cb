import { countByState, listDead, retryDead } from '@latchkey/db';
import { AppError, admin, op, type Page, pageOf, pageParams, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';

const count = (description: string) => T.Number({ description, minimum: 0, multipleOf: 1 });

const QueueCounts = record('QueueCounts', 'How many background jobs there are, by state.', {
  running: count('Jobs that a worker is running now.'),
  ready: count('Jobs that wait for a free worker.'),
  delayed: count('Jobs that are due later, retries included.'),
  blocked: count('Jobs that wait for an earlier job about the same thing.'),
  dead: count('Jobs that failed their last attempt.'),
});
type QueueCounts = ValueOf<typeof QueueCounts>;

const DeadJob = record('DeadJob', 'A background job that failed its last attempt. Its payload is not shown.', {
  id: text('The id of the job.'),
  name: text('The kind of job, for example gating.write.'),
  reason: text('The first line of the last error.', { maxLength: 500 }),
  attempts: count('How many attempts failed.'),
  createdTime: text('When it was enqueued, in ISO 8601.'),
  diedTime: text('When it was given up, in ISO 8601.'),
});
type DeadJob = ValueOf<typeof DeadJob>;

const mostAtOnce = 100;

const RetryJobs = record('RetryJobs', 'Which dead jobs to retry: some by id, all of one kind, or those of both.', {
  ids: T.Optional(
    T.Array(T.String({ pattern: '^[0-9]{1,15}$', maxLength: 15 }), {
      description: 'The ids of dead jobs.',
      maxItems: mostAtOnce,
    }),
  ),
  name: T.Optional(text('Every dead job of this kind.', { minLength: 1, maxLength: 100 })),
});
type RetryJobs = ValueOf<typeof RetryJobs>;

const RetriedJobs = record('RetriedJobs', 'The result of a retry.', {
  retried: count('How many jobs run again. Jobs that were no longer dead are not counted.'),
});

function countJobs(ctx: Pick<Context, 'db'>): Promise<QueueCounts> {
  return countByState(ctx.db.system);
}

/** Lists dead jobs, newest first. */
export async function listDeadJobs(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  { name, ...request }: PageRequest & { name?: string },
): Promise<Page<DeadJob>> {
  const page = await paginate(ctx, request, {
    list: `dead-jobs:${name ?? ''}`,
    read: (after, limit) =>
      listDead(ctx.db.system, {
        limit,
        ...(after?.[0] !== undefined && { before: after[0] }),
        ...(name !== undefined && { name }),
      }),
    cursorOf: ({ id }) => [id],
  });
  return {
    ...page,
    items: page.items.map((job) => ({
      id: job.id,
      name: job.name,
      reason: firstLine(job.lastError),
      attempts: job.failures,
      createdTime: job.createdAt.toISOString(),
      diedTime: job.diedAt.toISOString(),
    })),
  };
}

/** Makes dead jobs ready again. There is no way to retry all of them: a job may have failed for a good reason. */
export async function retryDeadJobs(
  ctx: Pick<Context, 'db'>,
  { body: { ids, name } }: { body: RetryJobs },
): Promise<{ retried: number }> {
  if (ids === undefined && name === undefined)
    throw new AppError('VALIDATION_FAILED', 'Provide the ids of dead jobs, or one type of job.');
  return { retried: await retryDead(ctx.db.system, { ids, name }) };
}

/** Further lines are a stack trace or user data. */
function firstLine(error: string): string {
  return (error.split('\n', 1)[0] ?? '').slice(0, 500) || 'No reason was recorded.';
}

export const deadJobOperations = [
  op(
    'GET /latchkey/operator/jobs',
    {
      id: 'countJobs',
      summary: 'Count background jobs',
      description: 'Returns how many background jobs there are in each state. For the operator.',
      access: admin(),
      returns: QueueCounts,
    },
    countJobs,
  ),
  op(
    'GET /latchkey/operator/jobs/dead',
    {
      id: 'listDeadJobs',
      summary: 'List dead jobs',
      description:
        'Returns the dead jobs, newest first, with the first line of the last error. Payloads are not shown. For the operator.',
      access: admin(),
      params: {
        name: T.Optional(text('Only jobs of this kind.', { minLength: 1, maxLength: 100 })),
        ...pageParams,
      },
      returns: pageOf(DeadJob, 'DeadJobPage'),
      paginated: 'token',
    },
    listDeadJobs,
  ),
  op(
    'POST /latchkey/operator/jobs/retry',
    {
      id: 'retryDeadJobs',
      summary: 'Retry dead jobs',
      description:
        'Runs dead jobs again, with all their attempts: up to 100 by id, or all of one kind. A job that is no longer dead is left alone. For the operator.',
      audit: 'jobs.retry',
      auditedFields: ['ids', 'name'],
      access: admin(),
      body: RetryJobs,
      returns: RetriedJobs,
      errors: ['VALIDATION_FAILED'],
    },
    retryDeadJobs,
  ),
] as const;
