import type { Tx } from '@latchkey/db';
import { AppError, isLimited, readInput, readInputAsync, scopesOf } from '@latchkey/kernel';
import { verifying } from '../../port-guards/index.ts';
import { notifyLoginMethodAdded } from '../../services/security-notices/index.ts';
import type { Context } from '../../shared/context.ts';
import { assertRoomForOne } from './credential.ts';
import { getRegistrant, refuseImpersonation, type User } from './generate-options.ts';
import { type OpenContext, verifyResponse } from './open-response.ts';
import { type DeviceType, insertCredential, listCredentials, lockUser } from './queries.ts';
import type { RegistrationResponse } from './records.ts';
import { algorithms } from './records.ts';

type RegistrationContext = OpenContext & Pick<Context, 'locale' | 'random' | 'tx'>;

export async function verifyRegistrationResponse(
  ctx: RegistrationContext,
  { body }: { body: RegistrationResponse },
): Promise<{ verified: true }> {
  const user = getRegistrant(ctx.actor);
  refuseImpersonation(user);
  const { passkey, rpId } = await verifyResponse(
    ctx,
    'registration',
    body.response.clientDataJSON,
    async ({ challenge, origin, terms }) => {
      if (terms.userId !== user.userId) return 'challenge';
      const expected = { challenge, origin, rpId: terms.rpId, mustVerifyUser: terms.userVerification === 'required' };
      const made = await verifying(ctx, 'passkeys', () => verifyAttestation(body, expected));
      return made === undefined ? 'response' : { passkey: made, rpId: terms.rpId };
    },
  );
  await ctx.tx((tx) => keep(ctx, tx, { user, rpId, passkey, body }));
  return { verified: true };
}

interface Registration {
  user: User;
  rpId: string;
  passkey: NewPasskey;
  body: RegistrationResponse;
}

async function keep(ctx: RegistrationContext, tx: Tx, { user, rpId, passkey, body }: Registration): Promise<void> {
  await lockUser(tx, user.userId);
  const known = await listCredentials(tx, user.userId, undefined);
  assertRoomForOne(known);
  const isNew = await insertCredential(tx, {
    id: ctx.random.id(),
    user_id: user.userId,
    platform: user.platform,
    user_name: user.name ?? null,
    scopes: scopesOf(user),
    rp_id: rpId,
    credential_id: passkey.credentialId,
    public_key: passkey.publicKey,
    counter: passkey.counter,
    device_type: passkey.deviceType,
    is_backed_up: passkey.isBackedUp,
    is_user_verified: passkey.isUserVerified,
    is_resident: body.clientExtensionResults?.credProps?.rk ?? null,
    transports: body.response.transports ?? [],
    attachment: body.authenticatorAttachment ?? null,
    name: body.name ?? 'Passkey',
    user_agent: body.userAgent ?? null,
    created_at: ctx.clock(),
    suspicious_at: null,
    client_id: isLimited(user) ? (user.client?.id ?? null) : null,
  });
  if (!isNew) throw new AppError('STATE_CONFLICT', 'This passkey is already registered.');
  await notifyLoginMethodAdded(tx, user.userId, 'passkey-added', ctx.locale);
}

/** A new passkey, as far as its authenticator can be trusted. */
interface NewPasskey {
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
  deviceType: DeviceType;
  isBackedUp: boolean;
  isUserVerified: boolean;
}

interface Attested {
  challenge: string;
  origin: string;
  rpId: string;
  mustVerifyUser: boolean;
}

/** Returns the passkey in a response to registration options; undefined if anything does not match them. */
async function verifyAttestation(
  answer: Pick<RegistrationResponse, 'id' | 'rawId' | 'type' | 'response'>,
  expected: Attested,
): Promise<NewPasskey | undefined> {
  // Loaded on first use: it takes a fifth of a second, and most processes never verify a passkey.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  if (!(await isUnattested(answer.response.attestationObject))) return undefined;
  // The library throws plain errors, whose messages contain what was sent.
  const evaluated = await readInputAsync(() =>
    verifyRegistrationResponse({
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: expected.mustVerifyUser,
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  const made = evaluated?.registrationInfo;
  // The library takes the id from the signed part and does not compare it with the other.
  if (made?.credential.id !== answer.id) return undefined;
  return {
    credentialId: made.credential.id,
    publicKey: made.credential.publicKey,
    counter: made.credential.counter,
    deviceType: made.credentialDeviceType,
    isBackedUp: made.credentialBackedUp,
    isUserVerified: made.userVerified,
  };
}

/**
 * No attestation was requested, so none is accepted: to check its certificates, the library would fetch URLs that they
 * contain.
 */
export async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const bytes = new Uint8Array(Buffer.from(attestationObject, 'base64url'));
  const decoded: unknown = readInput(() => decodeAttestationObject(bytes));
  if (!(decoded instanceof Map)) return false;
  const [format, statement]: unknown[] = [decoded.get('fmt'), decoded.get('attStmt')];
  if (!(decoded.get('authData') instanceof Uint8Array) || !(statement instanceof Map)) return false;
  return format === 'none' || (format === 'packed' && statement.get('x5c') === undefined);
}
