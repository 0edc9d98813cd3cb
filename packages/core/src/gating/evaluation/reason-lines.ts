import type { Truth } from '../rules/index.ts';
import { findingInWords, needInWords } from './need-in-words.ts';
import { type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
import { compositionInWords } from './reason-in-words.ts';
import type { ReasonNames, ReasonReader } from './reason-names.ts';

/** One condition of a reason. Its children follow it, one level deeper. */
export interface ReasonLine {
  depth: number;
  outcome: 'met' | 'not-met' | 'unknown';
  text: string;
  /** What was found instead, or why it could not be checked. */
  found?: string;
}

/** Renders a reason as a tree, one condition per line, naming rules and tokens but never a wallet. */
export function reasonInLines(reason: unknown, names: ReasonNames, reader: ReasonReader): ReasonLine[] {
  const role = readRoleReason(reason);
  if (role === undefined) return [];
  if (role.undoes !== undefined) return [line(0, 'true', 'An admin undid an earlier change.')];
  if (role.isRuleDeleted) return [line(0, 'false', 'An admin deleted the rule that gave this role.')];
  const guest = role.isGuest ? [line(0, 'true', 'A guest pass gives this role')] : [];
  const outranked = role.isOutranked
    ? [line(0, 'false', 'Replaced by another role: only one can be shown at a time')]
    : [];
  const screening = role.isAwaitingScreening
    ? [line(0, 'unknown', 'Waiting for the member to accept the server’s rules')]
    : [];
  return [
    ...screening,
    ...guest,
    ...outranked,
    ...role.rules.flatMap((rule) => ruleLines(rule, names, reader)),
    ...role.compositions.map((composition) => line(0, role.truth, compositionInWords(composition, names))),
  ];
}

function ruleLines(
  { id, truth, reason, problem }: ReadRole['rules'][number],
  names: ReasonNames,
  reader: ReasonReader,
): ReasonLine[] {
  const name = names.rule(id);
  const head = line(0, truth, name === undefined ? 'A rule without a name' : `Rule “${name}”`, problem);
  return reason === undefined ? [head] : [head, ...nodeLines(reason, 1, names, reader)];
}

function nodeLines(node: ReadReason, depth: number, names: ReasonNames, reader: ReasonReader): ReasonLine[] {
  if (node.kind !== 'leaf')
    return [
      line(depth, node.truth, groupInWords(node)),
      ...node.parts.flatMap((part) => nodeLines(part, depth + 1, names, reader)),
    ];
  const need = needInWords(node, names);
  const found = node.truth === 'true' ? '' : findingInWords(node, names, reader, true);
  return [line(depth, node.truth, `${need.charAt(0).toUpperCase()}${need.slice(1)}`, found || undefined)];
}

function groupInWords({ kind, count }: Exclude<ReadReason, { kind: 'leaf' }>): string {
  switch (kind) {
    case 'and':
      return 'All of these';
    case 'or':
      return 'Any of these';
    case 'not':
      return 'None of these';
    default:
      return `At least ${count ?? 1} of these`;
  }
}

const outcomes: Readonly<Record<Truth, ReasonLine['outcome']>> = { true: 'met', false: 'not-met', unknown: 'unknown' };

function line(depth: number, truth: Truth, text: string, found?: string): ReasonLine {
  return { depth, outcome: outcomes[truth], text, ...(found !== undefined && { found }) };
}
