import { hashSecret } from '@latchkey/db';
import { type Actor, AppError, notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { canonicalScopes, findAuthorizationRequest, lifetimes } from '../../developers/oauth2/index.ts';
import { consentPurposeOf } from './consent-token.ts';
import { putAuthorization, putDecision } from './queries.ts';
import { toRecord, type UserAuthorization, type UserAuthorizationScopes } from './user-authorization.ts';

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'tx'>;

/**
 * Records what a person allows an application that has asked. It takes effect when the person's own browser comes back
 * with the slug; until then nothing is granted.
 */
export async function createUserAuthorization(
  ctx: CreateContext,
  { slug, body }: { slug: string; body: UserAuthorizationScopes },
): Promise<UserAuthorization> {
  refusePrograms(ctx.actor);
  const request = await findAuthorizationRequest(ctx, slug);
  const userId = principalId(ctx.actor);
  const isOther = request?.userId !== undefined && request.userId !== userId;
  // To somebody else, and to a token that was made for another request, this request does not exist.
  if (request === undefined || isOther || !isFor(ctx.actor, slug)) throw notFound('authorization request');
  const scopes = canonicalScopes((body.scopes ?? []).join(' '));
  refuseUnasked(scopes, request.scopes);
  return ctx.tx(async (tx) => {
    const now = ctx.clock();
    const expiresAt = new Date(now.getTime() + lifetimes.interaction * 1000);
    await putDecision(tx, { slug_hash: hashSecret(slug), user_id: userId, scopes, expires_at: expiresAt });
    const isRemembered = body.rememberDecisions === true;
    const row = { user_id: userId, client_id: request.clientId, scopes, is_remembered: isRemembered };
    return toRecord(await putAuthorization(tx, row, now));
  });
}

/**
 * An application that acts for a person with a few scopes could otherwise allow itself the others: it makes a request of
 * its own and agrees to it. Only who holds a whole login, or the page that asks, speaks for the person here.
 */
function refusePrograms(actor: Actor): void {
  if (actor.kind !== 'user' || actor.purpose !== undefined) return;
  const isOwn = actor.client === undefined || (actor.client.allowedScopes?.includes('$internal') ?? false);
  if (isOwn && actor.scopes.includes('$all')) return;
  throw new AppError(
    'SCOPE_NOT_ALLOWED',
    'Only the person can allow an application something, not another application.',
  );
}

function isFor(actor: Actor, slug: string): boolean {
  const purpose = actor.kind === 'user' ? actor.purpose : undefined;
  return purpose === undefined || purpose === consentPurposeOf(slug);
}

function refuseUnasked(scopes: readonly string[], asked: readonly string[]): void {
  const index = scopes.findIndex((scope) => !asked.includes(scope));
  if (index < 0) return;
  throw new AppError('VALIDATION_FAILED', `The application did not ask for the scope ${scopes[index]}.`, {
    details: [{ path: `/scopes/${index}`, code: 'scope', message: 'must be one of those that were asked for' }],
  });
}
