import { findPlatformRoles } from '../../communities/community/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import type { CommunityRuleRow } from '../../communities/rule-records/index.ts';
import type { PlatformRole } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { assetsOf, openRules, ruleInWords } from '../evaluation/index.ts';
import { readSymbols } from '../evm/index.ts';
import { plainName, readTokenNames } from '../naming/index.ts';
import { compositionOf, type Rule, readSavedRule } from '../rules/index.ts';

type Kept = Pick<CommunityRuleRow, 'role_id' | 'definition'>;
type WordsContext = Pick<Context, 'clock' | 'db' | 'tokenMetadata'>;
type Roles = ReadonlyMap<string, PlatformRole> | undefined;

const rolesTimeoutMs = 3_000;

/** The roles of the community, or undefined if the platform does not respond in time. */
export function rolesOf(ctx: Pick<Context, 'hosts' | 'log'>, community: CommunityRow): Promise<Roles> {
  return findPlatformRoles(ctx, community, AbortSignal.timeout(rolesTimeoutMs));
}

/**
 * Describes rules in sentences, and explains why others cannot be parsed. Unknown token symbols are read from the chain
 * until the signal aborts.
 */
export async function sentencesFor(
  ctx: WordsContext,
  kept: readonly Kept[],
  roles: Roles,
  { signal }: { signal?: AbortSignal } = {},
): Promise<(rule: Kept) => { sentence: string; problem?: string }> {
  const rows = kept.map((rule, index) => ({ id: String(index), ...rule }));
  const assets = assetsOf(openRules(rows));
  const places = assets.map(({ chain, reference }) => ({ chain, contract: reference }));
  const read = signal && (await readSymbols(ctx, places, signal));
  const token = await readTokenNames(ctx, assets, { asks: true, ...(read && { read }) });
  const role = roleNamer(roles);
  return ({ role_id, definition }) => {
    try {
      const rule = readSavedRule(definition);
      return { sentence: ruleInWords(named(rule, role_id), { role, token }) };
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'The rule cannot be read.';
      return { sentence: `The rule for ${role(role_id)} cannot be read.`, problem };
    }
  };
}

export function roleNamer(roles: Roles): (roleId: string) => string {
  return (roleId) => {
    const role = roles?.get(roleId);
    if (roles !== undefined && role === undefined) return 'a role that was deleted';
    return plainName(role?.name ?? '') || `role ${plainName(roleId)}`;
  };
}

function named(rule: Rule, roleId: string): Rule {
  return compositionOf(rule) === undefined ? { ...rule, roleId } : rule;
}
