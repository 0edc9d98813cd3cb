import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CommunityRuleRow } from '../../communities/rule-records/index.ts';
import { readRule, readSavedRule } from './read-rule.ts';
import { type Asset, assetLeavesOf, compositionOf, type RoleComposition, type Rule } from './rule.ts';

/** A parsed rule, or the reason why it cannot be parsed. */
export type OpenRule = { id: string; roleId: string } & ({ rule: Rule } | { problem: string });

/** Rules that are ready to be evaluated. */
export interface OpenRules {
  rules: readonly OpenRule[];
  compositions: readonly RoleComposition[];
}

type StoredRule = Pick<CommunityRuleRow, 'id' | 'role_id' | 'definition'>;

// Parsing a rule costs more than evaluating it, and the same few rules are evaluated again and again.
const known = new LRUCache<string, Rule>({
  max: 5_000,
  maxSize: 20_000_000,
  sizeCalculation: (_rule, text) => text.length,
});
const longMs = 5;

/**
 * Parses the stored rules of a community. A rule that cannot be parsed is kept: it makes its role unknown, so no role
 * is removed.
 */
export function openRules(rows: readonly StoredRule[]): OpenRules {
  return sortOut(
    rows.map(({ id, role_id: roleId, definition }) => {
      try {
        return { id, roleId, rule: openRule('saved', definition, () => readSavedRule(definition)) };
      } catch (error) {
        return { id, roleId, problem: error instanceof Error ? error.message : 'The rule cannot be read.' };
      }
    }),
  );
}

/** Parses the rules of a request, yielding to the event loop in between. Throws if one is invalid. */
export async function openRequestedRules(definitions: readonly unknown[], path: string): Promise<OpenRules> {
  const opened: OpenRule[] = [];
  let begunMs = performance.now();
  for (const [index, definition] of definitions.entries()) {
    const rule = openRule('request', definition, () => readRule(definition, `${path}/${index}`));
    opened.push({ id: rule.id ?? '', roleId: rule.roleId, rule });
    if (performance.now() - begunMs < longMs) continue;
    await setImmediate();
    begunMs = performance.now();
  }
  return sortOut(opened);
}

/** Parses a rule, once per distinct text. */
function openRule(origin: string, definition: unknown, read: () => Rule): Rule {
  const text = JSON.stringify(definition) ?? '';
  const key = `${origin} ${text}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const rule = read();
  if (text !== '') known.set(key, rule);
  return rule;
}

function sortOut(opened: readonly OpenRule[]): OpenRules {
  const compositionIn = (open: OpenRule) => ('rule' in open ? compositionOf(open.rule) : undefined);
  return {
    rules: opened.filter((open) => compositionIn(open) === undefined),
    compositions: opened.flatMap((open) => compositionIn(open) ?? []),
  };
}

/** The rules that could be parsed, without compositions. */
export function readableRules({ rules }: OpenRules): Rule[] {
  return rules.flatMap((open) => ('rule' in open ? [open.rule] : []));
}

/** The assets that rules name. */
export function assetsOf(rules: OpenRules): Pick<Asset, 'chain' | 'standard' | 'reference'>[] {
  return readableRules(rules)
    .flatMap(assetLeavesOf)
    .map(({ asset }) => asset);
}
