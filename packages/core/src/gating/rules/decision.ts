import type { RuleWallet } from './accounts.ts';
import { formatAsset } from './caip.ts';
import { describeComposition, describeNeeded, neededPass } from './describe-needed.ts';
import type { Known } from './questions.ts';
import type { Concealment, Condition, Leaf } from './rule.ts';
import type { Truth } from './truth.ts';

/** The input for deciding a rule. */
export interface DecideInput extends Known {
  wallets: readonly RuleWallet[];
  answers: NonNullable<Known['answers']>;
  /** The ids of the member's roles, for compositions. Absent if unknown. */
  memberRoles?: readonly string[];
  /** The active guest passes, as `<community>:<pass>:<role>`. Absent if unknown. */
  guestPasses?: readonly string[];
}

/** The result of a rule for a member, and why. Serializable as JSON. */
export interface Decision {
  truth: Truth;
  reason: Reason;
}

export type Reason = GroupReason | LeafReason;

export interface GroupReason {
  kind: 'and' | 'or' | 'not' | 'at-least';
  truth: Truth;
  /** For `at-least`: how many must be true. */
  count?: number;
  parts: Reason[];
}

export interface LeafReason {
  kind: 'leaf';
  truth: Truth;
  /** The rule kind and its asset: `ERC20`, `evm:1/ERC20:0x…`. */
  rule: string;
  asset?: string;
  /** The requirement in words: `at least 1`, `from 1 to 5`. */
  needed: string;
  /** What was read from each account that counts. */
  readings: AccountReading[];
  /** The sum over the accounts, if they are summed. */
  sum?: string;
  /** Why nothing was read, or why the result is unknown. */
  note?: string;
  /** The requirement is concealed from members. */
  concealed?: Concealment;
}

export interface AccountReading {
  wallet: string;
  /** The account that delegated to the wallet, if it is not the wallet itself. */
  vault?: string;
  chain: string;
  /** The block that the value was read at. */
  block?: string;
  value?: string;
  truth: Truth;
  note?: string;
}

/**
 * Builds the reason of a decision for which nothing was read, so that a condition can be described with the same words
 * as a result.
 */
export function unreadReason(condition: Condition): Reason {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, truth: 'unknown', parts: condition.parts.map(unreadReason) };
    case 'at-least': {
      const { kind, count, parts } = condition;
      return { kind, truth: 'unknown', count, parts: parts.map(unreadReason) };
    }
    case 'not':
      return { kind: 'not', truth: 'unknown', parts: [unreadReason(condition.part)] };
    default:
      return {
        kind: 'leaf',
        truth: 'unknown',
        rule: condition.label,
        readings: [],
        ...neededBy(condition),
        ...(condition.concealed !== undefined && { concealed: condition.concealed }),
      };
  }
}

function neededBy(leaf: Leaf): Pick<LeafReason, 'needed' | 'asset'> {
  switch (leaf.kind) {
    case 'guest-pass':
      return { needed: neededPass };
    case 'composition':
      return { needed: describeComposition(leaf.composition) };
    default:
      return { needed: describeNeeded(leaf), asset: formatAsset(leaf.asset) };
  }
}
