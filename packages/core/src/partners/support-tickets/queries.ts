import { asJson, type Sql, sql, type Tx } from '@latchkey/db';
import type { DeskQuery } from '../../ports/index.ts';
import type { Erasure } from '../../shared/module.ts';

/** The fields of a ticket that have no effect here. */
interface TicketContent {
  subject: string;
  description: string;
  type?: string | undefined;
  tags?: readonly string[] | undefined;
  cc_emails?: readonly string[] | undefined;
  group_id?: number | undefined;
  product_id?: number | undefined;
  parent_id?: number | undefined;
  custom_fields?: Record<string, unknown> | undefined;
}

export interface TicketRow {
  desk: 'own' | 'freshdesk';
  id: number;
  created_by_id: string;
  community_id: string;
  email: string;
  requester_id: number | null;
  content: TicketContent | null;
  status: number | null;
  priority: number | null;
  responder_id: number | null;
  is_spam: boolean;
  is_deleted: boolean;
  due_by: Date | null;
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    support_requesters: { id: number; email: string };
    support_tickets: TicketRow;
  }
}

/** Makes other tickets of this user wait, so that two concurrent ones cannot both be the last one allowed. */
export async function lockCreator(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`support-tickets:${userId}`}, 0))`.execute(tx);
}

export async function countSince(db: Sql, userId: string, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('support_tickets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_by_id', '=', userId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the id of the requester with this address. */
export async function requesterOf(tx: Tx, email: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into support_requesters (email) values (${email})
    on conflict (email) do update set email = excluded.email returning id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('The requester was not saved.');
  return row.id;
}

export async function nextTicketId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval('support_ticket_ids') as id`.execute(tx);
  return rows[0]?.id ?? 0;
}

export async function insertTicket(db: Sql, row: TicketRow): Promise<void> {
  const content = row.content === null ? null : asJson(row.content);
  await db
    .insertInto('support_tickets')
    .values({ ...row, content })
    .execute();
}

export function selectTicket(db: Sql, id: number): Promise<TicketRow | undefined> {
  return db.selectFrom('support_tickets').selectAll().where('desk', '=', 'own').where('id', '=', id).executeTakeFirst();
}

/** Lists the external desk's tickets that the tenant opened, and from which addresses. */
export function selectOutside(tx: Tx): Promise<Pick<TicketRow, 'id' | 'email'>[]> {
  return tx.selectFrom('support_tickets').select(['id', 'email']).where('desk', '=', 'freshdesk').execute();
}

const columns = { created_at: 'created_at', due_by: 'due_by', updated_at: 'updated_at', status: 'status' } as const;

const open = 2;

/** Lists this server's own tickets that the tenant may see, as Freshdesk would. */
export function selectOwn(
  tx: Tx,
  query: Omit<DeskQuery, 'updatedSince'>,
  since: { column: 'created_at' | 'updated_at'; at: Date },
  limit: number,
): Promise<TicketRow[]> {
  const { filter, requesterId, email, orderBy = 'created_at', orderType = 'desc' } = query;
  const order = columns[orderBy as keyof typeof columns] ?? 'created_at';
  const direction = orderType === 'asc' ? 'asc' : 'desc';
  return tx
    .selectFrom('support_tickets')
    .selectAll()
    .where('desk', '=', 'own')
    .where('is_deleted', '=', filter === 'deleted')
    .where(since.column, '>=', since.at)
    .$if(filter !== 'deleted', (q) => q.where('is_spam', '=', filter === 'spam'))
    .$if(filter === 'new_and_my_open', (q) => q.where('status', '=', open).where('responder_id', 'is', null))
    .$if(requesterId !== undefined, (q) => q.where('requester_id', '=', requesterId ?? 0))
    .$if(email !== undefined, (q) => q.where('email', '=', (email ?? '').toLowerCase()))
    .orderBy(order, direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute();
}

/** Returns false if the ticket does not exist. */
export async function updateTicket(
  db: Sql,
  id: number,
  change: Partial<Pick<TicketRow, 'status' | 'is_spam' | 'is_deleted'>>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('support_tickets')
    .set({ ...change, updated_at: now })
    .where('desk', '=', 'own')
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export type TicketFolder = 'open' | 'done' | 'spam' | 'deleted';

/** Lists this server's own tickets before `beforeId`, newest first. */
export function selectFolder(
  db: Sql,
  folder: TicketFolder,
  beforeId: number | undefined,
  limit: number,
): Promise<TicketRow[]> {
  return db
    .selectFrom('support_tickets')
    .selectAll()
    .where('desk', '=', 'own')
    .where('is_deleted', '=', folder === 'deleted')
    .$if(folder !== 'deleted', (query) => query.where('is_spam', '=', folder === 'spam'))
    .$if(folder === 'open', (query) => query.where('status', '<', 4))
    .$if(folder === 'done', (query) => query.where('status', '>=', 4))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Deletes the tickets that a user opened, with their e-mail addresses. Tickets at an external desk must be deleted
 * there.
 */
export const supportTicketsErasure: Erasure = {
  columns: ['support_requesters.email', 'support_tickets.created_by_id', 'support_tickets.email'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('support_tickets').where('created_by_id', '=', userId).execute();
    await sql`
      delete from support_requesters r
      where not exists (select from support_tickets t where t.requester_id = r.id)`.execute(tx);
  },
};
