import { defineModule } from '../../shared/module.ts';
import { reconcileQueueErasure } from './queries.ts';

export {
  checkCommunity,
  checkMetrics,
  countQueued,
  dequeue,
  dequeueAll,
  dequeueEveryone,
  enqueueMembers,
  enqueueReconcile,
  isQueued,
  lockQueued,
  noteRuleChanges,
  postponeQueued,
  type QueuedMember,
  queuedCount,
  type ReconcileCause,
  type ReconcileRequest,
  selectDue,
  selectDueCommunities,
  selectEveryone,
  selectQueued,
} from './queries.ts';

export const reconcileQueueModule = defineModule('reconcile-queue', {
  erasures: [reconcileQueueErasure],
  tables: ['reconcile_queue'],
});
