export { delegationQuestion, type RuleWallet } from './accounts.ts';
export { formatAsset, parseCaipAsset } from './caip.ts';
export { chainOfId, normalizeChain, walletNamespaceOf } from './chain-ids.ts';
export { composeRoles, sortByDependence } from './compose-roles.ts';
export { decide } from './decide.ts';
export type { AccountReading, DecideInput, Decision, GroupReason, LeafReason, Reason } from './decision.ts';
export { hideAddresses } from './hide-addresses.ts';
export { assetKinds, isKnownNamespace, knownKindNames } from './kinds.ts';
export { type Queries, startQueries } from './queries/start-queries.ts';
export { costBound, costOf, type Known, questionKey, questionOf, questionsOf, tokenListUrlsOf } from './questions.ts';
export { defaultRoleId, readRule, readSavedRule } from './read-rule.ts';
export {
  type Asset,
  type AssetLeaf,
  assetLeavesOf,
  type Condition,
  compositionOf,
  type Leaf,
  leavesOf,
  type Reading,
  type RoleComposition,
  type Rule,
} from './rule.ts';
export { allOf, anyOf, atLeastOf, not, type Truth, truthOf } from './truth.ts';
export { unreadReason } from './unread-reason.ts';
