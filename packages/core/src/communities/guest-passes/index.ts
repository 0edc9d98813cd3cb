export { createGuestPass, defaultPeriodSeconds, refuseRulingPass } from './create.ts';
export { expireGuestPasses } from './expire.ts';
export { guestPassesFeature } from './feature.ts';
export { GuestPass, GuestPassRequest } from './guest-pass.ts';
export { type IssueGuestPass, issueGuestPass } from './issue.ts';
export { type GuestOf, guestsAmong, listGuestPasses } from './reads.ts';
export { removeGuestPass } from './remove.ts';
