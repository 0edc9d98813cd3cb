import { type Condition, describeNeeded, leavesOf, type Rule, readRule } from '@latchkey/core/rule-language';
import type { ReadRule } from './check-rules.ts';

/** Reads a rule with the server's own code. */
export const readByServer: ReadRule = (definition, path) => {
  try {
    return { problems: [], meaning: meaningOf(readRule(definition, path)) };
  } catch (error) {
    return { problems: problemsOf(error, path), meaning: undefined };
  }
};

function problemsOf(error: unknown, path: string) {
  const details = error instanceof Error && 'details' in error ? error.details : undefined;
  const message = error instanceof Error ? error.message : 'This rule cannot be read.';
  return Array.isArray(details) && details.length > 0
    ? details.map(({ path: place, message: text }) => ({ path: place, message: capital(text) }))
    : [{ path, message }];
}

function meaningOf({ roleId, condition }: Rule): string {
  return `The role ${roleId} goes to anyone who ${partsOf(condition)}.`;
}

function partsOf(condition: Condition): string {
  const leaves = leavesOf(condition).map((leaf) => {
    if (leaf.kind === 'composition') return 'has the required roles';
    if (leaf.kind === 'guest-pass') return 'has a matching guest pass';
    return `holds ${describeNeeded(leaf)} of ${leaf.label} ${leaf.asset.reference} on ${leaf.asset.chain}`;
  });
  return condition.kind === 'and' || condition.kind === 'or' ? leaves.join(` ${condition.kind} `) : leaves.join(', ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
