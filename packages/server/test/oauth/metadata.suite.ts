import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createProvider } from '../../src/oauth/provider.ts';
import type { TestServer } from '../harness/test-server.ts';
import { authorizeAddress, newVerifier } from './flow.ts';
import { serveWith } from './other-settings.ts';
import { registerClient } from './sample-client.ts';

/** The server's metadata. */
export function metadataSuite(running: () => TestServer): void {
  test('the metadata matches the provider’s own', async () => {
    const server = createServer(createProvider(running().services).callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const own = await (await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)).json();
      // It accepts these, but this server has no such claims.
      const empty = ['email', 'phone'];
      own.scopes_supported = own.scopes_supported.filter((scope: string) => !empty.includes(scope));
      const { json: report } = await running().request('GET', '/.well-known/openid-configuration');
      const sorted = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value);
      for (const field of [
        'issuer',
        'response_types_supported',
        'grant_types_supported',
        'scopes_supported',
        'claims_supported',
        'subject_types_supported',
        'code_challenge_methods_supported',
        'id_token_signing_alg_values_supported',
        'token_endpoint_auth_methods_supported',
        'authorization_response_iss_parameter_supported',
        'response_modes_supported',
        'backchannel_logout_supported',
        'backchannel_logout_session_supported',
        'request_uri_parameter_supported',
        'claims_parameter_supported',
      ])
        assert.deepEqual(sorted(report[field]), sorted(own[field]), field);
      for (const field of ['authorization', 'token', 'introspection', 'revocation', 'userinfo', 'end_session'])
        assert.equal(new URL(report[`${field}_endpoint`]).pathname, new URL(own[`${field}_endpoint`]).pathname, field);
    } finally {
      server.close();
    }
  });

  test('behind a proxy users are redirected to the public URL, with secure cookies', async () => {
    const fastify = serveWith(running(), { baseUrl: 'https://id.example/latchkey' });
    const client = await registerClient(running());
    const { headers } = await fastify.inject({
      url: authorizeAddress(client, newVerifier()),
      headers: { host: '127.0.0.1:3000', 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'http' },
    });
    assert.match(String(headers.location), /^https:\/\/id\.example\/latchkey\/login\//);
    const cookies = [headers['set-cookie'] ?? []].flat();
    assert.equal(cookies.length, 4);
    for (const cookie of cookies) assert.match(cookie, /; secure/i);
    const resume = cookies.find((line) => line.startsWith('latchkey_resume='));
    assert.match(resume ?? '', /; path=\/latchkey\/oauth2\/authorize\//);
    await fastify.close();
  });
}
