import { type Enqueueable, enqueue, type Sql } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';

/** Finds what admins have not been told of. The work itself is that of the feature that tells them. */
export const findNotices: Enqueueable<Record<string, never>> = {
  name: 'admin-notices.find',
  payload: shape(T.Record(T.String(), T.Never())),
};

/** Has admins told soon, once this transaction is through; without it they are told within a minute. */
export async function notifyAdminsSoon(tx: Sql): Promise<void> {
  await enqueue(tx, findNotices, {}, { uniqueKey: 'all' });
}
