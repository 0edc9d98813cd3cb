import type { Reason } from './decision.ts';
import type { RoleComposition } from './rule.ts';
import type { Truth } from './truth.ts';

/** The combined result of everything that concerns one role of one member, and why. */
export interface RoleVerdict {
  roleId: string;
  truth: Truth;
  reason: RoleReason;
  /** The blocks that were read, by chain. */
  blocks: Readonly<Record<string, string>>;
}

/** Why a member qualifies for a role, as stored with every change. Serializable as JSON. */
export interface RoleReason {
  truth: Truth;
  /** Any one of them is enough. */
  rules: RuleVerdict[];
  /** A guest pass grants the role, whatever the rules say. */
  isGuest?: true;
  /** The compositions that depend on other roles and override the rest. */
  compositions?: RoleComposition[];
  /** The platform shows another role of the member instead. */
  isOutranked?: true;
  /** The role is granted once the member has accepted the server's rules. */
  isAwaitingScreening?: true;
  /** The rule that granted the role was deleted, so the role is removed. */
  isRuleDeleted?: true;
  /** The member left the community, which does not end the role by itself on this platform. */
  hasLeft?: true;
}

export interface RuleVerdict {
  /** Empty for a rule in a request that has no id. */
  id: string;
  truth: Truth;
  reason?: Reason;
  /** Why the rule cannot be parsed. */
  problem?: string;
}

/** Whether only a guest pass decides a role: then it starts and ends with the pass. */
export function isByPassAlone({ rules, isGuest, compositions }: RoleReason): boolean {
  return isGuest === true && rules.length === 0 && compositions === undefined;
}
