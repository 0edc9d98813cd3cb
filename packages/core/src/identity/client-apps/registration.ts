import { equalSecrets, type Hashed, hashSecret, sql, type Tx } from '@latchkey/db';
import { AppError, type ErrorDetail } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { checkFields, checkOauthSettings, checkScopes, ownerGrantTypes } from './check-fields.ts';
import { type ClientApplicationCreate, clientSigningAlgs, idTokenAlgs, type OauthSettings } from './client-app.ts';
import { register, toColumns } from './create.ts';
import { deleteApp, findApp, type StoredClientApp, updateApp } from './queries.ts';
import { actionOf, addAction, workingStatuses } from './status.ts';

/** The owner of applications that registered themselves. No account has this id. */
export const selfRegistered = '$registered';

/** More than these are refused, so that nobody can fill the database. */
const maxRegistrations = 10_000;

type RegistrationContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings' | 'tx'>;

/** Client metadata of RFC 7591 and OpenID Connect Dynamic Client Registration. */
export type ClientMetadata = Record<string, unknown>;

/** RFC 7591, 3.2.2. */
export class RegistrationError extends Error {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata' | 'temporarily_unavailable' | 'access_denied';
  constructor(error: RegistrationError['error'], message: string) {
    super(message);
    this.error = error;
  }
}

/** What a registration returns. The secret and the token are shown once. */
export interface Registered {
  app: StoredClientApp;
  clientSecret?: string | undefined;
  registrationToken?: string | undefined;
}

/** Registers an application, if the operator lets applications register themselves. */
export async function registerClient(ctx: RegistrationContext, metadata: ClientMetadata): Promise<Registered> {
  if (ctx.settings.clientRegistration?.isOpen !== true)
    throw new RegistrationError('access_denied', 'The operator of this server registers applications by hand.');
  const { fields, settings } = readMetadata(metadata);
  const registrationToken = `lk_rg_${Buffer.from(ctx.random.bytes(32)).toString('base64url')}`;
  return ctx.tx(async (tx) => {
    await requireRoom(tx);
    const { id = '', clientSecret } = await register(ctx, tx, {
      fields,
      ownerId: selfRegistered,
      ownerName: undefined,
      organizationId: undefined,
      status: 'APPROVED',
      allowedScopes: checkScopes('scopes', ctx.settings.clientRegistration?.scopes ?? []),
      actions: [actionOf(ctx, 'register')],
    });
    const app = await updateApp(tx, id, {
      oauth_settings: settings,
      registration_token_hash: hashSecret(registrationToken),
    });
    return { app, clientSecret, registrationToken };
  });
}

/** Returns a registration; undefined if the token is not its token (RFC 7592). */
export function findRegistration(
  ctx: Pick<Context, 'tx'>,
  id: string,
  token: string,
): Promise<StoredClientApp | undefined> {
  return ctx.tx((tx) => findOwnRegistration(tx, id, token));
}

/** Replaces the metadata of a registration. Its type, and with it the need for a secret, cannot change. */
export async function replaceRegistration(
  ctx: RegistrationContext,
  id: string,
  token: string,
  metadata: ClientMetadata,
): Promise<StoredClientApp | undefined> {
  const { fields, settings } = readMetadata(metadata);
  return ctx.tx(async (tx) => {
    const app = await findOwnRegistration(tx, id, token);
    if (app === undefined) return undefined;
    if (fields.clientType !== app.client_type)
      throw new RegistrationError(
        'invalid_client_metadata',
        'An application cannot become public or confidential later. Register it again.',
      );
    const actions = addAction(app.actions, actionOf(ctx, 'set-oauth-settings'));
    return updateApp(tx, id, { ...toColumns(fields), oauth_settings: settings, actions, updated_at: ctx.clock() });
  });
}

/** Deletes a registration with everything that users allowed it. Returns false if the token is not its token. */
export async function removeRegistration(ctx: Pick<Context, 'tx'>, id: string, token: string): Promise<boolean> {
  return ctx.tx(async (tx) => {
    const app = await findOwnRegistration(tx, id, token);
    if (app !== undefined) await deleteApp(tx, id);
    return app !== undefined;
  });
}

async function findOwnRegistration(tx: Tx, id: string, token: string): Promise<StoredClientApp | undefined> {
  const row = await tx
    .selectFrom('client_apps')
    .select('registration_token_hash')
    .where('id', '=', id)
    .executeTakeFirst();
  const hash: Hashed | null | undefined = row?.registration_token_hash;
  if (hash === null || hash === undefined || !equalSecrets(hash, hashSecret(token))) return undefined;
  const app = await findApp(tx, id);
  return app !== undefined && workingStatuses.includes(app.status) ? app : undefined;
}

export async function requireRoom(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('client-registrations', 0))`.execute(tx);
  const { count } = await tx
    .selectFrom('client_apps')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where((eb) => eb.or([eb('registration_token_hash', 'is not', null), eb('document_due_at', 'is not', null)]))
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxRegistrations)
    throw new RegistrationError('temporarily_unavailable', 'Too many applications have registered themselves.');
}

const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** Reads metadata strictly where it has a meaning here, and ignores the rest, as RFC 7591 wants it. */
export function readMetadata(metadata: ClientMetadata) {
  const authMethod = oneOf(metadata, 'token_endpoint_auth_method', authMethods) ?? 'client_secret_basic';
  const grantTypes = listOf(metadata, 'grant_types') ?? ['authorization_code'];
  const responseTypes = listOf(metadata, 'response_types') ?? ['code'];
  if (responseTypes.some((type) => type !== 'code')) throw invalid('response_types may contain code only.');
  const unknown = grantTypes.find((grantType) => !ownerGrantTypes.some((known) => known === grantType));
  if (unknown !== undefined) throw invalid(`The grant type ${unknown} is not available to registered applications.`);
  const redirectUris = listOf(metadata, 'redirect_uris') ?? [];
  if (redirectUris.length === 0 && grantTypes.includes('authorization_code'))
    throw new RegistrationError('invalid_redirect_uri', 'redirect_uris must contain at least one address.');
  const isPublic = authMethod === 'none';
  if (isPublic && grantTypes.includes('client_credentials'))
    throw invalid('An application that does not authenticate cannot use client_credentials.');
  const settings: OauthSettings = {
    ...defined({
      id_token_signed_response_alg: oneOf(metadata, 'id_token_signed_response_alg', idTokenAlgs) ?? 'RS256',
      post_logout_redirect_uris: listOf(metadata, 'post_logout_redirect_uris'),
      backchannel_logout_uri: textOf(metadata, 'backchannel_logout_uri'),
      backchannel_logout_session_required: flagOf(metadata, 'backchannel_logout_session_required'),
      frontchannel_logout_uri: textOf(metadata, 'frontchannel_logout_uri'),
      frontchannel_logout_session_required: flagOf(metadata, 'frontchannel_logout_session_required'),
      token_endpoint_auth_method: authMethod === 'private_key_jwt' ? ('private_key_jwt' as const) : undefined,
      token_endpoint_auth_signing_alg: oneOf(metadata, 'token_endpoint_auth_signing_alg', clientSigningAlgs),
      jwks: keysOf(metadata),
      jwks_uri: textOf(metadata, 'jwks_uri'),
      dpop_bound_access_tokens: flagOf(metadata, 'dpop_bound_access_tokens'),
      require_pushed_authorization_requests: flagOf(metadata, 'require_pushed_authorization_requests'),
      require_signed_request_object: flagOf(metadata, 'require_signed_request_object'),
      request_object_signing_alg: oneOf(metadata, 'request_object_signing_alg', clientSigningAlgs),
      authorization_signed_response_alg: oneOf(metadata, 'authorization_signed_response_alg', idTokenAlgs),
    }),
  };
  const fields: ClientApplicationCreate = {
    ...defined({
      name: textOf(metadata, 'client_name') ?? 'Unnamed application',
      url: textOf(metadata, 'client_uri'),
      icon: textOf(metadata, 'logo_uri'),
      email: listOf(metadata, 'contacts')?.find((contact) => contact.includes('@')),
    }),
    clientType: isPublic ? 'public' : 'confidential',
    redirectUris,
    allowedGrantTypes: grantTypes,
  };
  return refusing(() => {
    checkOauthSettings(settings);
    return { fields: checkFields(fields, ownerGrantTypes), settings };
  });
}

/** Converts our refusals to those of RFC 7591. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    const isAddress = details.some(({ path }) => path.startsWith('/redirectUris'));
    throw new RegistrationError(isAddress ? 'invalid_redirect_uri' : 'invalid_client_metadata', error.message);
  }
}

function invalid(message: string): RegistrationError {
  return new RegistrationError('invalid_client_metadata', message);
}

const maxText = 2048;
const maxList = 100;

function textOf(metadata: ClientMetadata, name: string): string | undefined {
  const value = metadata[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > maxText)
    throw invalid(`${name} must be text of at most ${maxText} characters.`);
  return value;
}

function flagOf(metadata: ClientMetadata, name: string): boolean | undefined {
  const value = metadata[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw invalid(`${name} must be true or false.`);
  return value;
}

function listOf(metadata: ClientMetadata, name: string): string[] | undefined {
  const value = metadata[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > maxList) throw invalid(`${name} must be a list.`);
  return value.map((_, index) => textOf(value as unknown as ClientMetadata, String(index)) ?? '');
}

function oneOf<Word extends string>(metadata: ClientMetadata, name: string, words: readonly Word[]): Word | undefined {
  const value = textOf(metadata, name);
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw invalid(`${name} must be one of ${words.join(', ')}.`);
  return word;
}

function keysOf({ jwks }: ClientMetadata): OauthSettings['jwks'] {
  if (jwks === undefined || jwks === null) return undefined;
  const keys = typeof jwks === 'object' && 'keys' in jwks ? jwks.keys : undefined;
  const isSet =
    Array.isArray(keys) && keys.length <= 20 && keys.every((key) => typeof key === 'object' && key !== null);
  if (!isSet) throw invalid('jwks must be a set of at most 20 keys.');
  return { keys };
}

function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };
}
