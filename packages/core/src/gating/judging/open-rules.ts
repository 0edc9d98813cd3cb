import type { CommunityRuleRow } from '../../communities/communities/index.ts';
import {
  type Asset,
  assetLeavesOf,
  compositionOf,
  type RoleComposition,
  type Rule,
  readSavedRule,
} from '../rules/index.ts';

/** A stored rule, read; or the reason why it cannot be. */
export type OpenRule = { id: string; roleId: string } & ({ rule: Rule } | { problem: string });

/** The rules of a community, ready to be asked. */
export interface OpenRules {
  rules: readonly OpenRule[];
  compositions: readonly RoleComposition[];
}

/**
 * Reads the stored rules of a community. A rule that cannot be read is kept: it makes its role unknown, which takes
 * nothing from anybody.
 */
export function openRules(rows: readonly CommunityRuleRow[]): OpenRules {
  const opened = rows.map(openRule);
  const compositionIn = (open: OpenRule) => ('rule' in open ? compositionOf(open.rule) : undefined);
  return {
    rules: opened.filter((open) => compositionIn(open) === undefined),
    compositions: opened.flatMap((open) => compositionIn(open) ?? []),
  };
}

function openRule({ id, role_id, definition }: CommunityRuleRow): OpenRule {
  try {
    return { id, roleId: role_id, rule: readSavedRule(definition) };
  } catch (error) {
    return { id, roleId: role_id, problem: error instanceof Error ? error.message : 'The rule cannot be read.' };
  }
}

/** Whether there is a role that any of the rules could give. */
export function givesRoles({ rules, compositions }: OpenRules): boolean {
  return rules.length > 0 || compositions.length > 0;
}

/** The assets that rules look at. */
export function assetsOf({ rules }: OpenRules): Pick<Asset, 'chain' | 'standard' | 'reference'>[] {
  return rules.flatMap((open) => ('rule' in open ? assetLeavesOf(open.rule).map(({ asset }) => asset) : []));
}
