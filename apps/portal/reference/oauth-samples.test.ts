import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { oauthCurl, oauthSamples, variables } from './oauth-samples.ts';

const run = promisify(execFile);

describe('the OAuth2 samples of the reference', () => {
  let server: TestServer;
  let environment: Record<string, string>;
  before(async () => {
    server = await startTestServer();
    environment = await registerClient();
  });
  after(() => server.close());

  /** Registers a confidential application with every grant, approved by the operator. */
  async function registerClient(): Promise<Record<string, string>> {
    const authorization = await server.aeToken('DIS#USER#7401');
    const fields = {
      name: 'Cat Finder',
      clientType: 'confidential',
      allowedGrantTypes: ['client_credentials', 'authorization_code', 'refresh_token'],
      redirectUris: ['https://app.example/callback'],
    };
    const { json: app } = await server.request('POST', '/client-apps', { headers: { authorization }, json: fields });
    const approved = await server.request('PUT', `/client-apps/${app.id}`, {
      headers: { 'x-api-key': server.adminKey },
      json: {
        ...fields,
        // Only the operator can allow this one.
        allowedGrantTypes: [...fields.allowedGrantTypes, 'password'],
        allowedScopes: ['token-gating', 'user:read'],
        status: 'APPROVED',
      },
    });
    assert.ok(approved.status < 300, approved.text);
    return { CLIENT_ID: app.id, CLIENT_SECRET: app.clientSecret };
  }

  async function send(id: string, title: string, more: Record<string, string> = {}) {
    const sample = oauthSamples[id]?.find((one) => one.title === title);
    assert.ok(sample, title);
    const unset = Object.fromEntries(variables.map((name) => [name, `no-${name.toLowerCase()}`]));
    const env = { PATH: process.env.PATH ?? '', ...unset, ...environment, ...more };
    const { stdout } = await run('bash', ['-c', oauthCurl(`/oauth2/${id}`, server.url, sample)], { env });
    return stdout === '' ? {} : JSON.parse(stdout);
  }

  test('there is one for each form of the request', () => {
    const document = JSON.parse(JSON.stringify(describeApi(resources, { serverUrl: server.url })));
    const grants = Object.values<{ properties?: { grant_type?: { enum?: string[] } } }>(document.components.schemas)
      .flatMap(({ properties }) => properties?.grant_type?.enum ?? [])
      .toSorted();
    const shown = (oauthSamples.token ?? []).map(({ fields }) => fields.grant_type).toSorted();
    assert.deepEqual(shown, [...new Set(grants)]);
  });

  test('get a token, show its details and revoke it, as printed', async () => {
    const { access_token: token, token_type: type } = await send('token', 'Client credentials');
    assert.equal(type, 'Bearer');
    assert.equal((await send('introspect', 'Introspect', { TOKEN: token })).active, true);
    assert.deepEqual(await send('revoke', 'Revoke', { TOKEN: token }), {});
    assert.equal((await send('introspect', 'Introspect', { TOKEN: token })).active, false);
  });

  for (const title of ['Authorization code', 'Refresh token', 'Password'])
    test(`${title} is refused for the made-up value alone`, async () => {
      assert.equal((await send('token', title)).error, 'invalid_grant');
    });
});
