import { type Enqueueable, enqueue, type Sql } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';

/** Finds what admins have not been notified of yet. The job is implemented in the module `admin-notices`. */
export const findNotices: Enqueueable<Record<string, never>> = {
  name: 'admin-notices.find',
  payload: shape(T.Record(T.String(), T.Never())),
};

/** Notifies admins once this transaction is committed; without it they are notified within a minute. */
export async function notifyAdminsSoon(tx: Sql): Promise<void> {
  await enqueue(tx, findNotices, {}, { uniqueKey: 'all' });
}
