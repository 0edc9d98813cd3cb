import { asJson, type Sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

export type NoticeKind =
  | 'held-change-set'
  | 'held-growth'
  | 'blocked-role'
  | 'broken-setup'
  | 'large-change'
  | 'rule-health'
  | 'manual-changes'
  | 'back-doors'
  | 'gate-bypass';

/** Something that a community's admins are notified of, once. */
export interface NoticeRow {
  id: string;
  community_id: string;
  kind: NoticeKind;
  /** A change set, a change set and how often it doubled, a role, `*` for every role, a setup problem, a cause that prevents rules from being decided, the check that found back doors, or a way around the gate. */
  about: string;
  details: NoticeDetails;
  noted_at: Date;
  gone_at: Date | null;
  closed_at: Date | null;
}

export interface NoticeDetails {
  /** What to do about a blocked role. */
  advice?: string;
  /** Setup problems, each with what to do. */
  problems?: readonly string[];
  /** How many changes of a held change set waited when it was noted, and for one that grew, when admins were last notified. */
  waiting?: number;
  before?: number;
  /** What a large change wrote in the end, and when that was recorded; absent while it is being written. */
  written?: { grants: number; revokes: number };
  finalAt?: string;
}

/** Where a notice was sent. */
export interface NoticeMessageRow {
  notice_id: string;
  recipient: string;
  message_id: string | null;
  sent_at: Date;
  closed_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    admin_notices: NoticeRow;
    admin_notice_messages: NoticeMessageRow;
    setup_checks: { community_id: string; checked_at: Date };
  }
}

type NewNotice = Pick<NoticeRow, 'id' | 'community_id' | 'kind' | 'about' | 'details' | 'noted_at'>;

/** Returns false if it was already recorded. */
export async function insertNotice(tx: Tx, { details, ...notice }: NewNotice): Promise<boolean> {
  const json = asJson(details);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('admin_notices')
    .values({ ...notice, details: json, gone_at: null, closed_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export function selectNotice(db: Sql, id: string): Promise<NoticeRow | undefined> {
  return db.selectFrom('admin_notices').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Stores the final numbers of a large change, and returns the id of its notice. */
export async function finishNotice(
  tx: Tx,
  communityId: string,
  about: string,
  details: NoticeDetails,
  now: Date,
): Promise<string | undefined> {
  const row = await tx
    .updateTable('admin_notices')
    .set({ details: asJson({ ...details, finalAt: now.toISOString() }) })
    .where('community_id', '=', communityId)
    .where('kind', '=', 'large-change')
    .where('about', '=', about)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Returns false if it is already closed. */
export async function closeNotice(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('admin_notices')
    .set({ closed_at: now })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function selectMessages(db: Sql, noticeId: string): Promise<NoticeMessageRow[]> {
  return db
    .selectFrom('admin_notice_messages')
    .selectAll()
    .where('notice_id', '=', noticeId)
    .orderBy('recipient')
    .execute();
}

export async function insertMessage(db: Sql, message: Omit<NoticeMessageRow, 'closed_at'>): Promise<void> {
  await db
    .insertInto('admin_notice_messages')
    .values({ ...message, closed_at: null })
    .onConflict((conflict) => conflict.columns(['notice_id', 'recipient']).doUpdateSet(message))
    .execute();
}

export async function closeMessage(db: Sql, noticeId: string, recipient: string, now: Date): Promise<void> {
  await db
    .updateTable('admin_notice_messages')
    .set({ closed_at: now })
    .where('notice_id', '=', noticeId)
    .where('recipient', '=', recipient)
    .execute();
}

/** Deletes old notices that are no longer needed. Returns how many. */
export async function deleteOld(db: Sql, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('admin_notices')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('admin_notices')
        .select('id')
        .where('noted_at', '<', before)
        .where((or) => or.or([or('closed_at', 'is not', null), or('kind', '=', 'large-change')]))
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes which messages a person got as an admin. The messages themselves stay on the platform. */
export const adminNoticesErasure: Erasure = {
  columns: ['admin_notice_messages.recipient'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('admin_notice_messages').where('recipient', '=', userId).execute();
  },
};
