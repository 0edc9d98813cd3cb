import { type Actor, AppError, refuse } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { assertRoomForOne, toDescriptor } from './credential.ts';
import { issueBoundChallenge, issueChallenge } from './issue-challenge.ts';
import { type CredentialRow, getUserHandle, listCredentials } from './queries.ts';
import {
  type AuthenticationOptions,
  algorithms,
  type RegistrationOptions,
  type RegistrationRequest,
  timeoutMs,
} from './records.ts';
import { chooseRpId } from './relying-party.ts';

type OptionsContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

const handleBytes = 32;

export async function generateRegistrationOptions(
  ctx: OptionsContext,
  { userVerification = 'preferred', requireResidentKey, residentKey, rpID, challengeFormat }: RegistrationRequest,
): Promise<RegistrationOptions> {
  const { userId, name = userId } = getRegistrant(ctx.actor);
  const rpId = chooseRpId(ctx.settings.baseUrl, rpID);
  const { handle, known } = await ctx.tx(async (tx) => ({
    handle: await getUserHandle(tx, userId, Buffer.from(ctx.random.bytes(handleBytes)).toString('base64url')),
    known: await listCredentials(tx, userId, undefined),
  }));
  assertRoomForOne(known);
  const terms = { ceremony: 'registration', rpId, userId, userVerification } as const;
  const wanted = residentKey ?? (requireResidentKey === 'false' ? 'discouraged' : 'required');
  return {
    ...(await issueChallenge(ctx, terms, { format: challengeFormat })),
    timeout: timeoutMs,
    rp: { id: rpId, name: ctx.settings.serviceName },
    user: { id: handle, name, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    attestation: 'none',
    excludeCredentials: known.filter((row) => row.rp_id === rpId).map(toDescriptor),
    authenticatorSelection: {
      residentKey: wanted,
      requireResidentKey: wanted === 'required',
      userVerification,
    },
    extensions: { credProps: true },
  };
}

export type User = Extract<Actor, { kind: 'user' }>;

/** Returns the signed-in user, if their session may add passkeys. */
export function getRegistrant(actor: Actor): User {
  if (actor.kind !== 'user') throw new AppError('ROLE_NOT_ALLOWED', 'A passkey belongs to a user: sign in as a user.');
  // A passkey outlives the session that adds it, so not every token may add one.
  const refusal = refuse({ roles: [], scopes: ['user:webauthn-credential:write'] }, actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return actor;
}

/** An operator who impersonates a user must not leave a login method behind. */
export function refuseImpersonation({ credential }: User): void {
  if (credential === 'operator-token')
    throw new AppError(
      'ROLE_NOT_ALLOWED',
      'Only users can add their own passkeys; the operator cannot add one for them.',
    );
}

type ApprovalContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>;

interface ApprovalQuestion {
  userId: string;
  /** What is approved, as one line. The challenge is a hash of it. */
  boundTo: string;
  /** The passkeys that may respond, all of this user. */
  passkeys: readonly CredentialRow[];
}

/**
 * Returns the options with which a browser has one thing approved by a passkey; undefined without a suitable passkey.
 */
export async function generateApprovalOptions(
  ctx: ApprovalContext,
  { userId, boundTo, passkeys }: ApprovalQuestion,
): Promise<AuthenticationOptions | undefined> {
  const { hostname } = new URL(ctx.settings.baseUrl);
  const rpId = (passkeys.find(({ rp_id }) => rp_id === hostname) ?? passkeys[0])?.rp_id;
  if (rpId === undefined) return undefined;
  const terms = { ceremony: 'authentication', rpId, userId, userVerification: 'preferred', boundTo } as const;
  return {
    ...(await issueBoundChallenge(ctx, terms)),
    timeout: timeoutMs,
    rpId,
    userVerification: terms.userVerification,
    allowCredentials: passkeys.filter(({ rp_id }) => rp_id === rpId).map(toDescriptor),
  };
}
