import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFor, issueAccessToken } from '@latchkey/core';
import { type AcceptedKind, acceptedBy, acceptedKinds, describeApi, type Operation } from '@latchkey/kernel';
import { volume } from '@latchkey/test-kit';
import { consoleSession } from '../harness/console-session.ts';
import { codeOf } from '../harness/error-shape.ts';
import { aliceId } from '../harness/identities.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { isMounted, isOpen, served } from '../harness/served.ts';
import { isOnTelegram, rightCredential, type World } from '../harness/set-up-world.ts';
import { visit } from '../harness/visit-server.ts';

/** Needs a signature of each single request; in the kernel it represents the same caller as a session. */
const notSent: AcceptedKind = 'wallet-signature';

/** Not found by any caller but its creator, whatever credential they use. */
const ofItsMakerAlone: Readonly<Record<string, string>> = {
  'GET /access-control/check-roles/responses/{requestId}': 'A result is read with the credential that requested it.',
  'GET /user-authorizations/{clientId}': 'The operator has authorized no application.',
};

/** A normal run tests every operation with every second kind, in turns; a deep one with all. */
const kindTurns = volume(0, 1) === 0 ? 2 : 1;

/** A GET that changes something, so that it can be tested only once. */
const usedUp = 'GET /reddit/unlink-token';

const reads = served.filter(
  (operation) =>
    operation.method === 'GET' && operation.route !== usedUp && !isMounted(operation) && !isOpen(operation),
);

/** Compares the credentials in the description with what the server accepts. */
export function declaredCredentialsSuite(opened: () => World): void {
  async function credentials(): Promise<Partial<Record<AcceptedKind, Headers>>> {
    const { server, alice, community } = opened();
    const { id, key } = await server.apiKey(['$all'], aliceId);
    // Rule sets are open to an application only where an admin granted it by name.
    const granted = `/latchkey/communities/${encodeURIComponent(community.id)}/applications/${id}`;
    const headers = { authorization: alice };
    assert.equal((await server.request('PUT', granted, { headers, json: { scopes: ['rules:plan'] } })).status, 200);
    const own = await server.apiKey(['$all', '$internal'], aliceId);
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    const holder = { kind: 'client' as const, clientId: id };
    const token = await issueAccessToken(operator, { holder, scopes: ['$all'], ttlSeconds: 3600 });
    return {
      'api-key': { 'x-api-key': key },
      'client-token': { authorization: `Bearer ${token.token}` },
      'access-token': { authorization: await server.bearer(aliceId, ['$all'], id) },
      session: { authorization: alice },
      'console-session': await consoleSession(server, { authorization: await server.aeToken(aliceId) }),
      'operator-app': { authorization: alice, 'x-api-key': own.key },
      'operator-key': { 'x-api-key': server.adminKey },
    };
  }

  /** Some operations are for users from Telegram, in addition to the kind of credential. */
  async function fitted(operation: Operation, kind: AcceptedKind, headers: Headers): Promise<Headers> {
    if (isOnTelegram(operation) && kind === 'console-session')
      return consoleSession(opened().server, { authorization: opened().onTelegram.alice });
    if (!isOnTelegram(operation) || !('authorization' in headers) || kind === 'client-token') return headers;
    if (kind !== 'access-token') return { ...headers, authorization: opened().onTelegram.alice };
    const { services } = opened().server;
    const { id } = await opened().server.apiKey(['$all'], aliceId);
    const holder = { kind: 'user' as const, userId: 'TEL#USER#7001', platform: 'telegram', clientId: id };
    const operator = contextFor(services, { kind: 'admin', name: 'test' });
    const { token } = await issueAccessToken(operator, { holder, scopes: ['$all'], ttlSeconds: 3600 });
    return { authorization: `Bearer ${token}` };
  }

  test('every GET accepts exactly the kinds of credential that its description names', async () => {
    const world = opened();
    const sent = await credentials();
    assert.deepEqual([...Object.keys(sent), notSent].sort(), Object.keys(acceptedKinds).sort());
    const wrong: string[] = [];
    for (const [turn, operation] of reads.entries()) {
      const draft = sampleRequest(operation, world.samples);
      const right = await visit(world.server, draft, await rightCredential(world, operation));
      const declared = acceptedBy(operation.contract.access);
      const kinds = (Object.entries(sent) as [AcceptedKind, Headers][]).filter(
        (_, place) => (place + turn) % kindTurns === 0,
      );
      for (const [kind, headers] of kinds) {
        const answer = await visit(world.server, draft, await fitted(operation, kind, headers));
        const code = codeOf(answer.text) ?? '';
        const isRefused =
          answer.status === 401 ||
          ['ROLE_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED'].includes(code) ||
          (answer.status === 404 && right.status !== 404 && !(operation.route in ofItsMakerAlone));
        // A caller that may act alone may also act through an application.
        const isDeclared = declared.includes(kind) || (kind === 'operator-app' && declared.includes('session'));
        if (isDeclared === isRefused) wrong.push(`${operation.route} ${kind}: ${answer.status} ${code}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('the description names the kinds of each operation', () => {
    const { resources } = opened().server.services;
    const { paths } = describeApi(resources, { serverUrl: 'http://localhost' }) as {
      paths: Record<string, Record<string, { security: object[]; 'x-credentials': string[] }>>;
    };
    for (const { route, method, path, contract } of served) {
      const described = paths[path]?.[method.toLowerCase()];
      assert.deepEqual(described?.['x-credentials'], acceptedBy(contract.access), route);
      assert.ok((described?.security.length ?? 0) > 0, route);
    }
  });
}
