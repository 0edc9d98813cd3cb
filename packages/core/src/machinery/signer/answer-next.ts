import { isUnavailable, type Sql, type Tx } from '@latchkey/db';
import { AppError, observed } from '@latchkey/kernel';
import { makeKey } from './make-key.ts';
import { assertTimely } from './policy.ts';
import { lockPending, type PendingRequest, writeAnswer } from './queries.ts';
import { answerTopic, type KeyMade, type Refused, type Signed } from './request.ts';
import { sign } from './sign.ts';
import type { SignerContext } from './signer-context.ts';

/**
 * Answers the oldest request, and tells whether there was one. The answer, the record and what they rest on are one
 * transaction: a signer that is killed half-way has done nothing, and the next one answers in its place.
 */
export async function answerNext(ctx: SignerContext): Promise<boolean> {
  let taken: string | undefined;
  try {
    return await ctx.db.system.transaction().execute(async (tx) => {
      const now = ctx.clock();
      const request = await lockPending(tx, now);
      if (request === undefined) return false;
      taken = request.id;
      await answer(ctx, tx, request.id, await decide(ctx, tx, request, now));
      return true;
    });
  } catch (error) {
    if (taken === undefined || isUnavailable(error)) throw error;
    // Or it would be the oldest one again, and keep all others waiting.
    ctx.log.error('A request could not be answered.', { request: taken, error });
    await answer(ctx, ctx.db.system, taken, fault);
    return true;
  }
}

const fault: Refused = { code: 'INTERNAL_ERROR', message: 'The signer could not use the key of this wallet.' };

async function answer(ctx: SignerContext, sql: Sql, id: string, outcome: KeyMade | Signed | Refused): Promise<void> {
  const state = 'code' in outcome ? 'refused' : 'done';
  await writeAnswer(sql, id, state, outcome);
  await ctx.bus.publish(sql, answerTopic, { id });
  observed.signature.tell({ outcome: state });
}

async function decide(
  ctx: SignerContext,
  tx: Tx,
  request: PendingRequest,
  now: Date,
): Promise<KeyMade | Signed | Refused> {
  try {
    assertTimely(request, now);
    return request.kind === 'make-key' ? await makeKey(ctx, tx, request) : await sign(ctx, tx, request, now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, retryAfterSeconds, details } = error;
    ctx.log.info('A request was refused.', { request: request.id, refusal: code });
    return {
      code,
      message,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(details !== undefined && { details }),
    };
  }
}
