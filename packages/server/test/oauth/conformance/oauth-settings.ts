import assert from 'node:assert/strict';
import type { TestServer } from '../../harness/test-server.ts';
import type { SampleClient } from '../sample-client.ts';

/** Sets how an application signs users in and out, as the operator. */
export async function setOauthSettings(
  server: TestServer,
  { id }: SampleClient,
  settings: Record<string, unknown>,
): Promise<void> {
  const answer = await server.request('PUT', `/latchkey/client-apps/${id}/oauth-settings`, {
    headers: { authorization: await server.aeToken(await ownerOf(server, id)) },
    json: settings,
  });
  assert.equal(answer.status, 200, answer.text);
}

async function ownerOf(server: TestServer, id: string): Promise<string> {
  const { json } = await server.request('GET', `/client-apps/${id}`, { headers: { 'x-api-key': server.adminKey } });
  return json.createdById;
}
