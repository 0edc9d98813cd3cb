import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ownCommunity } from '../role-plans/index.ts';
import { describeImport, readRoles } from './describe-import.ts';
import { selectEntries, selectImport, selectImports } from './queries.ts';
import { type RuleImport, toImport } from './shapes.ts';

const mostListed = 20;

export async function listRuleImports(ctx: Context, { communityId }: { communityId: string }): Promise<RuleImport[]> {
  const { id } = await ownCommunity(ctx, communityId);
  const rows = await selectImports(ctx.db.system, id, mostListed);
  const entries = Map.groupBy(
    await selectEntries(
      ctx.db.system,
      rows.map((row) => row.id),
    ),
    (entry) => entry.import_id,
  );
  return rows.map((row) => ({ ...toImport(row, entries.get(row.id) ?? []), entries: [] }));
}

export async function getRuleImport(
  ctx: Context,
  { communityId, importId }: { communityId: string; importId: string },
): Promise<RuleImport> {
  const community = await ownCommunity(ctx, communityId);
  const row = await selectImport(ctx.db.system, community.id, importId);
  if (row === undefined) throw notFound('import');
  return describeImport(ctx, row, await selectEntries(ctx.db.system, [row.id]), await readRoles(ctx, community));
}
