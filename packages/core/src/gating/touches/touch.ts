import { type Enqueueable, enqueue, type Sql, sql } from '@latchkey/db';
import { shape, T, text } from '@latchkey/kernel';

/** Why members are looked at. */
export type TouchCause = 'asked' | 'schedule' | 'wallet' | 'chain' | 'rule' | 'joined';

export interface Touch {
  /** The qualified id: `DIS#COMM#…`. */
  communityId: string;
  /** Qualified ids, or every member. */
  members: readonly string[] | '*';
  cause: TouchCause;
  /** The roles whose rules changed; absent with a change of rules means every role. */
  roleIds?: readonly string[];
  /** Not before then. */
  dueAt?: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    role_touches: {
      community_id: string;
      user_id: string;
      cause: TouchCause;
      is_asked: boolean;
      role_ids: string[];
      attempts: number;
      due_at: Date | null;
      version: number;
      /** Since when it is due. */
      since: Date;
    };
  }
}

/** Stands for every member of a community. */
export const everyMember = '*';

/** Looks at the touched members of one community. The work itself is the gating feature's. */
export const checkCommunity: Enqueueable<{ communityId: string }> = {
  name: 'gating.check',
  payload: shape(T.Object({ communityId: text('The qualified id of the community.', { maxLength: 128 }) })),
};

/**
 * Notes that the roles of these members must be looked at, in the transaction of the change that is the cause. Many
 * touches of one member before the look are one: a look that starts later sees every change.
 */
export async function touch(tx: Sql, { communityId, members, cause, roleIds = [], dueAt }: Touch): Promise<void> {
  const userIds = members === '*' ? [everyMember] : [...new Set(members)];
  if (userIds.length === 0) return;
  // In one order, so that two lists cannot wait for each other.
  await sql`
    insert into role_touches (community_id, user_id, cause, is_asked, role_ids, due_at, since)
    select c.id, user_id, ${cause}, ${cause === 'asked'}, ${[...roleIds]}::text[], ${dueAt ?? null}::timestamptz,
      coalesce(${dueAt ?? null}::timestamptz, now())
    from hold_community(${communityId}) as c (id), unnest(${userIds}::text[]) as u (user_id)
    order by user_id collate "C"
    on conflict (community_id, user_id) do update set
      cause = excluded.cause,
      is_asked = role_touches.is_asked or excluded.is_asked,
      role_ids = array(select distinct unnest(role_touches.role_ids || excluded.role_ids)),
      attempts = 0,
      since = least(role_touches.since, excluded.since),
      due_at = case
        when role_touches.due_at is null or excluded.due_at is null then null
        else least(role_touches.due_at, excluded.due_at)
      end,
      version = nextval('role_touch_versions')`.execute(tx);
  if (dueAt === undefined) await enqueue(tx, checkCommunity, { communityId }, { uniqueKey: communityId });
}
