import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { gatingErasure, rolesErasure } from './forget.ts';
import { gatingJobs, gatingSchedules } from './jobs.ts';
import { memberHistoryOperations } from './ledger/member-history.ts';
import { roleHistoryOperations } from './ledger/operations.ts';
import { roleStepOperations } from './ledger/role-steps.ts';
import { commentOperations } from './review/comment-operations.ts';
import { changeSetOperations } from './review/operations.ts';
import { reasonOperations } from './review/reasons.ts';
import { shadowOperations } from './shadow/operations.ts';

export { blockedRoles, type RoleBreaker, selectBreakers, selectVisibleBreakers } from './applying/breaker-queries.ts';
export { type ChangesMade, changeRoles, type GivenChanges } from './applying/change-roles.ts';
export { recordArrival } from './applying/record-arrival.ts';
export { resumeCommunity, resumeRole } from './applying/resume-role.ts';
export { selectStillWaiting } from './applying/waiting-queries.ts';
export { applyNow, resumeWaiting, wakeLater, writeWaiting } from './applying/write-community.ts';
export { countOpenWrites, countWaiting, selectRuledRoles } from './applying/write-queries.ts';
export { countOpenRoleWork } from './forget.ts';
export { gatingJobs, reconcileCommunityJob } from './jobs.ts';
export { explainRole, listHoldersAt, type RoleExplanation } from './ledger/explain.ts';
export {
  countChangesByDay,
  countGrantsByDay,
  countRoleChanges,
  type RoleChanges,
  selectGrantedSince,
  selectLedger,
  selectOwnWrites,
} from './ledger/queries.ts';
export { RoleSteps, readRoleSteps } from './ledger/role-steps.ts';
export type { RoleAction, RoleChange } from './planning/change-set.ts';
export {
  changeSetStates,
  countHeldRemovals,
  heldChangeSets,
  markNotice,
  selectChangeSetsSince,
  selectHeldChangeSets,
  unannouncedChangeSets,
} from './planning/change-set-queries.ts';
export { findHeldRoles } from './planning/make-change-set.ts';
export type { DraftedRule } from './planning/open-scope.ts';
export {
  previewChangeSet,
  reconcileAsIf,
  reconcileByDraft,
  reconcileNow,
  reconcilePage,
  syncMembersNow,
} from './planning/preview.ts';
export type { Reconciled, ReconciledMember } from './planning/reconcile.ts';
export { readRoles } from './planning/reconcile.ts';
export { countOwnChanges, suppressedRolesOf } from './planning/suppression-queries.ts';
export { reconcileUser } from './reconcile-user.ts';
export {
  approveChangeSet,
  approveGrants,
  rejectAndRestore,
  rejectChangeSet,
  retryChangeSet,
} from './review/decide.ts';
export { refreshHeld } from './review/held-now.ts';
export {
  type ChangeSetOutcome,
  type ChangeSetShare,
  type ChangeSetWithItems,
  getChangeSet,
  listBlockedRoles,
  listChangeSets,
  readOutcomes,
  summarizeChangeSet,
} from './review/reads.ts';
export { planRestore } from './review/restore.ts';
export { previewUndo, undoChangeSet } from './review/undo.ts';
export type { UndoTotals } from './review/undo-queries.ts';
export { refuseInShadow, selectShadowOn } from './shadow/queries.ts';
export type { ShadowMode } from './shadow/reads.ts';
export { getShadowMode, listShadowDifferences } from './shadow/reads.ts';
export { returnToShadow, startShadowMode, takeOverFromShadow } from './shadow/switch.ts';
export type { ChangeSetItemRow, ChangeSetRow, ChangeSetStatus, ItemState, LedgerRow } from './tables.ts';
export { changeSetMetrics, roleLedgerCheck } from './tables.ts';

export const changeSetsModule = defineModule('role-changes', {
  resources: [
    ownOperations([
      ...changeSetOperations,
      ...reasonOperations,
      ...commentOperations,
      ...roleHistoryOperations,
      ...memberHistoryOperations,
      ...roleStepOperations,
      ...shadowOperations,
    ] as const),
  ],
  jobs: gatingJobs,
  schedules: gatingSchedules,
  erasures: [rolesErasure, gatingErasure],
  tables: [
    'change_sets',
    'change_set_items',
    'change_set_approvals',
    'change_set_comments',
    'role_circuit_breakers',
    'role_suppressions',
    'role_ledger',
    'shadow_modes',
    'shadow_differences',
  ],
});
