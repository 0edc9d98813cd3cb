import type { Tx } from '@latchkey/db';

/** What a payer is mailed about. */
export type NoticeKind = 'payment-failed' | 'cancellation' | 'dispute';

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_notices: { subscription_id: string; kind: NoticeKind; about: string; noted_at: Date };
  }
}

/** False when the payer was told before. */
export async function insertNotice(
  tx: Tx,
  { subscriptionId, kind, about, now }: { subscriptionId: string; kind: NoticeKind; about: string; now: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('payment_notices')
    .values({ subscription_id: subscriptionId, kind, about, noted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
