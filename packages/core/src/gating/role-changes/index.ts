import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { gatingErasure, rolesErasure } from './forget.ts';
import { gatingJobs, gatingSchedules } from './jobs.ts';
import { roleOperations } from './operations.ts';

export { applyNow } from './apply-now.ts';
export { approveRolePlan, rejectRolePlan } from './approve.ts';
export { type ChangesMade, changeRoles, type GivenChanges } from './change-roles.ts';
export { explainRole, listHoldersAt, type RoleExplanation } from './explain.ts';
export { planFigures } from './figures.ts';
export { countOpenRoleWork } from './forget.ts';
export { checkTouched, gatingJobs } from './jobs.ts';
export { selectGrantedSince, selectLedger } from './ledger-queries.ts';
export type { Looked, LookedMember } from './look.ts';
export { lookAtRoles } from './look-at-roles.ts';
export { findHeldRoles } from './make-plan.ts';
export type { DraftedRule } from './open-scope.ts';
export { countOwnChanges, pausedRolesOf } from './own-changes.ts';
export { ownCommunity } from './own-plan.ts';
export type { RoleAction, RoleChange } from './plan.ts';
export { countHeldRemovals, selectHeldPlans } from './plan-queries.ts';
export { lookAtPage, lookByDraft, lookNow, previewRolePlan } from './preview.ts';
export { readRoles } from './read-roles.ts';
export { getRolePlan, listRolePlans, listRoleStops, type RolePlanWithItems } from './reads.ts';
export { resumeCommunity, resumeRole } from './resume-role.ts';
export { retryRolePlan } from './retry.ts';
export { getShadowMode, listShadowDifferences } from './shadow/reads.ts';
export type { ShadowMode } from './shadow/shapes.ts';
export { returnToShadow, startShadowMode, takeOverFromShadow } from './shadow/switch.ts';
export { type RoleStop, selectStops, selectStopsSeen } from './stop-queries.ts';
export { type PlanShare, summarizeRolePlan } from './summarize.ts';
export type { ItemState, LedgerRow, RolePlanItemRow, RolePlanRow, RolePlanStatus } from './tables.ts';
export { findNotices } from './tell-admins.ts';
export { undoRolePlan } from './undo.ts';
export { countWaiting } from './waiting-queries.ts';
export { wakeLater } from './wake.ts';
export { writeWaiting } from './write-community.ts';

export const rolePlansFeature = feature('role-changes', {
  resources: [ownOperations(roleOperations)],
  jobs: gatingJobs,
  schedules: gatingSchedules,
  erasures: [rolesErasure, gatingErasure],
  tables: [
    'role_plans',
    'role_plan_items',
    'role_stops',
    'role_pauses',
    'role_ledger',
    'shadow_modes',
    'shadow_differences',
  ],
});
