import { createHash } from 'node:crypto';
import { hashSecret } from '@latchkey/db';
import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { deleteOldestAttempts, insertAttempt } from './queries.ts';
import {
  attemptTtlSeconds,
  namespace,
  notOffered,
  returnAddress,
  verifierPlace,
  type XLinkAttempt,
} from './x-account.ts';

type BeginContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'x'>;

const stateLength = 32;
const verifierLength = 43;
/** More than anybody needs who begins in several tabs. */
const mostAtOnce = 5;

/** Begins to link an X account. Only the newest attempts of a person count. */
export async function beginXLink(ctx: BeginContext): Promise<XLinkAttempt> {
  if (ctx.x === undefined) throw notOffered();
  const userId = principalId(ctx.actor);
  const state = ctx.random.id(stateLength);
  const codeVerifier = ctx.random.id(verifierLength);
  const stateHash = hashSecret(state);
  const now = ctx.clock();
  const expiresAt = new Date(now.getTime() + attemptTtlSeconds * 1000);
  await ctx.db.transaction('system', async (tx) => {
    await deleteOldestAttempts(tx, userId, mostAtOnce - 1);
    await insertAttempt(tx, {
      state_hash: stateHash,
      user_id: userId,
      service: namespace,
      code_verifier: ctx.keyring.seal(verifierPlace(stateHash), codeVerifier),
      created_at: now,
      expires_at: expiresAt,
    });
  });
  const url = ctx.x.start({ state, redirectUri: returnAddress(ctx), codeChallenge: challengeOf(codeVerifier) });
  return { url, state, expiresTime: expiresAt.toISOString() };
}

/** RFC 7636, S256. */
function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}
