import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { issueAeToken } from '../../developers/credentials/index.ts';
import { type AcceptContext, acceptAssertion } from './accept-assertion.ts';
import type { CredentialRow } from './queries.ts';
import { refused } from './refused.ts';
import type { AuthenticationProof, AuthenticationResponse, AuthenticationVerified } from './response-records.ts';
import { pickUpSignIn } from './store-authentication.ts';

const sessionTtlSeconds = 60 * 60;

export async function verifyAuthenticationResponse(
  ctx: AcceptContext & Pick<Context, 'random'>,
  { body }: { body: AuthenticationProof },
): Promise<AuthenticationVerified> {
  const passkey =
    body.slug === undefined ? await acceptSignIn(ctx, getAnswer(body)) : await pickUpSignIn(ctx, body.slug);
  const idToken = await issueAeToken(ctx, {
    userId: passkey.user_id,
    platform: passkey.platform,
    ...(passkey.user_name === null ? {} : { name: passkey.user_name }),
    scopes: passkey.scopes,
    credential: 'passkey-session',
    presence: { how: 'passkey', at: ctx.clock() },
    ttlSeconds: sessionTtlSeconds,
  });
  return { verified: true, idToken };
}

/** Somebody who approved one thing did not sign in. */
async function acceptSignIn(ctx: AcceptContext, answer: AuthenticationResponse): Promise<CredentialRow> {
  const { passkey, boundTo } = await acceptAssertion(ctx, answer);
  if (boundTo !== undefined) throw refused('authentication', 'challenge');
  return passkey;
}

function getAnswer({ id, rawId, type, response }: AuthenticationProof): AuthenticationResponse {
  if (id === undefined || rawId === undefined || type === undefined || response === undefined) {
    const message = 'The body must have id, rawId, type and response, or slug.';
    throw new AppError('VALIDATION_FAILED', message, { details: [{ path: '', code: 'required', message }] });
  }
  return { id, rawId, type, response };
}
