import { hashSecret } from '@latchkey/db';
import { type Actor, AppError, principalId, refuse, type Scope, user } from '@latchkey/kernel';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { openState } from '../../identity/states/index.ts';
import { findLinkChallenge } from '../../identity/wallets/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';

/**
 * Returns the context of the user that a request is for: the user of its AE token, otherwise the caller. Both may be
 * sent if they are the same.
 */
export async function requestUser(
  ctx: Context,
  token: string | undefined,
  scope: Scope = 'user:wallet:write',
): Promise<Context> {
  const actor = token === undefined || token === '' ? ctx.actor : await verifyAeToken(ctx, token);
  if (ctx.actor.kind === 'user' && principalId(ctx.actor) !== principalId(actor))
    throw new AppError('INVALID_CREDENTIAL', 'The tokens in the request and in the header belong to different users.');
  const refusal = refuse(user(scope), actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return contextFor(ctx, actor);
}

/** Returns the user of a link to connect a wallet, which contains a token of the user. */
export async function userOfLink(ctx: Context, slug: string): Promise<Context | undefined> {
  const token = (await openState(ctx, slug))?.token;
  return typeof token === 'string' ? requestUser(ctx, token) : undefined;
}

/** Returns the user that a message was issued to, with just enough access to issue further messages. */
export async function userOfChallenge(ctx: Context, state: string): Promise<Context | undefined> {
  const challenge = await findLinkChallenge(ctx.db.system, hashSecret(state), ctx.clock());
  return challenge === undefined ? undefined : contextFor(ctx, actorOf(challenge.user_id));
}

// Only a message is stored for such an actor: storing a wallet requires a token.
function actorOf(userId: string): Actor {
  return { kind: 'user', userId, platform: 'unknown', scopes: [], credential: 'connect-link' };
}
