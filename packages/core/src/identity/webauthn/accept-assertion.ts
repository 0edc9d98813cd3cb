import { hashSecret } from '@latchkey/db';
import { addSeconds, readInputAsync } from '@latchkey/kernel';
import { verifying } from '../../port-guards/index.ts';
import type { Context } from '../../shared/context.ts';
import { challengeTtlSeconds } from './challenge.ts';
import { type Expected, type OpenContext, verifyResponse } from './open-response.ts';
import {
  type CredentialRow,
  type DeviceType,
  deleteSignIn,
  findByCredentialId,
  findCredential,
  insertSignIn,
  markSuspicious,
  updateCounter,
} from './queries.ts';
import type { AuthenticationResponse } from './records.ts';
import { type Doubt, refused } from './refused.ts';

export type AcceptContext = OpenContext;

interface Accepted {
  passkey: CredentialRow;
  /** The one thing that the response approves; undefined if it signs in. */
  boundTo: string | undefined;
}

/**
 * Returns the passkey that responded to a challenge of this server; throws INVALID_CREDENTIAL if anything does not
 * match the options.
 */
export async function acceptAssertion(ctx: AcceptContext, answer: AuthenticationResponse): Promise<Accepted> {
  const { passkey, use, boundTo } = await verifyResponse(
    ctx,
    'authentication',
    answer.response.clientDataJSON,
    (expected) => verify(ctx, answer, expected),
  );
  await countUse(ctx, passkey, use);
  return { passkey, boundTo };
}

async function verify(
  ctx: AcceptContext,
  answer: AuthenticationResponse,
  { challenge, origin, terms }: Expected,
): Promise<(Accepted & { use: Use }) | Doubt> {
  const { rpId, userId, boundTo } = terms;
  const passkey = await findByCredentialId(ctx.db.system, answer.id);
  if (passkey === undefined || passkey.rp_id !== rpId) return 'response';
  const mustVerifyUser = terms.userVerification === 'required';
  const use = await verifying(ctx, 'passkeys', () =>
    verifyAssertion(answer, passkey, { challenge, origin, rpId, mustVerifyUser }),
  );
  // Whether a passkey can move between devices is determined when it is created.
  if (use?.deviceType !== passkey.device_type || !isOfUser(passkey, userId, answer.response.userHandle))
    return 'response';
  // Otherwise the holder of the device could request options that skip the PIN.
  if (passkey.is_user_verified && !use.isUserVerified) return 'verification';
  return { passkey, use, boundTo };
}

function isOfUser(
  passkey: { user_id: string; user_handle: string },
  userId: string | undefined,
  handle: string | undefined,
): boolean {
  if (userId === undefined) return handle === passkey.user_handle;
  // If the user was known before the ceremony, the authenticator need not identify them again.
  return userId === passkey.user_id && (handle === undefined || handle === passkey.user_handle);
}

/** Clones of an authenticator count separately, so one of them will send a number that was already used. */
async function countUse(ctx: AcceptContext, { id, user_id }: CredentialRow, use: Use): Promise<void> {
  const hasGrown = await ctx.db.transaction({ owner: user_id }, async (tx) => {
    if (await updateCounter(tx, id, use)) return true;
    if (await markSuspicious(tx, id, ctx.clock())) {
      ctx.log.warn(
        'The counter of a passkey did not increase: it may have been copied, and can no longer be used to sign in.',
        { id },
      );
    }
    return false;
  });
  if (!hasGrown) throw refused('authentication', 'copied');
}

interface Asserted {
  challenge: string;
  origin: string;
  rpId: string;
  mustVerifyUser: boolean;
}

/** What an authenticator signed about its use. */
interface Use {
  counter: number;
  deviceType: DeviceType;
  isBackedUp: boolean;
  isUserVerified: boolean;
}

/**
 * Returns the authenticator data of a passkey, if it really signed this response to this challenge; undefined
 * otherwise.
 */
export async function verifyAssertion(
  answer: AuthenticationResponse,
  passkey: Pick<CredentialRow, 'credential_id' | 'public_key'>,
  expected: Asserted,
): Promise<Use | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  if (answer.id !== passkey.credential_id) return undefined;
  // The library throws plain errors, whose messages contain what was sent.
  const evaluated = await readInputAsync(() =>
    verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: expected.mustVerifyUser,
      // The database compares the counter later. Here, it would be compared before the signature is verified, and any
      // caller could get a passkey flagged.
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    }),
  );
  if (!evaluated?.verified) return undefined;
  const { authenticationInfo: info } = evaluated;
  return {
    counter: info.newCounter,
    deviceType: info.credentialDeviceType,
    isBackedUp: info.credentialBackedUp,
    isUserVerified: info.userVerified,
  };
}

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
