export { createGuestPass, defaultPeriodSeconds, refuseBadPass } from './create.ts';
export { expireGuestPasses } from './expire.ts';
export { guestPassesFeature } from './feature.ts';
export { applyGrant } from './grant-job.ts';
export { GuestPass, GuestPassRequest } from './guest-pass.ts';
export { type IssueGuestPass, issueGuestPass, settle as settleGrant } from './issue.ts';
export {
  addGiven,
  endGrants,
  type GrantRow,
  type GuestPassRow,
  holdsGuestPass,
  lockPass,
  selectGrant,
  selectGrantsOf,
  selectHolders,
  selectRunning,
  updateGrant,
} from './queries.ts';
export { type GuestOf, guestsAmong, listGuestPasses } from './reads.ts';
export { removeGuestPass } from './remove.ts';
