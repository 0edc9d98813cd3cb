import { addMs, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { giveBack } from './cost.ts';
import { deleteOldIntents, type NearTransactionRow, openTransactions, settleTransaction } from './queries.ts';

const batchSize = 200;
/** Whoever sent a transaction has had its answer by then, or lost it. */
const answerMs = 60 * 1000;
/** Networks take a transaction for about a day after the block that it names. */
const validityMs = 36 * 60 * 60 * 1000;
const intentMs = 2 * 24 * 60 * 60 * 1000;

type SettleContext = Pick<Context, 'clock' | 'db' | 'log' | 'near'>;

/**
 * Finds out what became of transactions whose answer was lost. It only looks; what never arrived is sent again by whoever
 * still wants it, and is given up when the network would not take it any more.
 */
export const settleTransactions = job(
  'near-nft.settle',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: SettleContext, _payload, { signal }) => {
    const now = ctx.clock();
    await deleteOldIntents(ctx.db.system, addMs(now, -intentMs));
    const { near } = ctx;
    if (near === undefined) return;
    for (const row of await openTransactions(ctx.db.system, addMs(now, -answerMs), batchSize)) {
      if (signal.aborted) return;
      if (row.network === near.network) await settleOne(ctx, near, row, now);
    }
  },
);

async function settleOne(
  ctx: SettleContext,
  near: NonNullable<Context['near']>,
  row: NearTransactionRow,
  now: Date,
): Promise<void> {
  const found = await near.lookUp(row.hash, row.signer_id);
  const settle = (state: NearTransactionRow['state'], result: unknown) =>
    settleTransaction(ctx.db.system, row, { state, result, settled_at: now });
  if (found.kind === 'done') await settle('done', found.value ?? null);
  else if (found.kind === 'failed') await settle('failed', found.reason);
  else if (found.kind === 'absent' && now.getTime() - row.created_at.getTime() > validityMs) {
    await settle('refused', 'Expired');
    await giveBack(ctx, row);
  }
}

export const nearNftJobs = [settleTransactions] as const;

export const nearNftSchedules: readonly Schedule[] = [
  { name: 'near-nft.settle', cron: '* * * * *', job: settleTransactions },
];
