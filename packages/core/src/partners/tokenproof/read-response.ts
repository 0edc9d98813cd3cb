import { setTimeout as wait } from 'node:timers/promises';
import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findPending, keepProven, readAccountId, takePending } from '../../people/wallet-manager/index.ts';
import type { Tokenproof, TokenproofAnswer, TokenproofReply } from '../../ports/index.ts';
import { configured } from './authorize.ts';
import type { TokenproofPayload } from './request.ts';

const pauseMs = 500;

/** What became of a request. A proven account is connected, once; after that the request is forgotten. */
export async function getTokenproofResponse(
  ctx: Context,
  { requestId, retries }: { requestId: string; retries?: string | undefined },
): Promise<TokenproofPayload> {
  const tokenproof = configured(ctx);
  const pending = await findPending(ctx, 'tokenproof', requestId);
  if (pending === undefined) throw notFound('tokenproof request');
  const { nonce } = pending.content;
  const answer = await ask(tokenproof, requestId, Number(retries ?? 0));
  if (answer.kind === 'unknown') throw new AppError('UNAVAILABLE', answer.reason, { retryAfterSeconds: 5 });
  if (answer.kind === 'waiting') return { nonce, status: 'waiting' };
  const { reply } = answer;
  // The app signs for one request: an answer to another one, however genuine, proves nothing here.
  if (reply.nonce !== nonce)
    throw new AppError('INVALID_CREDENTIAL', 'The answer of tokenproof is for another request.');
  const taken = await takePending(ctx, 'tokenproof', requestId);
  if (taken === undefined) throw notFound('tokenproof request');
  return reply.status === 'authenticated' ? connect(taken.user, reply) : payloadOf(reply);
}

async function ask(tokenproof: Tokenproof, requestId: string, retries: number): Promise<TokenproofAnswer> {
  for (let left = retries; ; left -= 1) {
    const answer = await tokenproof.readReply(requestId);
    if (answer.kind !== 'waiting' || left <= 0) return answer;
    await wait(pauseMs);
  }
}

async function connect(user: Context, reply: TokenproofReply): Promise<TokenproofPayload> {
  const { account = '' } = reply;
  const text = account.includes(':') ? readAccountId(account)?.address : account;
  const address = user.wallets.evm.normalizeAddress(text ?? '', '1');
  if (address === undefined)
    return { ...payloadOf(reply), status: 'failed', reason: 'The account is no Ethereum address.' };
  const { success, message = '' } = await keepProven(user, {
    namespace: 'evm',
    address,
    contractChain: null,
    walletType: 'tokenproof',
  });
  return {
    ...payloadOf(reply),
    account: address,
    ...(success ? { status: 'linked' } : { status: 'taken', reason: message }),
  };
}

function payloadOf({ nonce, status, account, reason, timestamp, sessionId }: TokenproofReply): TokenproofPayload {
  return {
    nonce,
    status,
    ...(account !== undefined && { account }),
    ...(reason !== undefined && { reason }),
    ...(timestamp !== undefined && { timestamp }),
    ...(sessionId !== undefined && { session_id: sessionId }),
  };
}
