import assert from 'node:assert/strict';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import type { Actor } from '@latchkey/kernel';
import { AuthenticatorEmulator, PasskeysCredentialsMemoryRepository, WebAuthnEmulator } from 'nid-webauthn-emulator';
import type { TestPlatform } from '../../testing/index.ts';
import { verifyAeToken } from '../credentials/index.ts';
import { generateRegistrationOptions } from './generate-options.ts';
import { generateAuthenticationOptions, getCredentials } from './operations.ts';
import type {
  AuthenticationOptions,
  AuthenticationRequest,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationRequest,
  RegistrationResponse,
} from './records.ts';
import { verifyRegistrationResponse } from './verify-registration.ts';

/** The page of the test platform. */
const home = 'https://latchkey.test';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** An authenticator with a browser, implemented by a third party. */
export interface Device {
  create(options: RegistrationOptions, origin?: string): RegistrationResponse;
  get(options: AuthenticationOptions, origin?: string): AuthenticationResponse;
  /** The device's storage: with it the device can be cloned, or its key used in ways it would refuse. */
  memory: PasskeysCredentialsMemoryRepository;
}

interface DeviceParams {
  algorithm?: Algorithm;
  /** Whether the user unlocks it with a PIN or a fingerprint. */
  isVerified?: boolean;
  counterStep?: number;
  /** A non-resident security key: it must be given the ids of its passkeys. */
  isStateless?: boolean;
  memory?: PasskeysCredentialsMemoryRepository;
}

export function newDevice(params: DeviceParams = {}): Device {
  const memory = params.memory ?? new PasskeysCredentialsMemoryRepository();
  const unlock = () => ({ options: { uv: params.isVerified ?? true, up: true } });
  const emulator = new WebAuthnEmulator(
    new AuthenticatorEmulator({
      algorithmIdentifiers: [params.algorithm ?? 'ES256'],
      signCounterIncrement: params.counterStep ?? 1,
      userMakeCredentialInteraction: unlock,
      userGetAssertionInteraction: unlock,
      stateless: params.isStateless ?? false,
      credentialsRepository: memory,
    }),
  );
  // The last argument makes the emulator accept a page that this server must refuse itself.
  return {
    create: (options, origin = home) => emulator.createJSON(origin, options, [origin]) as RegistrationResponse,
    get: (options, origin = home) => emulator.getJSON(origin, options, [origin]),
    memory,
  };
}

/** Creates a device with the same key and counter. */
export function copyDevice({ memory }: Device, params: DeviceParams = {}): Device {
  const copy = new PasskeysCredentialsMemoryRepository();
  for (const credential of memory.loadCredentials()) copy.saveCredential({ ...credential });
  return newDevice({ ...params, memory: copy });
}

export type Person = Extract<Actor, { kind: 'user' }>;

let people = 0;

/** A new user, so that tests do not share passkeys. */
export function newPerson(): Person {
  people += 1;
  return {
    kind: 'user',
    userId: `DIS#USER#9${people}`,
    platform: 'discord',
    name: `p${people}`,
    scopes: ['$all'],
    credential: 'wallet-session',
  };
}

/** Creates a user with a passkey. */
export async function settle(
  t: TestPlatform,
  params: DeviceParams = {},
): Promise<{ user: Person; device: Device; id: string }> {
  const user = newPerson();
  const device = newDevice(params);
  return { user, device, id: await register(t, user, device) };
}

/** Registers a passkey of the device and returns its id on the server. */
export async function register(
  t: TestPlatform,
  actor: Actor,
  device: Device,
  request: RegistrationRequest = {},
): Promise<string> {
  const ctx = t.as(actor);
  const made = device.create(await generateRegistrationOptions(ctx, request));
  await verifyRegistrationResponse(ctx, { body: made });
  const { items } = await getCredentials(ctx, {});
  return items.find(({ credentialID }) => credentialID === made.id)?.id ?? '';
}

/** Returns the device's response to new options that the actor requested. */
export async function answerOptions(
  t: TestPlatform,
  actor: Actor,
  device: Device,
  { origin, ...request }: AuthenticationRequest & { origin?: string } = {},
): Promise<AuthenticationResponse> {
  return device.get(await generateAuthenticationOptions(t.as(actor), request), origin);
}

/** Returns the same response with other client data. If nothing is signed, as in a registration, it still matches. */
export function withClientData<Answer extends { response: { clientDataJSON: string } }>(
  answer: Answer,
  change: Record<string, unknown>,
): Answer {
  const text = Buffer.from(answer.response.clientDataJSON, 'base64url').toString();
  const clientDataJSON = Buffer.from(JSON.stringify({ ...JSON.parse(text), ...change })).toString('base64url');
  return { ...answer, response: { ...answer.response, clientDataJSON } };
}

/** Returns the same response with other flags, counter or client data, re-signed with the device's key. */
export function signAnew(
  { memory }: Device,
  answer: AuthenticationResponse,
  change: { flags?: number; counter?: number; rpId?: string; clientData?: Record<string, unknown> },
): AuthenticationResponse {
  const changed = withClientData(answer, change.clientData ?? {});
  const data = Buffer.from(answer.response.authenticatorData, 'base64url');
  if (change.rpId !== undefined) createHash('sha256').update(change.rpId).digest().copy(data);
  if (change.flags !== undefined) data.writeUInt8(change.flags, 32);
  if (change.counter !== undefined) data.writeUInt32BE(change.counter, 33);
  const [credential] = memory.loadCredentials();
  if (credential === undefined) throw new Error('The device has no passkey.');
  const key = Buffer.from(credential.publicKeyCredentialSource.privateKey);
  const clientDataHash = createHash('sha256')
    .update(Buffer.from(changed.response.clientDataJSON, 'base64url'))
    .digest();
  const signature = sign(
    null,
    Buffer.concat([data, clientDataHash]),
    createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  );
  return {
    ...changed,
    response: {
      ...changed.response,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    },
  };
}

/** User present, verified, eligible for backup and backed up: what the emulated device sends. */
export const usualFlags = 0x1d;

const refusedFor = (message: RegExp) => ({ code: 'INVALID_CREDENTIAL', message });
export const badChallenge = refusedFor(/challenge was not issued by this server/);
export const badResponse = refusedFor(/unknown, or its response does not match/);
export const badOrigin = refusedFor(/This page cannot use/);
export const unverified = refusedFor(/registered with user verification/);
export const copied = refusedFor(/seems to have been copied/);

/** Returns the user who just signed in with a passkey, as they were when they added it. */
export async function personOf(ctx: Parameters<typeof verifyAeToken>[0], idToken: string): Promise<Person> {
  const { sessionId, presence, credential, ...person } = await verifyAeToken(ctx, idToken);
  assert.ok(sessionId);
  // Tokens contain times in whole seconds.
  const at = new Date(Math.floor(ctx.clock().getTime() / 1000) * 1000);
  assert.deepEqual([credential, presence], ['passkey-session', { how: 'passkey', at }]);
  return { ...person, credential: newPerson().credential };
}
