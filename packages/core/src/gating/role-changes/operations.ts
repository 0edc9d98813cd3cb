import { changeSetOperations } from './api/change-set-operations.ts';
import { roleHistoryOperations } from './api/history-operations.ts';
import { memberHistoryOperations } from './history/operations.ts';
import { shadowOperations } from './shadow/operations.ts';

/** What admins of a community see and decide of its roles, beyond the published API. */
export const roleOperations = [
  ...changeSetOperations,
  ...roleHistoryOperations,
  ...memberHistoryOperations,
  ...shadowOperations,
] as const;
