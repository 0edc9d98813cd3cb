import { messagesIn, type ServerMessages } from '../../shared/messages/index.ts';

/** Display names of things, for readers of a reason, and the language that they read. */
export interface ReasonNames {
  /** Without it, English. */
  readonly t?: ServerMessages;
  role(roleId: string): string;
  /** Undefined for a rule that has no name or was deleted. */
  rule(ruleId: string): string | undefined;
  /** How much of a rule members may see. */
  visibility(ruleId: string): 'public' | 'secret' | 'hidden';
  token(asset: string): string;
}

export function messagesOf({ t }: Pick<ReasonNames, 't'>): ServerMessages {
  return t ?? messagesIn(undefined);
}

/**
 * Who reads it. The member (`self`) and the operator see amounts. Others only see whether it was enough: an exact balance
 * would identify the wallet on a public chain.
 */
export type ReasonReader = 'self' | 'other' | { member: string; showsAmounts: boolean };

/** How sentences speak of the member. */
export interface Voice {
  isSelf: boolean;
  /** `you`, `the member` or a name. */
  who: string;
  /** What comes before `linked wallets`. */
  whose: string;
  showsAmounts: boolean;
}

export function voiceOf(reader: ReasonReader): Voice {
  if (reader === 'self') return { isSelf: true, who: 'you', whose: 'Your', showsAmounts: true };
  if (reader === 'other') return { isSelf: false, who: 'the member', whose: 'The', showsAmounts: false };
  const { member, showsAmounts } = reader;
  return { isSelf: false, who: member, whose: `${member}’s`, showsAmounts };
}
