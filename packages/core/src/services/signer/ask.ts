import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import type { Selectable } from 'kysely';
import type { Context } from '../../shared/context.ts';
import type { RequestRow } from './queries.ts';
import {
  answerTopic,
  type KeyMade,
  requestTopic,
  requestTtlSeconds,
  type Signed,
  type SignerRequest,
} from './request.ts';

export type AskContext = Pick<Context, 'bus' | 'clock' | 'db' | 'random' | 'settings'>;

const defaultPatienceMs = 5_000;
const pollMs = 200;
const retryAfterSeconds = 5;

/**
 * Sends a request to the signer through the database and waits for the response. A refusal is thrown as the signer
 * wrote it.
 */
export async function askSigner(ctx: AskContext, request: SignerRequest & { kind: 'make-key' }): Promise<KeyMade>;
export async function askSigner(ctx: AskContext, request: SignerRequest & { kind: 'sign' }): Promise<Signed>;
export async function askSigner(ctx: AskContext, request: SignerRequest): Promise<KeyMade | Signed> {
  const id = ctx.random.id(32);
  const received = new AbortController();
  const unsubscribe = ctx.bus.subscribe(answerTopic, (message) => {
    if (message.id === id) received.abort();
  });
  try {
    await send(ctx, id, request);
    return await waitForAnswer(ctx, { id, userId: request.userId, received: received.signal });
  } catch (error) {
    throw isNotSetUp(error)
      ? unavailable('has not been started on this database, or not since an update', error)
      : error;
  } finally {
    unsubscribe();
  }
}

/**
 * Asks the signer for what it must refuse, since nobody has that wallet. Returns false if hosted wallets are not set up here, and throws
 * if no signer answers.
 */
export async function trySigner(ctx: AskContext): Promise<boolean> {
  const nobody = { userId: 'nobody', address: `0x${'0'.repeat(40)}` };
  const more = { clientId: undefined, steppedUpAt: undefined, approvedDigest: undefined };
  try {
    await askSigner(ctx, { kind: 'sign', purpose: 'message', text: 'Does the signer answer?', ...nobody, ...more });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (isNotSetUp(error.cause)) return false;
    if (error.code === 'UNAVAILABLE') throw error;
  }
  return true;
}

async function send(ctx: AskContext, id: string, request: SignerRequest): Promise<void> {
  const now = ctx.clock();
  const signing = request.kind === 'sign' ? request : undefined;
  // Only the system login can access the signer's schema.
  await ctx.db.transaction('system', async (tx) => {
    await tx
      .insertInto('signer.requests')
      .values({
        id,
        user_id: request.userId,
        kind: request.kind,
        wallet_id: request.kind === 'make-key' ? request.walletId : null,
        address: signing?.address ?? null,
        purpose: signing?.purpose ?? null,
        text: signing?.text ?? null,
        client_id: signing?.clientId ?? null,
        stepped_up_at: signing?.steppedUpAt ?? null,
        approved_digest: signing?.approvedDigest ?? null,
        created_at: now,
        expires_at: addSeconds(now, requestTtlSeconds),
      })
      .execute();
    await ctx.bus.publish(tx, requestTopic, {});
  });
}

interface Waiting {
  id: string;
  userId: string;
  received: AbortSignal;
}

async function waitForAnswer(ctx: AskContext, { id, userId, received }: Waiting): Promise<KeyMade | Signed> {
  const patienceMs = ctx.settings.hostedWallets?.signerPatienceMs ?? defaultPatienceMs;
  const tooLate = AbortSignal.timeout(patienceMs);
  let signal = AbortSignal.any([received, tooLate]);
  while (!tooLate.aborted) {
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
    const answer = await take(ctx, userId, id, 'answered');
    if (answer !== undefined) return answer;
    if (received.aborted) signal = tooLate;
  }
  // Withdrawn, so that it is not signed once the caller has given up. One that is being signed right now is awaited.
  const late = await take(ctx, userId, id, 'any');
  if (late !== undefined) return late;
  throw unavailable('is not responding');
}

/**
 * Removes a response, since a signature is private to its caller. `any` removes the request even while it is pending.
 */
async function take(
  ctx: AskContext,
  userId: string,
  id: string,
  which: 'answered' | 'any',
): Promise<KeyMade | Signed | undefined> {
  const query = ctx.db.system
    .deleteFrom('signer.requests')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(['state', 'answer']);
  const row = await (which === 'any' ? query : query.where('state', '<>', 'pending')).executeTakeFirst();
  return row === undefined ? undefined : read(row);
}

function read({ state, answer }: Pick<Selectable<RequestRow>, 'state' | 'answer'>): KeyMade | Signed | undefined {
  if (state === 'pending' || answer === null) return undefined;
  if (!('code' in answer)) return answer;
  const { code, message, ...options } = answer;
  throw new AppError(code, message, options);
}

function unavailable(what: string, cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', `The signer of hosted wallets ${what}. Try again shortly.`, {
    retryAfterSeconds,
    cause,
  });
}

// Missing schema, table or column, or no privilege to use them: the signer creates all of that on its first start.
const notSetUpCodes = ['3F000', '42P01', '42703', '42501'];

function isNotSetUp(error: unknown): boolean {
  if (!(error instanceof Error) || isUnavailable(error)) return false;
  return 'code' in error && notSetUpCodes.includes(String(error.code));
}
