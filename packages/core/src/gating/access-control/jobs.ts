import { enqueue } from '@latchkey/db';
import { exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { attemptDelivery, findWebhookSecrets } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { type EvaluationContext, evaluateWallets, openRequestedRules } from '../evaluation/index.ts';
import { deleteExpiredChecks, putAnswer, selectCheck } from './queries.ts';
import { toAnswer } from './to-answer.ts';

const batchSize = 5_000;
const ofRequest = shape(T.Object({ requestId: text('The request.', { maxLength: 64 }) }));

/** Evaluates a check that was requested asynchronously, and sends the result if a callback was requested. */
export const decideCheck = job(
  'access-control.decide',
  { payload: ofRequest, retry: exponentialRetry(5, 2, 60), maxRunningPerGroup: 4 },
  async (ctx: EvaluationContext & Pick<Context, 'tx'>, { requestId }) => {
    const check = await selectCheck(ctx.db.system, requestId, ctx.clock());
    if (check === undefined || check.answer !== null) return;
    const rules = await openRequestedRules(check.rules, '/rules');
    const subject = { requestedBy: check.owner_id, wallets: check.wallets };
    const answer = toAnswer((await evaluateWallets(ctx, rules, subject, { from: 'memory' })).verdicts);
    await ctx.tx(async (tx) => {
      if (!(await putAnswer(tx, requestId, answer))) return;
      if (check.callback_url !== null) await enqueue(tx, callBack, { requestId }, { group: check.owner_id });
    });
  },
);

/**
 * Sends a result to its callback URL. The result can be read for a day in any case, so a few hours of retries are
 * enough.
 */
export const callBack = job(
  'access-control.call-back',
  { payload: ofRequest, retry: exponentialRetry(10, 5, 3600), timeoutSeconds: 20, maxRunningPerGroup: 2 },
  async (ctx: Pick<Context, 'clock' | 'db' | 'egress' | 'keyring'>, { requestId }, { signal }) => {
    const check = await selectCheck(ctx.db.system, requestId, ctx.clock());
    if (!check?.answer || check.callback_url === null || check.client_id === null) return;
    const secrets = await findWebhookSecrets(ctx, check.client_id);
    if (secrets.length === 0) return;
    const message = { id: requestId, timestamp: ctx.clock(), body: JSON.stringify({ requestId, ...check.answer }) };
    const result = await attemptDelivery(ctx.egress, { url: check.callback_url, secrets }, message, signal);
    if (result.outcome === 'retry') throw new Error(result.reason);
  },
);

export const removeExpiredChecks = job(
  'access-control.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    while (!signal.aborted && (await deleteExpiredChecks(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const accessControlJobs = [decideCheck, callBack, removeExpiredChecks] as const;

export const accessControlSchedules: readonly Schedule[] = [
  { name: 'access-control.remove-expired', cron: '23 * * * *', job: removeExpiredChecks },
];
