import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { gatingErasure, rolesErasure } from './forget.ts';
import { gatingJobs, gatingSchedules } from './jobs.ts';
import { roleOperations } from './operations.ts';

export { applyNow } from './apply-now.ts';
export { approveChangeSet, rejectChangeSet } from './approve.ts';
export { blockedRoles, type RoleBreaker, selectBreakers, selectVisibleBreakers } from './breaker-queries.ts';
export { type ChangesMade, changeRoles, type GivenChanges } from './change-roles.ts';
export type { RoleAction, RoleChange } from './change-set.ts';
export {
  changeSetStates,
  countHeldRemovals,
  heldChangeSets,
  selectHeldChangeSets,
  undecidedChangeSets,
} from './change-set-queries.ts';
export { explainRole, listHoldersAt, type RoleExplanation } from './explain.ts';
export { countOpenRoleWork } from './forget.ts';
export { gatingJobs, reconcileCommunityJob } from './jobs.ts';
export {
  countChangesByDay,
  countGrantsByDay,
  countRoleChanges,
  type RoleChanges,
  selectGrantedSince,
  selectLedger,
} from './ledger-queries.ts';
export { findHeldRoles } from './make-change-set.ts';
export { changeSetMetrics } from './metrics.ts';
export type { DraftedRule } from './open-scope.ts';
export { ownCommunity } from './own-change-set.ts';
export { countOwnChanges, suppressedRolesOf } from './own-changes.ts';
export { previewChangeSet, reconcileByDraft, reconcileNow, reconcilePage } from './preview.ts';
export { readRoles } from './read-roles.ts';
export { type ChangeSetWithItems, getChangeSet, listBlockedRoles, listChangeSets } from './reads.ts';
export type { Reconciled, ReconciledMember } from './reconcile.ts';
export { reconcileUser } from './reconcile-user.ts';
export { resumeCommunity, resumeRole } from './resume-role.ts';
export { retryChangeSet } from './retry.ts';
export { getShadowMode, listShadowDifferences } from './shadow/reads.ts';
export type { ShadowMode } from './shadow/shapes.ts';
export { returnToShadow, startShadowMode, takeOverFromShadow } from './shadow/switch.ts';
export { type ChangeSetShare, summarizeChangeSet } from './summarize.ts';
export type { ChangeSetItemRow, ChangeSetRow, ChangeSetStatus, ItemState, LedgerRow } from './tables.ts';
export { findNotices } from './tell-admins.ts';
export { undoChangeSet } from './undo.ts';
export { countWaiting } from './waiting-queries.ts';
export { wakeLater } from './wake.ts';
export { writeWaiting } from './write-community.ts';

export const changeSetsModule = defineModule('role-changes', {
  resources: [ownOperations(roleOperations)],
  jobs: gatingJobs,
  schedules: gatingSchedules,
  erasures: [rolesErasure, gatingErasure],
  tables: [
    'change_sets',
    'change_set_items',
    'role_circuit_breakers',
    'role_suppressions',
    'role_ledger',
    'shadow_modes',
    'shadow_differences',
  ],
});
