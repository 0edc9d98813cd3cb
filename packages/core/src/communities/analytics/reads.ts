import type { Context } from '../../context.ts';
import { countConnectionsByDay } from '../../people/wallets/index.ts';
import { getReadableCommunity } from '../communities/index.ts';
import { countInteractionsByDay, type Span } from '../interactions/index.ts';
import { countHolders } from '../members/index.ts';
import { countGrantsByDay, countRoleChanges } from './queries.ts';
import { spanOf } from './range.ts';

type AnalyticsContext = Pick<Context, 'actor' | 'clock' | 'db'>;
type Asked = { communityId: string; range?: string | undefined };

/** A role as the caller shows it; only its id is looked up. */
export interface ShownRole {
  id?: string | undefined;
  name?: string | undefined;
  color?: number | undefined;
}

type Row = Record<string, unknown>;

/** How many members hold each role at the end of a span, and how many were given and lost it within. */
export async function getRolesPie(
  ctx: AnalyticsContext,
  { body, ...asked }: Asked & { body: readonly ShownRole[] },
): Promise<Row[]> {
  const { id, span } = await open(ctx, asked);
  const roles = withIds(body);
  const roleIds = roles.map((role) => role.id);
  const db = ctx.db.system;
  const holders = await countHolders(db, id, roleIds);
  const since = { ...(span.to !== undefined && { from: span.to }) };
  const [given, taken] = [
    await countRoleChanges(db, id, 'grant', roleIds, span),
    await countRoleChanges(db, id, 'revoke', roleIds, span),
  ];
  const [givenSince, takenSince] = [
    await countRoleChanges(db, id, 'grant', roleIds, since),
    await countRoleChanges(db, id, 'revoke', roleIds, since),
  ];
  return roles.map((role) => {
    const of = (counts: Map<string, number>) => counts.get(role.id) ?? 0;
    // From today's holders back to the end of the span, by what the ledger says happened since.
    const count = Math.max(0, of(holders) - of(givenSince) + of(takenSince));
    return { ...role, count, added: of(given), removed: of(taken) };
  });
}

/** How often each role was given, day by day. */
export async function getRolesAdded(
  ctx: AnalyticsContext,
  { body, ...asked }: Asked & { body: readonly ShownRole[] },
): Promise<Row[]> {
  const { id, span } = await open(ctx, asked);
  const roles = new Map(withIds(body).map((role) => [role.id, role]));
  const days = await countGrantsByDay(ctx.db.system, id, [...roles.keys()], span);
  return days.map(({ date, roleId, count }) => ({ date, ...roles.get(roleId), count }));
}

/** How often members used the community, day by day and kind by kind. */
export async function getUserInteractions(ctx: AnalyticsContext, asked: Asked): Promise<Row[]> {
  const { id, span } = await open(ctx, asked);
  return (await countInteractionsByDay(ctx.db.system, id, span)).map((row) => ({ ...row }));
}

/** How many wallets members linked, day by day, and how many that makes with those from before the span. */
export async function getWalletConnections(ctx: AnalyticsContext, asked: Asked): Promise<Row[]> {
  const { id, span } = await open(ctx, asked);
  const before = span.from === undefined ? [] : await countConnectionsByDay(ctx.db.system, id, { to: span.from });
  let total = before.reduce((sum, { count }) => sum + count, 0);
  return (await countConnectionsByDay(ctx.db.system, id, span)).map((row) => {
    total += row.count;
    return { ...row, total };
  });
}

async function open(ctx: AnalyticsContext, { communityId, range }: Asked): Promise<{ id: string; span: Span }> {
  const span = spanOf(range, ctx.clock());
  const { id } = await getReadableCommunity(ctx, communityId);
  return { id, span };
}

// The same role twice would be drawn twice.
function withIds(roles: readonly ShownRole[]): (ShownRole & { id: string })[] {
  const known = roles.flatMap((role) => (role.id === undefined ? [] : [[role.id, { ...role, id: role.id }] as const]));
  return [...new Map(known).values()];
}
