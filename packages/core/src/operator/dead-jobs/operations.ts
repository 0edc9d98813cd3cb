import { admin, op, pageOf, pageParams, T, text } from '@latchkey/kernel';
import { countJobs, DeadJob, listDeadJobs, QueueCounts, RetriedJobs, RetryJobs, retryDeadJobs } from './queue.ts';

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
        'Returns the jobs that were given up, newest first, with the first line of the last error. What a job carries is not shown. For the operator.',
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
      onRecord: ['ids', 'name'],
      facts: {
        needsNoKey: 'A job that was retried is no longer dead, so that a repetition changes nothing.',
        senderDecides: 'ids name',
        samples: { ids: '999999999' },
      },
      access: admin(),
      body: RetryJobs,
      returns: RetriedJobs,
      errors: ['VALIDATION_FAILED'],
    },
    retryDeadJobs,
  ),
] as const;
