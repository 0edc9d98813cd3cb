export type { RuleWallet } from './accounts.ts';
export { parseCaipAsset } from './caip.ts';
export { chainOfId, normalizeChain, walletNamespaceOf } from './chain-ids.ts';
export { composeRoles } from './compose-roles.ts';
export { decide } from './decide.ts';
export type { AccountReading, DecideInput, Decision, GroupReason, LeafReason, Reason } from './decision.ts';
export { hideAddresses } from './hide-addresses.ts';
export { assetKinds, isKnownNamespace, knownKindNames } from './kinds.ts';
export { type Queries, startQueries } from './queries/start-queries.ts';
export { costBound, costOf, type Known, questionKey, questionsOf, tokenListUrlsOf } from './questions.ts';
export { defaultRoleId, readRule, readSavedRule } from './read-rule.ts';
export {
  type Asset,
  type AssetLeaf,
  assetLeavesOf,
  type Condition,
  compositionOf,
  type Leaf,
  leavesOf,
  type RoleComposition,
  type Rule,
} from './rule.ts';
export { anyOf, type Truth } from './truth.ts';
export { unreadReason } from './unread-reason.ts';
