import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { ErrorCode } from '@latchkey/kernel';
import { type CodeExample, codeExamplesFile, readCodeExamples } from '../../src/examples.ts';
import { onConsole } from '../harness/console-session.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../harness/test-server.ts';

/** A call that is refused with a code: the operation, and what a caller does wrong. */
interface Refusal {
  code: ErrorCode;
  route: string;
  provoke(): Promise<TestAnswer>;
}

const isRecording = process.env.LATCHKEY_RECORD_EXAMPLES !== undefined;
const advice = 'To record it again: LATCHKEY_RECORD_EXAMPLES=1 npm test -- contract/refusals';
const mostTries = 40;
const json = { 'content-type': 'application/json' };

describe('contract: the recorded refusals of the reference', () => {
  let server: TestServer;
  let authorization: string;
  let people = 1000;
  const recorded: Record<string, CodeExample> = {};

  before(async () => {
    server = await startTestServer();
    authorization = await server.aeToken('DIS#USER#7');
  });
  after(async () => {
    if (isRecording) writeFileSync(codeExamplesFile, `${JSON.stringify(recorded, null, 2)}\n`);
    await server.close();
  });

  const newPerson = () => {
    people += 1;
    return server.aeToken(`DIS#USER#${people}`);
  };
  const call = (method: string, path: string, fields?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, path, {
      headers: { authorization, ...headers },
      ...(fields !== undefined && { json: fields }),
    });

  /** Repeats a call until it is refused. */
  async function repeat(act: () => Promise<TestAnswer>, status: number): Promise<TestAnswer> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const answer = await act();
      if (answer.status === status) return answer;
    }
    return assert.fail(`${mostTries} calls were not answered with ${status}.`);
  }

  async function newOrganization(owner: string): Promise<string> {
    const { json: made } = await call(
      'POST',
      '/dev-orgs',
      { name: 'Cat Club', email: 'cats@example.org' },
      { authorization: owner },
    );
    return String(made.sk);
  }

  const refusals: Refusal[] = [
    {
      code: 'MISSING_REQUIRED_PARAMETER',
      route: 'GET /tokenproof/authorize',
      provoke: () => call('GET', '/tokenproof/authorize'),
    },
    {
      code: 'INVALID_PARAMETER_VALUE',
      route: 'GET /client-apps',
      provoke: () => call('GET', '/client-apps?limit=none'),
    },
    {
      code: 'INVALID_PAGINATION_TOKEN',
      route: 'GET /client-apps',
      provoke: () => call('GET', '/client-apps?paginationToken=older'),
    },
    {
      code: 'INVALID_BODY',
      route: 'POST /client-apps',
      provoke: () =>
        server.request('POST', '/client-apps', { headers: { authorization, ...json }, body: '{ "name": "Cat Club"' }),
    },
    {
      code: 'INVALID_IDEMPOTENCY_KEY',
      route: 'POST /client-apps',
      provoke: () => call('POST', '/client-apps', { name: 'Cat Club' }, { 'idempotency-key': 'k'.repeat(300) }),
    },
    {
      code: 'INVALID_OTP',
      route: 'POST /dev-orgs/verify',
      provoke: async () => {
        const owner = await newPerson();
        await newOrganization(owner);
        return call('POST', '/dev-orgs/verify', { otp: '000000' }, { authorization: owner });
      },
    },
    {
      code: 'TOO_MANY_TRIES',
      route: 'POST /dev-orgs/verify',
      provoke: async () => {
        const owner = await newPerson();
        await newOrganization(owner);
        return repeat(() => call('POST', '/dev-orgs/verify', { otp: '000000' }, { authorization: owner }), 429);
      },
    },
    {
      code: 'AUTHENTICATION_REQUIRED',
      route: 'GET /client-apps',
      provoke: () => server.request('GET', '/client-apps'),
    },
    {
      code: 'INVALID_CREDENTIAL',
      route: 'GET /client-apps',
      provoke: () => server.request('GET', '/client-apps', { headers: { 'x-api-key': 'an-old-key' } }),
    },
    {
      code: 'ROLE_NOT_ALLOWED',
      route: 'GET /latchkey/operator/jobs/dead',
      provoke: () => call('GET', '/latchkey/operator/jobs/dead'),
    },
    {
      code: 'SCOPE_NOT_ALLOWED',
      route: 'POST /access-control/check-roles',
      provoke: async () => {
        const { key } = await server.apiKey(['state:create']);
        return server.request('POST', '/access-control/check-roles', {
          headers: { 'x-api-key': key },
          json: { account: '0x52908400098527886E0F7030069857D2E4169EE7', rules: [] },
        });
      },
    },
    {
      code: 'PRESENCE_REQUIRED',
      route: 'POST /latchkey/session',
      provoke: async () => {
        const bearer = await server.bearer('DIS#USER#7', ['$all']);
        return server.request('POST', '/latchkey/session', { headers: { authorization: bearer, ...onConsole } });
      },
    },
    {
      code: 'CLIENT_NOT_ALLOWED',
      route: 'POST /latchkey/session',
      provoke: () => call('POST', '/latchkey/session', undefined, { ...onConsole, 'sec-fetch-site': 'cross-site' }),
    },
    {
      code: 'PLAN_LIMIT_REACHED',
      route: 'POST /client-apps',
      provoke: async () => {
        const owner = await newPerson();
        return repeat(() => call('POST', '/client-apps', { name: 'Cat Club' }, { authorization: owner }), 403);
      },
    },
    {
      code: 'ORGANIZATION_NOT_VERIFIED',
      route: 'PUT /dev-orgs/{orgId}/wallet',
      provoke: async () => {
        const owner = await newPerson();
        const id = await newOrganization(owner);
        return call('PUT', `/dev-orgs/${encodeURIComponent(id)}/wallet`, undefined, { authorization: owner });
      },
    },
    {
      code: 'ENTITY_NOT_FOUND',
      route: 'GET /client-apps/{id}',
      provoke: () => call('GET', '/client-apps/nothing-has-this-id'),
    },
    {
      code: 'STATE_CONFLICT',
      route: 'POST /latchkey/operator/applications/{id}/decision',
      provoke: async () => {
        const { json: app } = await call('POST', '/client-apps', { name: 'Cat Club' });
        const decide = (decision: string) =>
          server.request('POST', `/latchkey/operator/applications/${app.id}/decision`, {
            headers: { 'x-api-key': server.adminKey },
            json: { decision },
          });
        await decide('approve');
        await decide('revoke');
        return decide('approve');
      },
    },
    {
      code: 'VALIDATION_FAILED',
      route: 'POST /client-apps',
      provoke: () => call('POST', '/client-apps', { name: 7 }),
    },
    {
      code: 'IDEMPOTENCY_KEY_REUSED',
      route: 'POST /client-apps',
      provoke: async () => {
        const headers = { authorization: await newPerson(), 'idempotency-key': 'cat-club-1' };
        await call('POST', '/client-apps', { name: 'Cat Club' }, headers);
        return call('POST', '/client-apps', { name: 'Dog Club' }, headers);
      },
    },
    {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      route: 'POST /client-apps',
      provoke: () =>
        server.request('POST', '/client-apps', {
          headers: { authorization, 'content-type': 'text/csv' },
          body: 'name',
        }),
    },
    {
      code: 'RATE_LIMITED',
      route: 'POST /dev-orgs',
      provoke: async () => {
        const headers = { authorization: await newPerson() };
        const organization = { name: 'Cat Club', email: 'cats@example.org' };
        return repeat(() => call('POST', '/dev-orgs', organization, headers), 429);
      },
    },
    {
      code: 'UNAVAILABLE',
      route: 'GET /client-apps',
      provoke: async () => {
        const { db } = server.services;
        const { transaction } = db;
        db.transaction = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
        try {
          return await call('GET', '/client-apps');
        } finally {
          db.transaction = transaction;
        }
      },
    },
    {
      code: 'NOT_CONFIGURED',
      route: 'POST /communities',
      provoke: () => call('POST', '/communities', { platform: 'discord', communityId: '1' }),
    },
  ];

  const kept = readCodeExamples();
  for (const { code, route, provoke } of refusals)
    test(`${code} is shown as the server responds with it`, async () => {
      const answer = await provoke();
      assert.equal(answer.json?.error?.code, code, `${answer.status} ${answer.text}`);
      const example: CodeExample = {
        route,
        answer: { status: answer.status, type: 'application/json', body: answer.json },
      };
      recorded[code] = example;
      if (!isRecording) assert.deepEqual(kept[code], example, advice);
    });

  test('each code has one recorded refusal', () => {
    const names = refusals.map(({ code }) => code);
    assert.equal(new Set(names).size, names.length);
    if (!isRecording) assert.deepEqual(Object.keys(kept), names, advice);
  });
});
