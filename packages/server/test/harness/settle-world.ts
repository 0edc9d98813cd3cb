import { contextFor, decideClientApp } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { type Device, newDevice, registerPasskey, samplePasskeys } from './passkeys.ts';
import { otpMailedTo } from './read-mail.ts';
import { sampleLogins } from './sample-logins.ts';
import type { Sample, Samples } from './sample-request.ts';
import type { TestServer } from './test-server.ts';

export const aliceId = 'DIS#USER#alice';
export const malloryId = 'DIS#USER#mallory';

/** Something of alice's, and an id of the same form that nothing has. */
export interface Owned {
  id: string;
  missing: string;
}

/** A server where alice has one of everything. */
export interface World {
  server: TestServer;
  /** Authorization headers. */
  alice: string;
  mallory: string;
  /** By the words that access rules call things. */
  owned: Readonly<Record<string, Owned>>;
  /** The one-time password that alice's second organization waits for. */
  otp: string;
  /** What alice has a passkey on. */
  device: Device;
  samples: Samples;
}

/** Lets every application call and be made as often as a test likes. */
export async function liftPlanLimits(server: TestServer): Promise<void> {
  const limits = JSON.stringify([{ key: 'second', points: 1_000_000, duration: 1, label: 'none', scopes: '$all' }]);
  await sql`update plans set max_api_keys = 1000000, rate_limits = ${limits}::jsonb`.execute(server.platform.db.system);
}

export async function settleWorld(server: TestServer): Promise<World> {
  await liftPlanLimits(server);
  const alice = await server.aeToken(aliceId);
  const call = caller(server, alice);
  const organizationId = await makeOrganization(server, call, 'Acme', 'acme@example.org', true);
  await call('PUT', `/dev-orgs/${organizationId}/wallet`);
  await makeOrganization(server, call, 'Beta', 'beta@example.org', false);
  const appId = await makeApp(server, call, { pk: organizationId, name: 'First' });
  const { slug } = await call('POST', '/states', { hello: 'world' });
  const { keys } = await call('GET', '/.well-known/jwks.json');
  const otp = await otpMailedTo(server, 'beta@example.org');
  const device = newDevice();
  const passkeyId = await registerPasskey(server, alice, device);
  return {
    server,
    alice,
    mallory: await server.aeToken(malloryId),
    owned: {
      'client application': { id: appId, missing: missingLike(appId) },
      organization: { id: organizationId, missing: missingLike(organizationId) },
      passkey: { id: passkeyId, missing: missingLike(passkeyId) },
    },
    otp,
    device,
    samples: {
      ...fieldSamples,
      ...(await samplePasskeys(server, alice, device, 1)),
      ...passkeyIds(() => passkeyId),
      ...(await sampleLogins(server, 3)),
      id: appId,
      clientAppId: appId,
      orgId: organizationId,
      organizationId,
      pk: organizationId,
      slug: String(slug),
      kid: keys[0].kid,
      otp,
      uri: server.url,
      domain: new URL(server.url).host,
    },
  };
}

/** What the schemas leave to the features to check. */
const fieldSamples: Samples = {
  'GET /scopes/{id} id': 'user:read',
  ids: 'user:read,token-gating',
  planId: 'free',
  requestId: (dice) => `request-${dice.below(1_000_000)}`,
  wait: 0,
  'POST /client-apps name': 'Second',
  'PUT /client-apps/{id} name': 'Replaced',
  'PUT /client-apps/{id} status': 'APPROVED',
  email: 'dev@example.org',
  url: 'https://app.example',
  icon: 'https://app.example/icon.png',
  redirectUris: 'https://app.example/callback',
  allowedGrantTypes: 'authorization_code',
  allowedOrigins: 'https://app.example',
  allowedReferrers: 'https://app.example/page',
  allowedIpAddresses: '127.0.0.0/8',
  subscribeEvents: 'client-app.status-changed',
  'POST /client-apps webhookUrl': 'http://127.0.0.1:9/hook',
  webhookUrl: 'http://127.0.0.1:9/hook',
  requestedScopes: 'user:read',
  allowedScopes: 'user:read',
  disallowedScopes: 'token-gating',
  tenant: 'example',
  paginationToken: 'AAAA',
  accountId: 'evm:1:0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  resources: 'https://app.example/terms',
};

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are looked into by the code that asked for them.
type Call = (method: string, path: string, json?: unknown) => Promise<any>;

/** Calls the API as somebody, and fails when it does not work. */
export function caller(server: TestServer, authorization: string): Call {
  return async (method, path, json) => {
    const answer = await server.request(method, path, {
      headers: { authorization },
      ...(json !== undefined && { json }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
    return answer.json;
  };
}

async function makeOrganization(server: TestServer, call: Call, name: string, email: string, isVerified: boolean) {
  const { sk } = await call('POST', '/dev-orgs', { name, email });
  if (isVerified) await call('POST', '/dev-orgs/verify', { otp: await otpMailedTo(server, email) });
  return String(sk).replace('ORG#', '');
}

async function makeApp(server: TestServer, call: Call, body: Record<string, string>): Promise<string> {
  const webhook = { webhookUrl: 'http://127.0.0.1:9/hook', subscribeEvents: ['client-app.status-changed'] };
  const { id } = await call('POST', '/client-apps', { ...body, ...webhook });
  const operator = contextFor(server.platform, { kind: 'admin', name: 'test' });
  await decideClientApp(operator, { id, decision: 'approve', scopes: ['user:read'] });
  return id;
}

function missingLike(id: string): string {
  return id.replace(/[0-9A-Za-z]/g, 'z');
}

/** The operations on one passkey, whose id has the name that client applications use as well. */
export function passkeyIds(draw: Sample): Samples {
  return Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [`${method} /webauthn/credentials/{id} id`, draw]),
  );
}
