import { findPlatformRoles } from '../../communities/community/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { sentencesFor } from '../rule-builder/index.ts';
import { compareImport } from './compare-import.ts';
import type { Roles } from './match-role.ts';
import type { EntryRow, ImportRow } from './queries.ts';
import { type RuleImport, toImport } from './shapes.ts';

const rolesTimeoutMs = 3_000;
const namesTimeoutMs = 5_000;

/** The roles of the community, or undefined if the platform does not respond in time. */
export function readRoles(ctx: Pick<Context, 'hosts' | 'log'>, community: CommunityRow): Promise<Roles> {
  return findPlatformRoles(ctx, community, AbortSignal.timeout(rolesTimeoutMs));
}

/** Returns an import with its rules described in the same sentences as in the rule list. */
export async function describeImport(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  row: ImportRow,
  entries: readonly EntryRow[],
  roles: Roles,
): Promise<RuleImport> {
  const sentenceOf = await sentencesFor(ctx, entries.flatMap(ruleOf), roles, {
    signal: AbortSignal.timeout(namesTimeoutMs),
  });
  const comparison = await compareImport(ctx, { id: row.community_id }, entries, roles);
  return {
    ...toImport(row, entries, roles, (entry) => ruleOf(entry).map((rule) => sentenceOf(rule).sentence)[0]),
    ...(comparison !== undefined && { comparison }),
  };
}

function ruleOf({ role_id, definition }: EntryRow) {
  return role_id === null || definition === null ? [] : [{ role_id, definition }];
}
