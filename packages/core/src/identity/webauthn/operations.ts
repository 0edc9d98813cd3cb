import {
  type Access,
  AppError,
  NoContent,
  notFound,
  op,
  owner,
  type Page,
  pageOf,
  principalId,
  resource,
  shape,
  T,
  text,
  user,
} from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { endSessionsBy, issueAeToken } from '../credentials/index.ts';
import {
  type AcceptContext,
  acceptAssertion,
  pickUpSignIn,
  signInTtlSeconds,
  storeAuthenticationResponse,
} from './accept-assertion.ts';
import { challengeTtlSeconds } from './challenge.ts';
import { DeviceCredential, maxCredentialsPerUser, toDescriptor, toRecord } from './credential.ts';
import { generateRegistrationOptions } from './generate-options.ts';
import { issueChallenge } from './issue-challenge.ts';
import { type CredentialRow, deleteCredentialRow, findCredential, listCredentials, updateName } from './queries.ts';
import {
  AuthenticationOptions,
  AuthenticationProof,
  type AuthenticationRequest,
  AuthenticationResponse,
  AuthenticationVerified,
  authenticationParams,
  RegistrationOptions,
  RegistrationResponse,
  RegistrationVerified,
  registrationParams,
  timeoutMs,
} from './records.ts';
import { refused } from './refused.ts';
import { chooseRpId } from './relying-party.ts';
import { verifyRegistrationResponse } from './verify-registration.ts';

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

/** Approving a single action is not a sign-in. */
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

/**
 * Any caller. A credential is still read if one is sent, so that a signed-in user can be asked for their own passkeys.
 */
const anyoneKnown: Access = { roles: ['$anonymous', '$authenticated'], scopes: [] };

/** Users only: not even the operator has passkeys. A passkey has the access of the session that adds it. */
const person: Access = {
  roles: ['$user_account'],
  scopes: [],
  limited: { scopes: ['user:webauthn-credential:write'] },
};

const idParam = T.String({ description: 'The id of the passkey on this server.', minLength: 1, maxLength: 64 });
const minutes = challengeTtlSeconds / 60;

const registrationOptions = {
  summary: 'Start registering a passkey',
  description: `Returns the options that a browser needs to create a passkey for the signed-in user. The challenge can be used once, by the same user, within ${minutes} minutes. The token, and its client application if there is one, must have user:webauthn-credential:write or every scope. A user can have up to ${maxCredentialsPerUser} passkeys. GET and POST do the same.`,
  access: person,
  params: registrationParams,
  returns: RegistrationOptions,
  errors: ['SCOPE_NOT_ALLOWED', 'STATE_CONFLICT'],
} as const;

const authenticationOptions = {
  summary: 'Start signing in with a passkey',
  description: `Returns the options that a browser needs to sign in with a passkey. The challenge can be used once, within ${minutes} minutes. No credential is needed; for a signed-in user, the response lists their passkeys, and only those can be used. Do not send an expired credential: it is rejected. GET and POST do the same.`,
  access: anyoneKnown,
  params: authenticationParams,
  returns: AuthenticationOptions,
  errors: ['STATE_CONFLICT'],
} as const;

const pages =
  'The page must be on the passkey’s domain or on this server, on any port of localhost if that is the domain, or on an origin under the domain that is in the allowedOrigins of the calling client application.';

export const webauthn = resource('webauthn', 'Passkeys: sign in with a device instead of a password.', [
  op(
    'POST /webauthn/authentication/options',
    {
      ...authenticationOptions,
      id: 'generateAuthenticationOptions',
      sdk: 'WebauthnController.generateAuthenticationOptions',
    },
    generateAuthenticationOptions,
  ),
  op(
    'GET /webauthn/authentication/options',
    {
      ...authenticationOptions,
      changes: true,
      // Its answer works once, so a cache or a prefetch must never get it.
      deprecated: { since: '2026-11-19', use: 'POST /webauthn/authentication/options' },
      id: 'getAuthenticationOptions',
      sdk: 'WebauthnController.getAuthenticationOptions',
    },
    generateAuthenticationOptions,
  ),
  op(
    'POST /webauthn/authentication/store',
    {
      id: 'storeAuthenticationResponse',
      sdk: 'WebauthnController.storeAuthenticationResponse',
      summary: 'Store a passkey sign-in for elsewhere',
      description: `For sign-ins that start in one place and continue in another, such as a browser next to a chat app without passkey support. Checks the passkey response like the verify operation, but returns a slug instead of a token. The challenge cannot be used again. Anyone who sends that slug to the verify operation, once and within ${signInTtlSeconds / 60} minutes, gets the token, so the page must only give it to its own user. A response to the passkeyOptions of POST /pkp/sign-message returns a slug that is only valid as otp there. The passkey response itself is not stored.`,
      access: anyoneKnown,
      body: AuthenticationResponse,
      returns: shape(text('The slug.', { maxLength: 64 })),
      errors: ['INVALID_CREDENTIAL'],
    },
    storeAuthenticationResponse,
  ),
  op(
    'POST /webauthn/authentication/verify',
    {
      id: 'verifyAuthenticationResponse',
      sdk: 'WebauthnController.verifyAuthenticationResponse',
      summary: 'Sign in with a passkey',
      description: `Checks a passkey response, or takes the slug of a stored sign-in, and returns an AE token of the user. The token has no more rights than the session that registered the passkey. A challenge can be used once, even if the response is wrong. ${pages} A passkey whose counter does not increase is treated as a copy and can no longer be used to sign in; one that was registered with user verification requires it.`,
      access: anyoneKnown,
      body: AuthenticationProof,
      returns: AuthenticationVerified,
      errors: ['INVALID_CREDENTIAL'],
    },
    verifyAuthenticationResponse,
  ),
  op(
    'PATCH /webauthn/credentials/{id}',
    {
      id: 'renameCredential',
      sdk: 'WebauthnController.renameCredential',
      summary: 'Rename a passkey',
      description: 'Renames one of the caller’s passkeys. The authenticator keeps the old name.',
      audit: 'passkey.rename',
      access: owner<Context>('id', 'passkey', ownerOfCredential, 'user:webauthn-credential:write'),
      params: { id: idParam },
      body: shape(T.Object({ name: text('The new name.', { minLength: 1, maxLength: 100 }) })),
      returns: NoContent,
    },
    renameCredential,
  ),
  op(
    'GET /webauthn/credentials/{id}',
    {
      id: 'getCredential',
      sdk: 'WebauthnController.getCredential',
      summary: 'Get a passkey',
      description: 'Returns one of the caller’s passkeys.',
      access: owner<Context>('id', 'passkey', ownerOfCredential, 'user:webauthn-credential:read'),
      params: { id: idParam },
      returns: DeviceCredential,
    },
    getCredential,
  ),
  op(
    'DELETE /webauthn/credentials/{id}',
    {
      id: 'deleteCredential',
      sdk: 'WebauthnController.deleteCredential',
      summary: 'Delete a passkey',
      description:
        'Deletes one of the caller’s passkeys. It can no longer be used to sign in; tokens that it was issued stay valid for up to an hour, and other browsers that were signed in to the console with a passkey are signed out.',
      audit: 'passkey.remove',
      access: owner<Context>('id', 'passkey', ownerOfCredential, 'user:webauthn-credential:write'),
      params: { id: idParam },
      returns: NoContent,
    },
    deleteCredential,
  ),
  op(
    'GET /webauthn/credentials',
    {
      id: 'getCredentials',
      sdk: 'WebauthnController.getCredentials',
      summary: 'List your passkeys',
      description: 'Returns all passkeys of the caller on one page, oldest first.',
      access: user('user:webauthn-credential:read'),
      params: {
        rpId: T.Optional(T.String({ description: 'Only those of this domain.', minLength: 1, maxLength: 253 })),
      },
      returns: pageOf(DeviceCredential, 'DeviceCredentialPage'),
      paginated: 'token',
    },
    getCredentials,
  ),
  op(
    'POST /webauthn/registration/options',
    {
      ...registrationOptions,
      id: 'generateRegistrationOptions',
      sdk: 'WebauthnController.generateRegistrationOptions',
    },
    generateRegistrationOptions,
  ),
  op(
    'GET /webauthn/registration/options',
    {
      ...registrationOptions,
      changes: true,
      // Its answer works once, so a cache or a prefetch must never get it.
      deprecated: { since: '2026-11-19', use: 'POST /webauthn/registration/options' },
      id: 'getRegistrationOptions',
      sdk: 'WebauthnController.getRegistrationOptions',
    },
    generateRegistrationOptions,
  ),
  op(
    'POST /webauthn/registration/verify',
    {
      id: 'verifyRegistrationResponse',
      sdk: 'WebauthnController.verifyRegistrationResponse',
      summary: 'Register a passkey',
      description: `Checks a new passkey and registers it to sign in as the user. A challenge can be used once, even if the response is wrong. ${pages} A passkey that is already registered is rejected, even if it belongs to another user.`,
      audit: 'passkey.add',
      access: person,
      body: RegistrationResponse,
      returns: RegistrationVerified,
      errors: ['SCOPE_NOT_ALLOWED', 'STATE_CONFLICT'],
    },
    verifyRegistrationResponse,
  ),
]);

export async function renameCredential(
  ctx: Pick<Context, 'tx'>,
  { id, body }: { id: string; body: { name: string } },
): Promise<void> {
  if (!(await ctx.tx((tx) => updateName(tx, id, body.name)))) throw notFound('passkey');
}

export async function deleteCredential(
  ctx: Pick<Context, 'actor' | 'db' | 'tx'>,
  { id }: { id: string },
): Promise<void> {
  const userId = await ownerOfCredential(ctx, id);
  if (userId === undefined || !(await ctx.tx((tx) => deleteCredentialRow(tx, id)))) throw notFound('passkey');
  await endSessionsBy(ctx, ctx.db.system, userId, 'passkey');
}

/** Returns the owner of a passkey, before the caller's access to it is checked. */
export async function ownerOfCredential(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return (await findCredential(ctx.db.system, id))?.user_id;
}

/** Returns all passkeys of the caller: there are fewer than fit on one page. */
export async function getCredentials(
  ctx: Pick<Context, 'actor' | 'tx'>,
  { rpId }: { rpId?: string | undefined },
): Promise<Page<DeviceCredential>> {
  const rows = await ctx.tx((tx) => listCredentials(tx, principalId(ctx.actor), rpId));
  return { items: rows.map(toRecord) };
}

export async function getCredential(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<DeviceCredential> {
  const row = await ctx.tx((tx) => findCredential(tx, id));
  if (row === undefined) throw notFound('passkey');
  return toRecord(row);
}

type OptionsContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

export async function generateAuthenticationOptions(
  ctx: OptionsContext,
  { userVerification = 'preferred', rpID, challenge: callerText, challengeFormat }: AuthenticationRequest,
): Promise<AuthenticationOptions> {
  const rpId = chooseRpId(ctx.settings.baseUrl, rpID);
  const userId = ctx.actor.kind === 'user' ? ctx.actor.userId : undefined;
  const own = userId === undefined ? undefined : await ctx.tx((tx) => listCredentials(tx, userId, rpId));
  const terms = { ceremony: 'authentication', rpId, userId, userVerification } as const;
  return {
    ...(await issueChallenge(ctx, terms, { format: challengeFormat, callerText })),
    timeout: timeoutMs,
    rpId,
    userVerification,
    allowCredentials: own?.filter((row) => row.suspicious_at === null).map(toDescriptor),
  };
}
