import { sql } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

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
