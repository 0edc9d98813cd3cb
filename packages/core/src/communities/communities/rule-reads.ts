import type { Page } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import type { PlatformRole } from '../../ports/index.ts';
import { administersCommunity, tenantReading } from './access.ts';
import { getCommunity } from './own-community.ts';
import { readPlatformRoles } from './platform-roles.ts';
import { type TokenPermissionedChat, toRule } from './rule.ts';
import { listRules, selectRules } from './rule-queries.ts';
import { showToMember } from './show-to-member.ts';

type Named = { id: string };

/** The rules of a community, page by page. */
export async function findRules(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  { id, ...request }: Named & PageRequest,
): Promise<Page<TokenPermissionedChat>> {
  return ctx.db.transaction(await tenantReading(ctx, id), async (tx) => {
    const community = await getCommunity(tx, id);
    const page = await paginate(ctx, request, {
      list: `community-rules:${community.id}`,
      read: (after, limit) => listRules(tx, community.id, after, limit),
      cursorOf: (row) => [row.created_at.toISOString(), row.id],
    });
    return { ...page, items: page.items.map((row) => toRule(row)) };
  });
}

/** The same for whoever may see the community: members are shown of a rule what its admins let them see. */
export async function findRulesForViewer(ctx: Context, { id }: Named): Promise<Page<TokenPermissionedChat>> {
  const sees = ctx.actor.kind === 'client' || (await administersCommunity(ctx, id));
  const { items } = await findRulesWithRoles(ctx, { id });
  if (sees) return { items };
  const rows = await ctx.tx(async (tx) => selectRules(tx, (await getCommunity(tx, id)).id));
  const visibilities = new Map(rows.map((row) => [row.id, row.visibility]));
  return { items: items.flatMap((rule) => showToMember(rule, visibilities.get(rule.id ?? '') ?? 'hidden') ?? []) };
}

/** Every rule of a community, with the name and colour of its role where the platform tells them in time. */
export async function findRulesWithRoles(
  ctx: Pick<Context, 'actor' | 'db' | 'hosts' | 'log'>,
  { id }: Named,
): Promise<Page<TokenPermissionedChat>> {
  const { community, rows } = await ctx.db.transaction(await tenantReading(ctx, id), async (tx) => {
    const found = await getCommunity(tx, id);
    return { community: found, rows: await selectRules(tx, found.id) };
  });
  const roles = rows.length === 0 ? new Map<string, PlatformRole>() : await readPlatformRoles(ctx, community);
  return { items: rows.map((row) => toRule(row, roles.get(row.role_id))) };
}
