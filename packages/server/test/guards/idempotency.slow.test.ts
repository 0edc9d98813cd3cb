import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import type { Operation } from '@latchkey/kernel';
import { codeOf } from '../harness/error-shape.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/set-up-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';
import { factsOf } from '../operation-facts/index.ts';

describe('an Idempotency-Key', () => {
  let server: TestServer;
  let world: World;
  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
  });
  after(() => server.close());

  async function post(userId: string, key: string, json: unknown) {
    const headers = { authorization: await server.aeToken(userId), 'idempotency-key': key };
    return server.request('POST', '/client-apps', { headers, json });
  }

  async function count(table: 'client_apps' | 'idempotent_requests', column: string, userId: string): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(server.services.db.system);
    return rows[0]?.count ?? 0;
  }

  const appsOf = (userId: string) => count('client_apps', 'created_by_id', userId);
  const recordsOf = (userId: string) => count('idempotent_requests', 'caller', userId);

  test('makes fifty concurrent requests create one object, and all get the same response', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('at-once', 'k', { name: 'One' })));
    const done = answers.filter(({ status }) => status === 200);
    const waiting = answers.filter(({ status }) => status === 409);
    assert.equal(done.length + waiting.length, 50, answers.find(({ status }) => status !== 200)?.text);
    assert.ok(waiting.every(({ text }) => codeOf(text) === 'IDEMPOTENCY_IN_PROGRESS'));
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    assert.equal(done.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(await appsOf('at-once'), 1);
  });

  test('is refused for another request, and the first is unaffected', async () => {
    const first = await post('reuse', 'k', { name: 'One' });
    const other = await post('reuse', 'k', { name: 'Two' });
    assert.equal(other.status, 422);
    assert.equal(codeOf(other.text), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await post('reuse', 'k', { name: 'One' })).text, first.text);
    assert.equal(await appsOf('reuse'), 1);
  });

  test('belongs to its caller: the same key of another caller is a different one', async () => {
    const one = await post('first-caller', 'k', { name: 'One' });
    const two = await post('second-caller', 'k', { name: 'One' });
    assert.notEqual(one.json.id, two.json.id);
    assert.notEqual(one.json.apiKey, two.json.apiKey);
  });

  test('is not consumed by a failed request', async () => {
    const failures = [{ name: 5 }, {}, { name: 'One', redirectUris: ['nowhere'] }, { name: 'One', pk: 'z'.repeat(21) }];
    for (const json of failures) assert.ok((await post('failing', 'k', json)).status >= 400);
    assert.equal(await recordsOf('failing'), 0);
    assert.equal(await appsOf('failing'), 0);
    assert.equal((await post('failing', 'k', { name: 'One' })).status, 200);
    assert.equal(await recordsOf('failing'), 1);
  });

  test('is 1 to 255 printable characters', async () => {
    for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)])
      assert.equal(codeOf((await post('form', key, { name: 'One' })).text), 'INVALID_IDEMPOTENCY_KEY', key);
    assert.equal((await post('form', 'x'.repeat(255), { name: 'One' })).status, 200);
  });

  for (const operation of served.filter(({ contract }) => contract.repeatable)) {
    test(`makes ${operation.route} answer a repetition like the first request`, async () => {
      const headers = { ...(await rightCredential(world, operation)), 'idempotency-key': operation.contract.id };
      const draft = sampleRequest(operation, world.samples);
      const first = await visit(server, draft, headers);
      const second = await visit(server, draft, headers);
      assert.equal(first.status, operation.answer.status, first.text);
      assert.deepEqual([second.status, second.text], [first.status, first.text]);
      assert.deepEqual(
        [first, second].map((answer) => answer.headers.get('idempotent-replayed')),
        [null, 'true'],
      );
    });
  }

  test('is supported by every POST, or its contract says why not', () => {
    const isClear = (operation: Operation) =>
      (operation.contract.repeatable ?? false) !== (factsOf(operation).needsNoKey !== undefined);
    const posts = served.filter(({ method }) => method === 'POST');
    assert.deepEqual(
      posts.filter((operation) => !isClear(operation)).map(({ route }) => route),
      [],
    );
    assert.ok(posts.some((operation) => factsOf(operation).needsNoKey !== undefined));
  });
});
