import { noteAuthorization } from '@latchkey/core';
import { authorizeAddress, newVerifier } from '../oauth/flow.ts';
import { registerClient, type SampleClient } from '../oauth/sample-client.ts';
import { aliceId, malloryId } from './identities.ts';
import type { TestServer } from './test-server.ts';

/** An application of another owner that alice and mallory both use, and a request of it that alice can answer. */
export interface OauthFixture {
  client: SampleClient;
  slug: string;
}

export async function setUpOauth(server: TestServer): Promise<OauthFixture> {
  const client = await registerClient(server);
  for (const userId of [aliceId, malloryId])
    await noteAuthorization(server.services, { userId, clientId: client.id, scopes: ['user:read'] });
  return { client, slug: await askForConsent(server, client) };
}

/** Sends a browser to sign in, and returns the slug of the request. */
export async function askForConsent(server: TestServer, client: SampleClient): Promise<string> {
  const { headers, status, text } = await server.request('GET', authorizeAddress(client, newVerifier()));
  const slug = /\/login\/([^/?]+)/.exec(headers.get('location') ?? '')?.[1];
  if (slug === undefined) throw new Error(`There is no login: ${status} ${text}`);
  return slug;
}

/** Returns the application's authentication. */
export function basicOf({ id, secret = '' }: SampleClient): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}
