import type { RuleWallet } from './accounts.ts';
import type { Known } from './questions.ts';
import type { Concealment } from './rule.ts';
import type { Truth } from './truth.ts';

/** What a rule is decided by. */
export interface DecideInput extends Known {
  wallets: readonly RuleWallet[];
  answers: NonNullable<Known['answers']>;
  /** The ids of the roles that the member holds, for compositions. Absent means: not known. */
  memberRoles?: readonly string[];
  /** The guest passes that count now, as `<community>:<pass>:<role>`. Absent means: not known. */
  guestPasses?: readonly string[];
}

/** What a rule comes to for a member, and why. It can be written as JSON and read again. */
export interface Decision {
  truth: Truth;
  reason: Reason;
}

export type Reason = GroupReason | LeafReason;

export interface GroupReason {
  kind: 'and' | 'or' | 'not' | 'at-least';
  truth: Truth;
  /** Of `at-least`: how many must be true. */
  count?: number;
  parts: Reason[];
}

export interface LeafReason {
  kind: 'leaf';
  truth: Truth;
  /** The kind of rule and what it is about: `ERC20`, `evm:1/ERC20:0x…`. */
  rule: string;
  asset?: string;
  /** What is needed, in words: `at least 1`, `from 1 to 5`. */
  needed: string;
  /** What was read of each account that counts. */
  readings: AccountReading[];
  /** The sum over the accounts, when they count together. */
  sum?: string;
  /** Why nothing was read, or why it does not decide. */
  note?: string;
  /** Members are not shown what it asks for. */
  concealed?: Concealment;
}

export interface AccountReading {
  wallet: string;
  /** The account that delegated to the wallet, when it is not the wallet itself. */
  vault?: string;
  chain: string;
  /** The block that the value is true for. */
  block?: string;
  /** The amount that was read. */
  value?: string;
  truth: Truth;
  note?: string;
}
