import { type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import { selectByPlatformId } from '../../communities/community-records/index.ts';

/** The lists of members that Reddit has. */
export const memberLists = ['flair', 'approved'] as const;
export type MemberList = (typeof memberLists)[number];

export interface Flair {
  roleId: string;
  text: string;
}

export interface DevvitAppRow {
  community_id: string;
  secret: Sealed;
  signing_key: Sealed;
  paired_by: string | null;
  paired_at: Date;
  subreddit_id: string | null;
  sequence: number;
  last_sent_ms: number;
  last_call_at: Date | null;
  flairs: Flair[] | null;
  round: string | null;
  open_lists: MemberList[];
  listed_at: Date | null;
}

interface DevvitMemberRow {
  community_id: string;
  member_key: string;
  list: MemberList;
  user_name: string;
  role_id: string;
  round: string | null;
}

/** Why the app did not apply a change. */
export type NotApplied = { kind: 'gone' } | { kind: 'refused'; roleId?: string | undefined } | { kind: 'failed' };

export interface DevvitOrderRow {
  community_id: string;
  member_key: string;
  id: string;
  user_name: string;
  add: string[];
  remove: string[];
  ordered_at: Date;
  sent_at: Date | null;
  outcome: NotApplied | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    devvit_apps: DevvitAppRow;
    devvit_members: DevvitMemberRow;
    devvit_orders: DevvitOrderRow;
  }
}

export const keyOf = (userName: string): string => userName.toLowerCase();

/** Pairs an app. Whatever an earlier one reported is forgotten with its secret. */
export async function putApp(
  tx: Tx,
  row: Pick<DevvitAppRow, 'community_id' | 'secret' | 'signing_key' | 'paired_by' | 'paired_at'>,
): Promise<void> {
  await deleteApp(tx, row.community_id);
  await sql`
    insert into devvit_apps (community_id, secret, signing_key, paired_by, paired_at)
    values (${row.community_id}, ${row.secret}, ${row.signing_key}, ${row.paired_by}, ${row.paired_at})`.execute(tx);
}

export async function deleteApp(db: Sql, communityId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('devvit_apps')
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function selectApp(db: Sql, communityId: string): Promise<DevvitAppRow | undefined> {
  return db.selectFrom('devvit_apps').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

/** Calls of one app are processed one after the other. */
export function lockApp(tx: Tx, communityId: string): Promise<DevvitAppRow | undefined> {
  return tx
    .selectFrom('devvit_apps')
    .selectAll()
    .where('community_id', '=', communityId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function setApp(tx: Tx, app: DevvitAppRow): Promise<void> {
  const { community_id, flairs, sequence, last_sent_ms, last_call_at, subreddit_id, round, open_lists, listed_at } =
    app;
  await tx
    .updateTable('devvit_apps')
    .set({
      sequence,
      last_sent_ms,
      last_call_at,
      subreddit_id,
      round,
      open_lists,
      listed_at,
      flairs: sql`${flairs === null ? null : JSON.stringify(flairs)}::jsonb`,
    })
    .where('community_id', '=', community_id)
    .execute();
}

/** The app of a subreddit, by the subreddit's name. */
export async function selectAppOf(db: Sql, subreddit: string): Promise<DevvitAppRow | undefined> {
  const community = await selectByPlatformId(db, 'reddit', subreddit);
  return community && selectApp(db, community.id);
}

export interface ListedMember {
  name: string;
  roleId: string;
}

/** Stores a page of a list. */
export async function putMembers(
  tx: Tx,
  { community_id, round }: Pick<DevvitAppRow, 'community_id' | 'round'>,
  list: MemberList,
  members: readonly ListedMember[],
): Promise<void> {
  const rows = [...new Map(members.map((member) => [keyOf(member.name), member]))].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  await sql`
    insert into devvit_members (community_id, member_key, list, user_name, role_id, round)
    select ${community_id}, m.key, ${list}, m.name, m.role_id, ${round}
    from jsonb_to_recordset(${JSON.stringify(rows.map(([key, { name, roleId }]) => ({ key, name, role_id: roleId })))}::jsonb)
      as m (key text, name text, role_id text)
    on conflict (community_id, member_key, list) do update
      set user_name = excluded.user_name, role_id = excluded.role_id, round = excluded.round`.execute(tx);
}

/** Removes those that a list that is complete now did not show. */
export async function endList(
  tx: Tx,
  { community_id, round }: Pick<DevvitAppRow, 'community_id' | 'round'>,
  list: MemberList,
): Promise<void> {
  await sql`
    delete from devvit_members where community_id = ${community_id} and list = ${list}
      and round is distinct from ${round}`.execute(tx);
}

export async function deleteMember(tx: Tx, communityId: string, name: string, list: MemberList): Promise<void> {
  await tx
    .deleteFrom('devvit_members')
    .where('community_id', '=', communityId)
    .where('member_key', '=', keyOf(name))
    .where('list', '=', list)
    .execute();
}

export interface StoredMember {
  memberKey: string;
  userName: string;
  roleIds: string[];
}

/** Members in the order of their names, after one of them. */
export async function selectMembers(
  db: Sql,
  communityId: string,
  { after, limit }: { after: string; limit: number },
): Promise<StoredMember[]> {
  const { rows } = await sql<StoredMember>`
    select member_key as "memberKey", max(user_name) as "userName", array_agg(role_id order by list desc) as "roleIds"
    from devvit_members where community_id = ${communityId} and member_key > ${after}
    group by member_key order by member_key limit ${limit}`.execute(db);
  return rows;
}

export async function selectRolesOf(db: Sql, communityId: string, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('devvit_members')
    .select('role_id')
    .where('community_id', '=', communityId)
    .where('member_key', '=', keyOf(name))
    .orderBy('list', 'desc')
    .execute();
  return rows.map(({ role_id }) => role_id);
}

export function lockOrder(tx: Tx, communityId: string, name: string): Promise<DevvitOrderRow | undefined> {
  return tx
    .selectFrom('devvit_orders')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('member_key', '=', keyOf(name))
    .forUpdate()
    .executeTakeFirst();
}

/** There is one order for each member: a newer one replaces an older one. */
export async function putOrder(tx: Tx, row: DevvitOrderRow): Promise<void> {
  const { community_id: _, member_key: __, ...changes } = row;
  await tx
    .insertInto('devvit_orders')
    .values(row)
    .onConflict((conflict) => conflict.columns(['community_id', 'member_key']).doUpdateSet(changes))
    .execute();
}

/** The orders that wait for the app, the oldest first. */
export function selectOrders(db: Sql, communityId: string, limit: number): Promise<DevvitOrderRow[]> {
  return db
    .selectFrom('devvit_orders')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('outcome', 'is', null)
    .orderBy('ordered_at')
    .orderBy('member_key')
    .limit(limit)
    .execute();
}

export async function countOrders(db: Sql, communityId: string): Promise<number> {
  const row = await db
    .selectFrom('devvit_orders')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('community_id', '=', communityId)
    .where('outcome', 'is', null)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function markSent(tx: Tx, communityId: string, ids: readonly string[], now: Date): Promise<void> {
  await tx
    .updateTable('devvit_orders')
    .set({ sent_at: now })
    .where('community_id', '=', communityId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .execute();
}

/** Ends orders, and returns the names of their members. */
export async function deleteOrders(tx: Tx, communityId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('devvit_orders')
    .where('community_id', '=', communityId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .returning('user_name')
    .execute();
  return rows.map(({ user_name }) => user_name);
}

/** Keeps why an order was not applied. Returns the name of its member, unless a newer order replaced it. */
export async function endOrder(
  tx: Tx,
  communityId: string,
  id: string,
  outcome: NotApplied,
): Promise<string | undefined> {
  const row = await tx
    .updateTable('devvit_orders')
    .set({ outcome: sql`${JSON.stringify(outcome)}::jsonb` })
    .where('community_id', '=', communityId)
    .where('id', '=', id)
    .returning('user_name')
    .executeTakeFirst();
  return row?.user_name;
}

/** Deletes what the apps reported about a person, and the name of the admin who paired one. */
export async function forgetInDevvit(tx: Tx, userId: string, userName: string | undefined): Promise<void> {
  await tx.updateTable('devvit_apps').set({ paired_by: null }).where('paired_by', '=', userId).execute();
  if (userName === undefined) return;
  await tx.deleteFrom('devvit_members').where('member_key', '=', keyOf(userName)).execute();
  await tx.deleteFrom('devvit_orders').where('member_key', '=', keyOf(userName)).execute();
}
