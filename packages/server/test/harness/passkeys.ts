import { AuthenticatorEmulator, PasskeysCredentialsMemoryRepository, WebAuthnEmulator } from 'nid-webauthn-emulator';
import type { Sample, Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

/** A page on this machine, like the servers of these tests. */
const page = 'http://localhost:5173';

type CreationOptions = Parameters<WebAuthnEmulator['createJSON']>[1];
type RequestOptions = Parameters<WebAuthnEmulator['getJSON']>[1];

/** An authenticator with a browser. It does not count, so that its responses may be used in any order. */
export interface Device {
  create(options: unknown): ReturnType<WebAuthnEmulator['createJSON']>;
  get(options: unknown): ReturnType<WebAuthnEmulator['getJSON']>;
}

export function newDevice(): Device {
  const credentialsRepository = new PasskeysCredentialsMemoryRepository();
  const emulator = new WebAuthnEmulator(new AuthenticatorEmulator({ credentialsRepository, signCounterIncrement: 0 }));
  return {
    create: (options) => emulator.createJSON(page, options as CreationOptions),
    get: (options) => emulator.getJSON(page, options as RequestOptions),
  };
}

/** Registers a passkey and returns its id on the server. */
export async function registerPasskey(server: TestServer, authorization: string, device: Device): Promise<string> {
  const headers = { authorization };
  const made = device.create((await server.request('GET', '/webauthn/registration/options', { headers })).json);
  const { status, text } = await server.request('POST', '/webauthn/registration/verify', { headers, json: made });
  if (status !== 200) throw new Error(`The passkey was not registered: ${text}`);
  const { json } = await server.request('GET', '/webauthn/credentials', { headers });
  const items = json.items as { id: string; credentialID: string }[];
  return items.find(({ credentialID }) => credentialID === made.id)?.id ?? '';
}

/**
 * Returns bodies of passkeys that respond to challenges, this many for each operation that accepts one. Each can
 * succeed once; when all were used they are used again.
 */
export async function samplePasskeys(
  server: TestServer,
  authorization: string,
  device: Device,
  countFor: (route: string) => number,
): Promise<Samples> {
  const registered = async () =>
    newDevice().create(
      (await server.request('GET', '/webauthn/registration/options', { headers: { authorization } })).json,
    );
  const signedIn = async () => device.get((await server.request('GET', '/webauthn/authentication/options')).json);
  const makers = {
    'POST /webauthn/registration/verify': registered,
    'POST /webauthn/authentication/store': signedIn,
    'POST /webauthn/authentication/verify': signedIn,
  };
  const samples: Record<string, Sample> = {};
  for (const [route, make] of Object.entries(makers)) samples[`${route} body`] = await inTurn(countFor(route), make);
  return samples;
}

/** Creates this many single-use bodies, and returns them one after the other. */
export async function inTurn(count: number, make: () => Promise<object | string>): Promise<Sample> {
  const bodies: (object | string)[] = [];
  while (bodies.length < count) bodies.push(await make());
  let drawn = 0;
  return () => structuredClone(bodies[drawn++ % bodies.length]);
}
