import { listOf, OpenObject, op, resource, shape, T, text } from '@latchkey/kernel';
import { communityReader, getReadableCommunity } from '../../communities/access/index.ts';
import { countConnectionsByDay, countHolders } from '../../communities/memberships/index.ts';
import { countInteractionsByDay, type Span } from '../../communities/usage/index.ts';
import { countGrantsByDay, countRoleChanges } from '../../gating/role-changes/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { rangeForms, spanOf } from './range.ts';

const params = {
  communityId: communityParam,
  range: T.Optional(
    T.String({ description: `The time range: ${rangeForms}. Defaults to the last 30 days.`, maxLength: 80 }),
  ),
};

const roles = shape(
  T.Array(
    T.Object({
      color: T.Optional(T.Number({ description: 'The color of the role; returned as sent.' })),
      id: T.Optional(text('The id of the role on the platform.', { maxLength: 100 })),
      name: T.Optional(text('The name of the role; returned as sent.', { maxLength: 200 })),
    }),
    { description: 'The roles to include.', maxItems: 250 },
  ),
);

const access = communityReader('communityId', 'community:analytics');

export const analytics = resource('analytics', 'Statistics about a community’s members and roles.', [
  op(
    'POST /analytics/{communityId}/role-distribution',
    {
      id: 'getRolesPie',
      sdk: 'AnalyticsController.getRolesPie',
      summary: 'Count the holders of roles',
      description:
        'Returns a row for each role that was sent: id, name and color as sent; count, how many members held it at the end of the span; added and removed, how often it was given and taken by this server within the span.',
      access,
      params,
      body: roles,
      returns: listOf(OpenObject, 'One row for each role, in the order they were sent.'),
    },
    getRolesPie,
  ),
  op(
    'POST /analytics/{communityId}/roles-added',
    {
      id: 'getRolesAdded',
      sdk: 'AnalyticsController.getRolesAdded',
      summary: 'Count roles given per day',
      description:
        'Returns a row for each day and role: date (UTC, YYYY-MM-DD), id, name and color as sent, and count, how often this server gave the role on that day. Days without any are left out.',
      access,
      params,
      body: roles,
      returns: listOf(OpenObject, 'The rows, the oldest day first.'),
    },
    getRolesAdded,
  ),
  op(
    'GET /analytics/{communityId}/user-interactions',
    {
      id: 'getUserInteractions',
      sdk: 'AnalyticsController.getLetsGo',
      summary: 'Count members’ activity',
      description:
        'Returns a row for each day and kind: date (UTC, YYYY-MM-DD), kind (message, command, button, join or leave) and count. Individual members are not recorded. Days without activity are left out.',
      access,
      params,
      returns: listOf(OpenObject, 'The rows, the oldest day first.'),
    },
    getUserInteractions,
  ),
  op(
    'GET /analytics/{communityId}/wallet-connections',
    {
      id: 'getWalletConnectionsAnalytics',
      sdk: 'AnalyticsController.getWalletConnections',
      summary: 'Count the wallets that members linked',
      description:
        'Returns a row for each day and chain family: date (UTC, YYYY-MM-DD), namespace (evm, solana …), count, how many wallets present members linked on that day, and total, how many they had linked by then. Days without any are left out.',
      access,
      params,
      returns: listOf(OpenObject, 'The rows, the oldest day first.'),
    },
    getWalletConnections,
  ),
]);

type AnalyticsContext = Pick<Context, 'actor' | 'clock' | 'db'>;
type RangeRequest = { communityId: string; range?: string | undefined };

/** A role as the caller displays it; only its id is looked up. */
interface ShownRole {
  id?: string | undefined;
  name?: string | undefined;
  color?: number | undefined;
}

type Row = Record<string, unknown>;

/** Returns how many members have each role at the end of a time range, and how many got and lost it within. */
export async function getRolesPie(
  ctx: AnalyticsContext,
  { body, ...request }: RangeRequest & { body: readonly ShownRole[] },
): Promise<Row[]> {
  const { id, span } = await open(ctx, request);
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
    // Counts back from today's holders to the end of the range, using the ledger's changes since.
    const count = Math.max(0, of(holders) - of(givenSince) + of(takenSince));
    return { ...role, count, added: of(given), removed: of(taken) };
  });
}

/** Returns how often each role was granted, by day. */
export async function getRolesAdded(
  ctx: AnalyticsContext,
  { body, ...request }: RangeRequest & { body: readonly ShownRole[] },
): Promise<Row[]> {
  const { id, span } = await open(ctx, request);
  const roles = new Map(withIds(body).map((role) => [role.id, role]));
  const days = await countGrantsByDay(ctx.db.system, id, [...roles.keys()], span);
  return days.map(({ date, roleId, count }) => ({ date, ...roles.get(roleId), count }));
}

/** Returns how often members used the community, by day and kind. */
export async function getUserInteractions(ctx: AnalyticsContext, request: RangeRequest): Promise<Row[]> {
  const { id, span } = await open(ctx, request);
  return (await countInteractionsByDay(ctx.db.system, id, span)).map((row) => ({ ...row }));
}

/** Returns how many wallets members linked, by day, and the running total including those from before the range. */
export async function getWalletConnections(ctx: AnalyticsContext, request: RangeRequest): Promise<Row[]> {
  const { id, span } = await open(ctx, request);
  const before = span.from === undefined ? [] : await countConnectionsByDay(ctx.db.system, id, { to: span.from });
  let total = before.reduce((sum, { count }) => sum + count, 0);
  return (await countConnectionsByDay(ctx.db.system, id, span)).map((row) => {
    total += row.count;
    return { ...row, total };
  });
}

async function open(ctx: AnalyticsContext, { communityId, range }: RangeRequest): Promise<{ id: string; span: Span }> {
  const span = spanOf(range, ctx.clock());
  const { id } = await getReadableCommunity(ctx, communityId);
  return { id, span };
}

// A role listed twice would be drawn twice.
function withIds(roles: readonly ShownRole[]): (ShownRole & { id: string })[] {
  const known = roles.flatMap((role) => (role.id === undefined ? [] : [[role.id, { ...role, id: role.id }] as const]));
  return [...new Map(known).values()];
}
