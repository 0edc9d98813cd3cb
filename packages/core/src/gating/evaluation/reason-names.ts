import { messagesIn, type ServerMessages } from '../../shared/messages/index.ts';

/** Display names of things, for readers of a reason, and the language that they read. */
export interface ReasonNames {
  /** Without it, English. */
  readonly t?: ServerMessages;
  role(roleId: string): string;
  /** Undefined for a rule without a name, or one that is gone. */
  rule(ruleId: string): string | undefined;
  /** How much members are shown of a rule. */
  visibility(ruleId: string): 'public' | 'secret' | 'hidden';
  token(asset: string): string;
}

export function messagesOf({ t }: Pick<ReasonNames, 't'>): ServerMessages {
  return t ?? messagesIn(undefined);
}

/**
 * Who reads it. `self` is the member: amounts are shown. Others only learn whether it was enough: an exact
 * balance finds its wallet on a public chain.
 */
export type ReasonReader = 'self' | 'other';
