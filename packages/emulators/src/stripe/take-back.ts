import type { StripeDispute, StripeInvoice, StripeState } from './state.ts';
import { showCharge, showDispute } from './views.ts';

/** What becomes of money that was paid: refunds by the seller, disputes by the payer. */
export function takeBack(state: StripeState) {
  const paid = (invoiceId: string): StripeInvoice => {
    const invoice = state.invoices.get(invoiceId);
    if (invoice === undefined || invoice.amountPaid === 0) throw new Error('Nothing was paid for this invoice.');
    return invoice;
  };
  return {
    refund: (invoiceId: string, amount: number): void => {
      const invoice = paid(invoiceId);
      if (amount > invoice.amountPaid) throw new Error('So much was not paid.');
      const { charge, currency } = invoice;
      state.refunds.push({ id: state.nextId('re'), charge, amount, currency, created: state.now() });
      state.note('charge.refunded', showCharge(state, invoice));
    },
    dispute: (invoiceId: string, status: StripeDispute['status']): void => {
      const { charge, currency, amountPaid: amount } = paid(invoiceId);
      const known = state.disputes.find((dispute) => dispute.charge === charge);
      const dispute = known ?? { id: state.nextId('du'), charge, amount, currency, status, movements: [] };
      if (known === undefined) state.disputes.push(dispute);
      dispute.status = status;
      const taken = dispute.movements.reduce((sum, one) => sum + one.amount, 0);
      // The bank takes the money with the dispute, and gives it back to a seller who wins.
      const due = status === 'needs_response' || status === 'lost' ? -amount : 0;
      if (due !== taken)
        dispute.movements.push({ id: state.nextId('txn'), amount: due - taken, currency, created: state.now() });
      const isClosed = status === 'won' || status === 'lost';
      const type = isClosed ? 'closed' : known === undefined ? 'created' : 'updated';
      state.note(`charge.dispute.${type}`, showDispute(dispute));
    },
  };
}
