import { type Sql, sql, type Tx } from '@latchkey/db';
import {
  countCountedByDay,
  countsIn,
  hasOtherLinks,
  type LinkedWallet,
  selectCoHolders,
  selectCountedWallets,
  selectOtherLinks,
  type WalletRef,
  type WalletRow,
  walletCountsFor,
} from '../../identity/wallets/index.ts';
import { presentIn } from './queries.ts';

// Within a community a wallet counts for one member. Which one depends on who is a member, so these queries live here.

/** A wallet and the user it should count for: in one community, or, without one, in all of the user's communities. */
interface Claim extends WalletRef {
  user_id: string;
  community_id?: string | null;
}

/** Matches links that make the wallet count for another user where it should count for the claiming one. */
function competesWith({ user_id, community_id }: Claim) {
  return (link: string) => {
    const counts = (communityId: ReturnType<typeof sql>) => sql`
      t.user_id = ${sql.ref(`${link}.user_id`)} and t.left_at is null and not t.is_bot and ${countsIn(link, communityId)}`;
    if (community_id)
      return sql<boolean>`exists (
        select from community_members t where t.community_id = ${community_id} and ${counts(sql`${community_id}`)})`;
    return sql<boolean>`exists (
      select from community_members t join community_members m on m.community_id = t.community_id
      where ${counts(sql.ref('t.community_id'))} and m.user_id = ${user_id} and m.left_at is null and not m.is_bot)`;
  };
}

/** Whether the wallet counts for another user where it should count for this one. */
export function isHeldByRival(tx: Tx, claim: Claim): Promise<boolean> {
  return hasOtherLinks(tx, claim, claim.user_id, competesWith(claim));
}

/** The links of other users that prevent the wallet from counting for this one. */
export function selectRivals(tx: Tx, claim: Claim): Promise<WalletRow[]> {
  return selectOtherLinks(tx, claim, claim.user_id, competesWith(claim));
}

/** Members of a community who also linked one of the user's wallets, or the wallet at one of these addresses. */
export function selectCoHoldersIn(
  db: Sql,
  communityId: string,
  userId: string,
  addresses?: readonly string[],
): Promise<string[]> {
  return selectCoHolders(db, userId, addresses, presentIn(communityId));
}

/**
 * The wallets of users that count in a community: those connected to it, and those connected everywhere and not
 * disconnected there. A wallet that several members linked before they met there counts for the one who linked it
 * first, unless the operator allows shared wallets.
 */
export function walletsInCommunity(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
  { allowSharedWallets = false }: { allowSharedWallets?: boolean | undefined },
): Promise<Map<string, LinkedWallet[]>> {
  const place = { communityId, members: presentIn(communityId), allowShared: allowSharedWallets };
  return selectCountedWallets(db, place, userIds);
}

/** How many members of a community have a wallet that counts there. */
export async function countMembersWithWallets(db: Sql, communityId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from community_members m
    where m.community_id = ${communityId} and m.left_at is null and not m.is_bot
      and ${walletCountsFor(sql.ref('m.user_id'), sql`${communityId}`)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** How many of the members' wallets started to count in a community on each UTC day of a time range, by namespace. */
export function countConnectionsByDay(
  db: Sql,
  communityId: string,
  span: { from?: Date | null | undefined; to?: Date | null | undefined },
): Promise<{ date: string; namespace: string; count: number }[]> {
  return countCountedByDay(db, communityId, presentIn(communityId), span);
}

/** The result of the last member list of a community. */
interface MemberListRow {
  community_id: string;
  listed_at: Date;
  /** How many members it contained. */
  listed: number;
  is_complete: boolean;
  /** Why it is not complete, if the platform's host knows. */
  reason: string | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    member_lists: MemberListRow;
  }
}

/** Stores the result of a list, unless a later one is stored already. */
export async function putMemberList(db: Sql, row: MemberListRow): Promise<void> {
  const { community_id: _, ...changes } = row;
  await db
    .insertInto('member_lists')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('community_id').doUpdateSet(changes).where('member_lists.listed_at', '<=', row.listed_at),
    )
    .execute();
}

export function selectMemberList(db: Sql, communityId: string): Promise<MemberListRow | undefined> {
  return db.selectFrom('member_lists').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}
