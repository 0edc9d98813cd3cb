import { fieldOf } from '@latchkey/adapter-kit';
import type { NearTransactionOutcome } from '@latchkey/core/ports';
import { listOf, textOf } from './read-field.ts';

const finished = new Set(['EXECUTED', 'FINAL']);

export function readOutcome(given: unknown): NearTransactionOutcome {
  const own = fieldOf(fieldOf(given, 'transaction_outcome'), 'outcome');
  // A transaction that was only just accepted has no outcome at all yet.
  if (own === undefined) return unknownOutcome;
  const outcomes = listOf(given, 'receipts_outcome');
  const receipts = fieldOf(given, 'receipts');
  const first = ids(own)[0];
  return {
    status: statusOf(fieldOf(own, 'status')),
    isFinal: finished.has(String(fieldOf(given, 'final_execution_status'))),
    ...(first !== undefined && { receiptId: first }),
    gasBurnt: decimalOf(fieldOf(own, 'gas_burnt')),
    tokensBurnt: decimalOf(fieldOf(own, 'tokens_burnt')),
    receiptIds: [
      ...new Set([
        ...ids(own),
        ...outcomes.flatMap((entry) => [textOf(entry, 'id'), ...ids(fieldOf(entry, 'outcome'))]),
        ...(Array.isArray(receipts) ? receipts.map((receipt) => textOf(receipt, 'receipt_id')) : []),
      ]),
    ],
    logs: outcomes.flatMap((entry) => {
      const outcome = fieldOf(entry, 'outcome');
      const lines = listOf(outcome, 'logs').filter((line) => typeof line === 'string');
      const log = { receiptId: textOf(entry, 'id'), contract: textOf(outcome, 'executor_id'), lines };
      return lines.length === 0 ? [] : [log];
    }),
  };
}

const unknownOutcome: NearTransactionOutcome = {
  status: 'UNKNOWN',
  isFinal: false,
  gasBurnt: '0',
  tokensBurnt: '0',
  receiptIds: [],
  logs: [],
};

function ids(outcome: unknown): string[] {
  return listOf(outcome, 'receipt_ids').filter((id) => typeof id === 'string');
}

function statusOf(status: unknown): NearTransactionOutcome['status'] {
  const kind = typeof status === 'object' && status !== null ? Object.keys(status)[0] : status;
  if (kind === 'SuccessReceiptId') return 'SUCCESS_RECEIPT_ID';
  if (kind === 'SuccessValue') return 'SUCCESS_VALUE';
  return kind === 'Failure' ? 'FAILURE' : 'UNKNOWN';
}

/** Amounts are decimals in texts, gas is a number, and a text where it is too large for one. */
function decimalOf(value: unknown): string {
  const text = String(value ?? 0);
  if (!/^\d{1,39}$/.test(text)) throw new Error('A NEAR node sent an amount that is no whole number.');
  return text;
}
