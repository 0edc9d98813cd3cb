import { sql } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

/** Deletes the webhooks of a user's applications, and every event of theirs. */
export const webhooksErasure: Erasure = {
  columns: [
    'webhook_endpoints.owner_id',
    'events.owner_id',
    'webhook_deliveries.owner_id',
    'webhook_attempts.owner_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('webhook_attempts').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('webhook_deliveries').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('events').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('webhook_endpoints').where('owner_id', '=', userId).execute();
  },
};

/**
 * Deletes events of other owners that mention a user, such as a role that was granted. Delivered events cannot be
 * recalled.
 */
export const eventsErasure: Erasure = {
  columns: ['events.body'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    // As a JSON string: a longer id that starts with this one belongs to another user.
    await sql`delete from events where strpos(body, ${JSON.stringify(userId)}) > 0`.execute(tx);
  },
};
