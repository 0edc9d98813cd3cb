import type { Reason, RoleComposition, Truth } from '../rules/index.ts';

/** What everything that speaks about one role came to for one member, and why. */
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
  /** A guest pass gives the role, whatever the rules say. */
  isGuest?: true;
  /** The compositions that look at other roles and have the last word. */
  compositions?: RoleComposition[];
  /** The platform shows another role of the member instead. */
  isOutranked?: true;
  /** The role is given once the member has accepted the server's rules. */
  isAwaitingScreening?: true;
  /** The rule that gave the role was deleted, and the role is taken with it. */
  isRuleDeleted?: true;
}

export interface RuleVerdict {
  /** Empty for a rule of a request that has no id. */
  id: string;
  truth: Truth;
  reason?: Reason;
  /** Why the rule itself cannot be read. */
  problem?: string;
}

/** Whether nothing but a guest pass speaks about a role: then it comes and goes with the pass. */
export function isByPassAlone({ rules, isGuest, compositions }: RoleReason): boolean {
  return isGuest === true && rules.length === 0 && compositions === undefined;
}
