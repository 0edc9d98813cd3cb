export { decideRoles, type RoleReason } from './decide.ts';
export { decideMember, type Facts, gatherFacts } from './gather.ts';
export { assetsOf, givesRoles, type OpenRules, openRules } from './open-rules.ts';
export type { ReadContext } from './read.ts';
export { readTokenLists } from './read-token-lists.ts';
export { reasonInWords } from './reason-in-words.ts';
export type { ReasonNames, ReasonReader } from './reason-names.ts';
export { defaultGatingSettings, type GatingSettings, gatingSettings } from './settings.ts';
export type { RoleVerdict } from './verdict.ts';
