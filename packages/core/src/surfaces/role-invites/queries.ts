import { asJson, type Hashed, type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { RoleChange } from '../../gating/role-changes/index.ts';
import { selectCoHolders } from '../../identity/wallets/index.ts';

export interface SettingsRow {
  community_id: string;
  channel_id: string;
  turned_on_at: Date;
  turned_on_by: string | null;
}

/** A role that an invite gives, and why. */
export type InviteGrant = Pick<RoleChange, 'roleId' | 'reason' | 'blocks'>;

type InviteState = 'creating' | 'lost' | 'live' | 'revoking' | 'used' | 'ended';

export interface InviteRow {
  id: string;
  community_id: string;
  guild_id: string;
  channel_id: string;
  user_id: string | null;
  grants: InviteGrant[];
  state: InviteState;
  code: Sealed | null;
  code_hash: Hashed | null;
  created_at: Date;
  expires_at: Date;
  ready_at: Date | null;
  due_at: Date | null;
  tries: number;
  why: string | null;
  problem: string | null;
  ended_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    role_invite_settings: SettingsRow;
    role_invites: InviteRow;
  }
}

export function selectSettings(db: Sql, communityId: string): Promise<SettingsRow | undefined> {
  return db.selectFrom('role_invite_settings').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

export async function putSettings(tx: Tx, row: SettingsRow): Promise<void> {
  const { community_id: _, ...changes } = row;
  await tx
    .insertInto('role_invite_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(changes))
    .execute();
}

export async function deleteSettings(tx: Tx, communityId: string): Promise<void> {
  await tx.deleteFrom('role_invite_settings').where('community_id', '=', communityId).execute();
}

/** Lets no other transaction create an invite into this community until this one ends. */
export async function lockInvites(tx: Tx, communityId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`role-invites:${communityId}`}, 0))`.execute(tx);
}

export async function insertInvite(tx: Tx, row: InviteRow): Promise<void> {
  await tx
    .insertInto('role_invites')
    .values({ ...row, grants: asJson(row.grants) })
    .execute();
}

export function selectInvite(db: Sql, id: string): Promise<InviteRow | undefined> {
  return db.selectFrom('role_invites').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The invite of a person that is being created or can be used. */
export function selectOpenInvite(db: Sql, communityId: string, userId: string): Promise<InviteRow | undefined> {
  return db
    .selectFrom('role_invites')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where('state', 'in', ['creating', 'live'])
    .executeTakeFirst();
}

/** Whether a person may have come in by an invite. */
export async function hasUsableInvite(db: Sql, communityId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('role_invites')
    .select('id')
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where('state', 'in', ['live', 'revoking'])
    .executeTakeFirst();
  return row !== undefined;
}

/** The invites by which a person may have come in, the latest first. */
export function selectUsable(db: Sql, communityId: string, userId: string): Promise<InviteRow[]> {
  return db
    .selectFrom('role_invites')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where('state', 'in', ['live', 'revoking'])
    .orderBy('created_at', 'desc')
    .forUpdate()
    .execute();
}

/** Changes an invite that is still in one of these states. False if it no longer is. */
export async function moveInvite(
  db: Sql,
  id: string,
  from: readonly InviteState[],
  changes: Partial<Omit<InviteRow, 'id' | 'grants'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('role_invites')
    .set(changes)
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Has everything that can be used in a community revoked. */
export async function revokeAll(tx: Tx, communityId: string, why: string, now: Date): Promise<void> {
  await tx
    .updateTable('role_invites')
    .set({ state: 'revoking', why, due_at: now, tries: 0 })
    .where('community_id', '=', communityId)
    .where('state', '=', 'live')
    .execute();
}

/** Claims invites that are due for a check, and postpones the next one. */
export async function claimDue(db: Sql, now: Date, until: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update role_invites set due_at = ${until} where id in (
      select id from role_invites where due_at <= ${now} order by due_at limit ${limit} for update skip locked
    ) returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The codes, as hashes, by which our invites into a server are known. */
export async function selectOwnCodes(db: Sql, guildId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('role_invites')
    .select('code_hash')
    .where('guild_id', '=', guildId)
    .where('state', 'in', ['live', 'revoking'])
    .where('code_hash', 'is not', null)
    .execute();
  return new Set(rows.flatMap(({ code_hash }) => code_hash ?? []));
}

/** Since when the oldest invite into a server is being created. */
export async function selectCreatingSince(db: Sql, guildId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('role_invites')
    .select((eb) => eb.fn.min('created_at').as('since'))
    .where('guild_id', '=', guildId)
    .where('state', '=', 'creating')
    .executeTakeFirst();
  return row?.since ?? undefined;
}

/** Whether another person, who linked one of this person's wallets too, has an invite into the community. */
export async function hasRivalInvite(db: Sql, communityId: string, userId: string): Promise<boolean> {
  const invited = sql<{ user_id: string }>`
    select user_id from role_invites
    where community_id = ${communityId} and state in ('creating', 'live', 'revoking') and user_id is not null`;
  return (await selectCoHolders(db, userId, undefined, invited)).length > 0;
}

interface InviteCounts {
  open: number;
  used: number;
  /** Why invites could not be revoked so far. */
  problems: string[];
}

export async function countInvites(db: Sql, communityId: string): Promise<InviteCounts> {
  const { rows } = await sql<InviteCounts>`
    select count(*) filter (where state = 'live')::int as open, count(*) filter (where state = 'used')::int as used,
      coalesce(array_agg(distinct problem) filter (where state = 'revoking' and problem is not null), '{}') as problems
    from role_invites where community_id = ${communityId}`.execute(db);
  return rows[0] ?? { open: 0, used: 0, problems: [] };
}

const keptSeconds = 90 * 24 * 3600;

export async function deleteOldInvites(db: Sql, now: Date, limit: number): Promise<number> {
  const old = sql`select ctid from role_invites where ended_at < ${addSeconds(now, -keptSeconds)} limit ${limit}`;
  const { numAffectedRows = 0n } = await sql`delete from role_invites where ctid = any(array(${old}))`.execute(db);
  return Number(numAffectedRows);
}

/** Has what the person could still use revoked, and removes their id. */
export async function forgetInInvites(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('role_invites')
    .set({ state: 'revoking', why: 'erased', due_at: now, tries: 0 })
    .where('user_id', '=', userId)
    .where('state', '=', 'live')
    .execute();
  await tx.updateTable('role_invites').set({ user_id: null }).where('user_id', '=', userId).execute();
  await tx.updateTable('role_invite_settings').set({ turned_on_by: null }).where('turned_on_by', '=', userId).execute();
}
