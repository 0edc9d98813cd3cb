import { defineModule, type Erasure } from '../../shared/module.ts';
import { deleteRequestsOf } from './queries.ts';

export {
  deleteOldRequests,
  findIdempotentRequest,
  type IdempotentRequest,
  insertIdempotentRequest,
  readRateWindows,
  saveIdempotentAnswer,
  useRatePoints,
} from './queries.ts';

const requestsErasure: Erasure = {
  columns: ['idempotent_requests.caller', 'rate_windows.bucket'],
  stage: 'once-settled',
  forget: (_ctx, tx, person) => deleteRequestsOf(tx, person),
};

/** What the HTTP pipeline stores about requests: responses to replay, and rate-limit counts. */
export const requestsModule = defineModule('requests', {
  erasures: [requestsErasure],
  tables: ['idempotent_requests', 'rate_windows'],
});
