import type { Truth } from '../rules/index.ts';
import type { ReadReason } from './read-reason.ts';

/**
 * Returns a reason as a member may read it. A secret condition is mentioned without its requirement. A hidden one is
 * left out, unless it decided the result: a role that is missing without a reason would look like a bug.
 */
export function concealReason(reason: ReadReason, outcome: Truth): ReadReason | undefined {
  if (reason.kind === 'leaf') {
    if (reason.concealed === undefined) return reason;
    if (reason.concealed === 'hidden' && (outcome === 'true' || reason.truth !== outcome)) return undefined;
    return { kind: 'leaf', truth: reason.truth, rule: '', needed: 'a hidden condition', readings: [] };
  }
  const wanted = reason.kind === 'not' ? opposite(outcome) : outcome;
  const parts = reason.parts.flatMap((part) => concealReason(part, wanted) ?? []);
  return parts.length === 0 ? undefined : { ...reason, parts };
}

/** The truth that counts below a `not`. */
export function opposite(truth: Truth): Truth {
  if (truth === 'unknown') return truth;
  return truth === 'true' ? 'false' : 'true';
}
