import type { Sql } from '@latchkey/db';

/** The result of the last member list of a community. */
export interface MemberListRow {
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
