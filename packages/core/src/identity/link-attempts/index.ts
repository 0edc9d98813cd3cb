import type { Erasure } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { linkAttemptJobs, linkAttemptSchedules } from './jobs.ts';
import { deleteAttemptsOf, linkAttemptsSealed } from './queries.ts';

export { exchangeCode, returnedFrom } from './exchange-code.ts';
export { attemptTtlSeconds, beginAttempt, challengeOf, LinkAttempt, takeAttempt } from './queries.ts';

/** Deletes attempts to link accounts of other services. */
const linkAttemptsErasure: Erasure = {
  columns: ['account_link_attempts.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAttemptsOf(tx, userId),
};

export const linkAttemptsModule = defineModule('link-attempts', {
  jobs: linkAttemptJobs,
  schedules: linkAttemptSchedules,
  sealed: linkAttemptsSealed,
  erasures: [linkAttemptsErasure],
  tables: ['account_link_attempts'],
});
