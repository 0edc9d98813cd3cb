/** Display names of things, for readers of a reason. */
export interface ReasonNames {
  role(roleId: string): string;
  /** Undefined for a rule without a name, or one that is gone. */
  rule(ruleId: string): string | undefined;
  /** How much members are shown of a rule. */
  visibility(ruleId: string): 'public' | 'secret' | 'hidden';
  token(asset: string): string;
}

/**
 * Who reads it. To the member (`self`) and the operator, amounts are shown. Others only learn whether it was enough: an exact
 * balance finds its wallet on a public chain.
 */
export type ReasonReader = 'self' | 'operator' | 'other';
