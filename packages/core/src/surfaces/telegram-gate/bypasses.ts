import { hash } from 'node:crypto';
import { type Enqueueable, enqueue, type Sql, sql } from '@latchkey/db';
import { addSeconds, type PlatformName, shape, T } from '@latchkey/kernel';
import type { Generated } from 'kysely';
import type { ChatJoinWay, ChatPerson, TelegramJoinWay, TelegramPerson } from '../../ports/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import { notifyAdminsSoon } from '../../shared/find-notices.ts';
import { nativeUserId, userKey } from '../../shared/qualified-ids.ts';

export type BypassKind = 'link' | 'shared-invitation' | 'folder' | 'added' | 'public' | 'other-room';

interface BypassRow {
  community_id: string;
  user_id: string;
  user_name: string;
  joined_at: Date;
  way_id: string;
  kind: BypassKind;
  link: string | null;
  link_name: string | null;
  by_id: string | null;
  by_name: string | null;
  is_own: boolean;
  role_id?: string | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    gate_bypasses: BypassRow;
    /** Sums of `gate_bypasses`, kept by its triggers. */
    gate_ways: { community_id: string; way_id: string; joins: number; last_at: Date };
    revoked_ways: { community_id: string; way_id: string; revoked_at: Date; by_bot: Generated<boolean> };
    gate_settings: { community_id: string; revokes_misused: boolean };
  }
}

/** The name of the one-time invite link for a user who qualifies. */
export function invitationName(userId: string): string {
  return `for ${userId}`;
}

/** Classifies a join that nobody approved; undefined if the bot had invited this very user. */
function kindOf({ kind, link }: TelegramJoinWay, user: TelegramPerson): BypassKind | undefined {
  if (kind !== 'link' || link?.isOwn !== true || link.name?.startsWith(invitationName('')) !== true) return kind;
  return link.name === invitationName(user.id) ? undefined : 'shared-invitation';
}

interface Join {
  communityId: string;
  user: TelegramPerson;
  way: TelegramJoinWay;
  at: Date;
}

/** Records a join around the gate. A one-time invitation that another person used is then revoked, if admins chose so. */
export async function recordBypass(db: Sql, { communityId, user, way, at }: Join): Promise<void> {
  const kind = kindOf(way, user);
  if (kind === undefined) return;
  const wayId = wayIdOf(kind, way);
  const byId = way.by === undefined ? null : userKey('telegram', way.by.id);
  await db
    .insertInto('gate_bypasses')
    .values({
      community_id: communityId,
      user_id: userKey('telegram', user.id),
      user_name: user.name,
      joined_at: at,
      way_id: wayId,
      kind,
      link: way.link?.url ?? null,
      link_name: way.link?.name ?? null,
      by_id: byId,
      by_name: way.by?.name ?? null,
      is_own: way.link?.isOwn ?? false,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (kind === 'shared-invitation' && (await revokesMisused(db, communityId)))
    await enqueue(db, revokeMisusedJob, { communityId, wayId }, { uniqueKey: `${communityId}/${wayId}` });
  await notifyAdminsSoon(db);
}

/** The same for all joins by one link, or through one member. */
function wayIdOf(kind: BypassKind, { link, by }: TelegramJoinWay): string {
  const byId = by === undefined ? '' : userKey('telegram', by.id);
  return hash('sha256', [kind, link?.url ?? '', byId].join('\n')).slice(0, 32);
}

/** Revokes the link of such an invitation. The job is in `jobs.ts`. */
export const revokeMisusedJob: Enqueueable<{ communityId: string; wayId: string }> = {
  name: 'telegram-gate.revoke-misused',
  payload: shape(T.Object({ communityId: communityIdField(), wayId: T.String({ minLength: 1, maxLength: 64 }) })),
};

/** Whether admins chose that the bot revokes its one-time invitations that another person used. */
export async function revokesMisused(db: Sql, communityId: string): Promise<boolean> {
  const row = await db
    .selectFrom('gate_settings')
    .select('revokes_misused')
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  return row?.revokes_misused ?? false;
}

export async function setRevokesMisused(db: Sql, communityId: string, revokes: boolean): Promise<void> {
  const values = { community_id: communityId, revokes_misused: revokes };
  await db
    .insertInto('gate_settings')
    .values(values)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet({ revokes_misused: revokes }))
    .execute();
}

export interface Way
  extends Pick<BypassRow, 'way_id' | 'kind' | 'link' | 'link_name' | 'by_id' | 'by_name' | 'is_own'> {
  role_id: string | null;
  joins: number;
  last_at: Date;
  names: string[];
  revoked_at: Date | null;
  /** Whether the bot revoked the link by itself; null while it is not revoked. */
  by_bot: boolean | null;
}

/** Records that someone entered a room that a rule gives, or the community itself, without the bot. */
export async function recordRoomBypass(
  db: Sql,
  join: { communityId: string; platform: PlatformName; user: ChatPerson; roleId: string; way: ChatJoinWay; at: Date },
): Promise<void> {
  const { communityId, platform, user, roleId, way, at } = join;
  const byId = way.by === undefined ? null : userKey(platform, way.by.id);
  await db
    .insertInto('gate_bypasses')
    .values({
      community_id: communityId,
      user_id: userKey(platform, user.id),
      user_name: user.name,
      joined_at: at,
      way_id: hash('sha256', [way.kind, roleId, byId ?? ''].join('\n')).slice(0, 32),
      kind: way.kind,
      link: null,
      link_name: null,
      by_id: byId,
      by_name: way.by?.name ?? null,
      is_own: false,
      role_id: roleId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await notifyAdminsSoon(db);
}

const namesShown = 5;

/**
 * The ways around the gate that members took, the latest first. Reads the sums of each way, and its latest joins by an
 * index: how many joins there are makes no difference.
 */
export async function selectWays(
  db: Sql,
  communityId: string,
  { limit, wayId }: { limit: number; wayId?: string },
): Promise<Way[]> {
  const { rows } = await sql<Way>`
    with listed as (
      select way_id, joins, last_at from gate_ways
      where community_id = ${communityId} and (${wayId ?? null}::text is null or way_id = ${wayId ?? null})
      order by last_at desc, way_id limit ${limit}
    )
    select w.way_id, w.joins, w.last_at, l.kind, l.link, l.link_name, l.by_id, l.by_name, l.is_own,
      l.role_id, n.names, r.revoked_at, r.by_bot
    from listed w
    cross join lateral (
      select * from gate_bypasses b where b.community_id = ${communityId} and b.way_id = w.way_id
      order by b.joined_at desc limit 1
    ) l
    cross join lateral (
      select array_agg(b.user_name order by b.joined_at desc) as names from (
        select user_name, joined_at from gate_bypasses b where b.community_id = ${communityId} and b.way_id = w.way_id
        order by b.joined_at desc limit ${namesShown}
      ) b
    ) n
    left join revoked_ways r on r.community_id = ${communityId} and r.way_id = w.way_id
    order by w.last_at desc, w.way_id`.execute(db);
  return rows;
}

/** Returns false if that was known already. */
export async function markRevoked(
  db: Sql,
  { communityId, wayId, now, byBot }: { communityId: string; wayId: string; now: Date; byBot: boolean },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('revoked_ways')
    .values({ community_id: communityId, way_id: wayId, revoked_at: now, by_bot: byBot })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** The ways around the gate that people took in the last 90 days. */
export const takenWays = sql<{ community_id: string; way_id: string; last_at: Date; is_revoked: boolean }>`
  select w.community_id, w.way_id, w.last_at, r.way_id is not null as is_revoked
  from gate_ways w left join revoked_ways r using (community_id, way_id)`;

const keptSeconds = 90 * 24 * 3600;

export async function deleteOldBypasses(db: Sql, now: Date, limit: number): Promise<number> {
  const old = sql`select ctid from gate_bypasses where joined_at < ${addSeconds(now, -keptSeconds)} limit ${limit}`;
  const { numAffectedRows = 0n } = await sql`delete from gate_bypasses where ctid = any(array(${old}))`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes a person's joins, their name from the links that they created, and their id from those that were made for them. */
export async function forgetInBypasses(db: Sql, userId: string): Promise<void> {
  await db.deleteFrom('gate_bypasses').where('user_id', '=', userId).execute();
  const native = nativeUserId('telegram', userId);
  if (native !== undefined)
    await db
      .updateTable('gate_bypasses')
      .set({ link_name: null })
      .where('link_name', '=', invitationName(native))
      .execute();
  await db.updateTable('gate_bypasses').set({ by_id: null, by_name: null }).where('by_id', '=', userId).execute();
}
