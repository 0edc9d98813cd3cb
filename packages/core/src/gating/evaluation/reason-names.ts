/** Display names of things, for readers of a reason. */
export interface ReasonNames {
  role(roleId: string): string;
  /** Undefined for a rule that has no name or was deleted. */
  rule(ruleId: string): string | undefined;
  /** How much of a rule members may see. */
  visibility(ruleId: string): 'public' | 'secret' | 'hidden';
  token(asset: string): string;
}

/**
 * Who reads it. The member (`self`) and the operator see amounts. Others only see whether it was enough: an exact balance
 * would identify the wallet on a public chain.
 */
export type ReasonReader = 'self' | 'operator' | 'other';
