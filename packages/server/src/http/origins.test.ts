import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import { originKindOf } from './origins.ts';
import type { Server } from './visit.ts';

describe('the origin of a page', () => {
  interface Call {
    baseUrl?: string;
    host: string;
    origin: string;
    /** What the proxy in front forwards, and whether it is trusted. */
    forwardedProto?: string;
    isTrusted?: boolean;
  }

  /** Returns how a real request classifies the origin. */
  async function kindOf({ baseUrl = 'https://latchkey.test', host, origin, forwardedProto, isTrusted }: Call) {
    const server = {
      services: { settings: { baseUrl } },
      config: {},
      credentials: { isKnownOrigin: async () => false },
    } as unknown as Server;
    const fastify = Fastify({ trustProxy: isTrusted ?? false });
    fastify.get('/', (request) => originKindOf({ request, client: undefined }, server));
    const headers = { host, origin, ...(forwardedProto !== undefined && { 'x-forwarded-proto': forwardedProto }) };
    const { body } = await fastify.inject({ url: '/', headers });
    await fastify.close();
    return body;
  }

  test('is same-origin only with the scheme, host and port of the base URL', async () => {
    const host = 'latchkey.test';
    assert.equal(await kindOf({ host, origin: 'https://latchkey.test' }), 'own');
    for (const origin of ['http://latchkey.test', 'https://latchkey.test:8443', 'http://latchkey.test:443', 'null'])
      assert.equal(await kindOf({ host, origin }), 'other', origin);
  });

  test('is same-origin under another server name only with the scheme and port the browser used', async () => {
    const call = { baseUrl: 'http://localhost:3000', host: 'localhost:8080' };
    assert.equal(await kindOf({ ...call, origin: 'http://localhost:8080' }), 'own');
    for (const origin of [
      'https://localhost:8080',
      'http://localhost',
      'http://localhost:8081',
      'http://127.0.0.1:8080',
    ])
      assert.equal(await kindOf({ ...call, origin }), 'other', origin);
  });

  test('takes the scheme only from a trusted proxy', async () => {
    const call = { host: 'extra.test', forwardedProto: 'https' };
    assert.equal(await kindOf({ ...call, isTrusted: true, origin: 'https://extra.test' }), 'own');
    assert.equal(await kindOf({ ...call, isTrusted: true, origin: 'http://extra.test' }), 'other');
    assert.equal(await kindOf({ ...call, origin: 'https://extra.test' }), 'other');
  });

  test('behind an untrusted TLS proxy, the plain page of the same host stays cross-origin', async () => {
    assert.equal(await kindOf({ host: 'latchkey.test', origin: 'http://latchkey.test' }), 'other');
    assert.equal(await kindOf({ host: 'LATCHKEY.test', origin: 'http://latchkey.test' }), 'other');
  });
});
