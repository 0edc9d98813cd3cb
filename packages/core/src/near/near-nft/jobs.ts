import { addMs, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteOldIntents, type NearTransactionRow, openTransactions, resolveTransaction } from './queries.ts';
import { giveBack } from './send-once.ts';

const batchSize = 200;
/** By then, the sender of a transaction has its response, or has lost it. */
const answerMs = 60 * 1000;
/** Networks accept a transaction for about a day after the block that it refers to. */
const validityMs = 36 * 60 * 60 * 1000;
const intentMs = 2 * 24 * 60 * 60 * 1000;

type SettleContext = Pick<Context, 'clock' | 'db' | 'log' | 'near'>;

/**
 * Looks up transactions whose response was lost. It only reads; a transaction that never arrived is sent again by the next
 * caller that still wants it, and is given up once the network would no longer accept it.
 */
export const resolveTransactions = job(
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
    resolveTransaction(ctx.db.system, row, { state, result, settled_at: now });
  if (found.kind === 'done') await settle('done', found.value ?? null);
  else if (found.kind === 'failed') await settle('failed', found.reason);
  else if (found.kind === 'absent' && now.getTime() - row.created_at.getTime() > validityMs) {
    await settle('refused', 'Expired');
    await giveBack(ctx, row);
  }
}

export const nearNftJobs = [resolveTransactions] as const;

export const nearNftSchedules: readonly Schedule[] = [
  { name: 'near-nft.settle', cron: '* * * * *', job: resolveTransactions },
];
