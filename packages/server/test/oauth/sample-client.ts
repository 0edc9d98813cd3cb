import assert from 'node:assert/strict';
import type { TestServer } from '../harness/test-server.ts';

export interface SampleClient {
  id: string;
  /** Undefined for a public application. */
  secret: string | undefined;
  redirectUri: string;
}

export interface ClientOptions {
  ownerId?: string;
  clientType?: 'confidential' | 'public' | 'apiKey';
  redirectUris?: string[];
  grantTypes?: string[];
  scopes?: string[];
  origins?: string[];
  /** The page of the application. */
  url?: string;
  status?: 'APPROVED' | 'PENDING';
}

const usualGrants = ['authorization_code', 'refresh_token', 'client_credentials'];
const usualScopes = ['user:read', 'user:wallet:read', 'user:community:read', 'token-gating'];

/** Registers an application over HTTP, as its owner requests it and the operator approves it. */
export async function registerClient(server: TestServer, options: ClientOptions = {}): Promise<SampleClient> {
  const {
    clientType = 'confidential',
    redirectUris = ['https://app.example/callback'],
    grantTypes = usualGrants,
    scopes = usualScopes,
    origins = [],
    status = 'APPROVED',
  } = options;
  const page = options.url === undefined ? {} : { url: options.url };
  const fields = { name: 'Sample application', clientType, redirectUris, allowedOrigins: origins, ...page };
  // A plan allows an owner only a few applications.
  const owner = await server.aeToken(options.ownerId ?? `DIS#USER#owner-${server.services.random.id(8)}`);
  const created = await server.request('POST', '/client-apps', {
    headers: { authorization: owner },
    json: { ...fields, allowedGrantTypes: grantTypes.filter((grantType) => usualGrants.includes(grantType)) },
  });
  assert.equal(created.status, 200, created.text);
  if (status !== 'PENDING') {
    const approved = await server.request('PUT', `/client-apps/${created.json.id}`, {
      headers: { 'x-api-key': server.adminKey },
      json: { ...fields, allowedGrantTypes: grantTypes, allowedScopes: scopes, status },
    });
    assert.equal(approved.status, 204, approved.text);
  }
  return { id: created.json.id, secret: created.json.clientSecret, redirectUri: redirectUris[0] ?? '' };
}
