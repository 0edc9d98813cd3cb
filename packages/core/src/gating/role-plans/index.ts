export {
  type AccountChange,
  type Following,
  followChains,
  startSweeps,
  touchAccounts,
  touchUser,
} from '../following/index.ts';
export {
  defaultGatingSettings,
  type GatingSettings,
  gatingSettings,
  type RoleReason,
  type RoleVerdict,
} from '../judging/index.ts';
export { applyNow } from './apply-now.ts';
export { approveRolePlan, rejectRolePlan } from './approve.ts';
export { checkTouched } from './check.ts';
export { explainRole, listHoldersAt, type RoleExplanation } from './explain.ts';
export { rolePlansFeature } from './feature.ts';
export { countOpenRoleWork, forgetReadings } from './forget.ts';
export { gatingJobs } from './jobs.ts';
export { judgeVisitor } from './judge-visitor.ts';
export type { Looked, LookedMember } from './look.ts';
export { ownCommunity } from './own-plan.ts';
export type { RoleAction, RoleChange } from './plan.ts';
export { lookNow, previewRolePlan } from './preview.ts';
export { readRoles, readRules } from './read-standing.ts';
export { getRolePlan, listRolePlans, listRoleStops, type RolePlanWithItems } from './reads.ts';
export { resumeRole } from './resume-role.ts';
export type { RoleStop } from './stop-queries.ts';
export { type PlanShare, summarizeRolePlan } from './summarize.ts';
export type { ItemState, LedgerRow, RolePlanItemRow, RolePlanRow, RolePlanStatus } from './tables.ts';
export { undoRolePlan } from './undo.ts';
export { wakeLater } from './wake.ts';
export { writeWaiting } from './write-community.ts';
