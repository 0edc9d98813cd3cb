import { hashSecret } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type AcceptContext, acceptAssertion } from './accept-assertion.ts';
import { challengeTtlSeconds } from './challenge.ts';
import { type CredentialRow, deleteSignIn, findCredential, insertSignIn } from './queries.ts';
import { refused } from './refused.ts';
import type { AuthenticationResponse } from './response-records.ts';

const slugLength = 32;

export const signInTtlSeconds = challengeTtlSeconds;

/** Verifies a response now and stores only what it proved, so that nothing is stored that could be replayed. */
export async function storeAuthenticationResponse(
  ctx: AcceptContext & Pick<Context, 'random'>,
  { body }: { body: AuthenticationResponse },
): Promise<string> {
  const { passkey, boundTo } = await acceptAssertion(ctx, body);
  const slug = ctx.random.id(slugLength);
  const now = ctx.clock();
  await ctx.db.transaction({ owner: passkey.user_id }, (tx) =>
    insertSignIn(tx, {
      slug_hash: hashSecret(slug),
      user_id: passkey.user_id,
      credential_id: passkey.id,
      bound_to: boundTo ?? null,
      created_at: now,
      expires_at: addSeconds(now, signInTtlSeconds),
    }),
  );
  return slug;
}

/**
 * Returns the passkey of a stored sign-in and consumes it. With `boundTo` it must be an approval of that, otherwise a
 * sign-in: neither can be used as the other.
 */
export async function pickUpSignIn(
  ctx: Pick<Context, 'clock' | 'db'>,
  slug: string,
  boundTo?: string,
): Promise<CredentialRow> {
  const stored = await deleteSignIn(ctx.db.system, hashSecret(slug));
  if (stored === undefined || stored.expires_at <= ctx.clock() || stored.bound_to !== (boundTo ?? null))
    throw refused('authentication', 'slug');
  const passkey = await findCredential(ctx.db.system, stored.credential_id);
  if (passkey === undefined || passkey.suspicious_at !== null) throw refused('authentication', 'copied');
  return passkey;
}
