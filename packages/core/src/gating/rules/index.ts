export { delegationQuestion, hideAddresses, type RuleWallet } from './accounts.ts';
export { formatAsset, parseCaipAsset } from './caip.ts';
export { chainOfId, normalizeChain, walletNamespaceOf } from './chain-ids.ts';
export { composeRoles, sortByDependence } from './compose-roles.ts';
export { decide } from './decide.ts';
export { decideRoles } from './decide-roles.ts';
export type { AccountReading, DecideInput, Decision, GroupReason, LeafReason, Reason } from './decision.ts';
export { unreadReason } from './decision.ts';
export { assetKinds, isKnownNamespace, knownKindNames } from './kinds.ts';
export {
  assetsOf,
  type OpenRules,
  openRequestedRules,
  openRules,
  readableRules,
} from './open-rules.ts';
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
export { isByPassAlone, type RoleReason, type RoleVerdict, type RuleVerdict } from './verdict.ts';
