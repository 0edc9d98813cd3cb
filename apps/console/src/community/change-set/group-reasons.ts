import type { ReasonLine } from '../../shared/why.tsx';

interface Change {
  roleId: string;
  roleName?: string | undefined;
  action: 'grant' | 'revoke';
  words: readonly string[];
  lines: readonly ReasonLine[];
}

/** Changes of one role that have the same reason. */
export interface ReasonGroup {
  key: string;
  roleName: string;
  action: 'grant' | 'revoke';
  members: number;
  why: string;
  /** What was found instead, in different words for some of them. */
  found: readonly string[];
}

const mostFindings = 3;
const unclear = 'no reason is recorded';

/** Groups changes by role and reason, the largest group first. */
export function groupReasons(changes: readonly Change[]): ReasonGroup[] {
  const groups = new Map<string, ReasonGroup>();
  for (const change of changes) {
    const { roleId, roleName = `role ${roleId}`, action } = change;
    const { why, found } = reasonOf(change);
    const key = [roleId, action, why].join('\n');
    const known = groups.get(key);
    const findings = new Set([...(known?.found ?? []), ...found]);
    groups.set(key, {
      key,
      roleName,
      action,
      members: (known?.members ?? 0) + 1,
      why,
      found: [...findings].slice(0, mostFindings),
    });
  }
  return [...groups.values()].toSorted((one, other) => other.members - one.members);
}

/** The conditions that decided: those that are met for a role that is given, and those that are not for one that is taken. */
function reasonOf({ action, words, lines }: Change): { why: string; found: string[] } {
  const wanted = action === 'grant' ? 'met' : 'not-met';
  // In a negated group, a condition that is met is what takes the role: the sentences say that better than a list.
  const isNegated = lines.some(({ text }) => text === 'None of these');
  const decided = lines.filter(({ outcome }, index) => outcome === wanted && isLeaf(lines, index));
  const [first] = decided;
  if (isNegated || first === undefined) return { why: words.join(' ') || unclear, found: [] };
  const found = decided.flatMap((line) => line.found ?? []);
  if (first.depth === 0) return { why: first.text, found };
  const needs = [...new Set(decided.filter(({ depth }) => depth > 0).map(({ text }) => lowered(text)))];
  return { why: `${action === 'grant' ? 'has' : 'needs'} ${needs.join(', ')}`, found };
}

function isLeaf(lines: readonly ReasonLine[], index: number): boolean {
  return (lines[index + 1]?.depth ?? 0) <= (lines[index]?.depth ?? 0);
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
