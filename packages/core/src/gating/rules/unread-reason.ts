import { formatAsset } from './caip.ts';
import type { LeafReason, Reason } from './decision.ts';
import { describeComposition, describeNeeded, neededPass } from './describe-needed.ts';
import type { Condition, Leaf } from './rule.ts';

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
