import { enqueue } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import { endSubscription, forgetCustomer } from './subscription-state.ts';

/** Deletes the buyer, and ends active subscriptions. Payments stay in the ledger, which names no one. */
export const paymentsErasure: Erasure = {
  columns: [
    'payment_checkouts.created_by_id',
    'payment_subscriptions.created_by_id',
    'payment_customers.created_by_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx.deleteFrom('payment_checkouts').where('created_by_id', '=', userId).execute();
    // A lock key names the wallet; a card subscription names no one, and continues at the provider until it is ended.
    await tx
      .deleteFrom('payment_subscriptions')
      .where('created_by_id', '=', userId)
      .where('provider', '=', 'unlock')
      .execute();
    const left = await tx
      .updateTable('payment_subscriptions')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .returning(['id', 'is_active'])
      .execute();
    for (const { id, is_active } of left) if (is_active) await enqueue(tx, endSubscription, { id }, { key: id });
    const customers = await tx
      .deleteFrom('payment_customers')
      .where('created_by_id', '=', userId)
      .returning('id')
      .execute();
    for (const { id } of customers) await enqueue(tx, forgetCustomer, { id }, { key: id });
  },
};
