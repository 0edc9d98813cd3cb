import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { newReceiver, run } from '../../services/webhooks/testing.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { checkRoles } from './check-roles.ts';
import { callBack, decideCheck, removeExpiredChecks } from './jobs.ts';
import { getCheckRolesResponse, ownsCheck } from './operations.ts';
import { caller, coin, erc20, newAccount, program } from './testing.ts';

describe('checking roles later', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('access-control-later');
  });
  after(() => t.close());

  const ask = async (actor: Actor, more: object = {}) => {
    const account = newAccount();
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account }, '1');
    const body = { account, rules: [erc20(coin, 'r')], async: true, ...more };
    const { requestId = '', ...rest } = await checkRoles(t.as(actor), { body });
    assert.deepEqual(rest, {});
    return requestId;
  };

  test('the result is available after the job, for a day, and only to the caller who requested it', async () => {
    const requestId = await ask(caller);
    assert.deepEqual(await getCheckRolesResponse(t.as(caller), { requestId }), { requestId });
    await run(t, decideCheck, { requestId });
    assert.deepEqual(await getCheckRolesResponse(t.as(caller), { requestId }), {
      requestId,
      roles: [{ id: 'r', granted: true }],
      errors: [],
    });
    for (const stranger of [program('another'), mallory]) {
      assert.equal(await ownsCheck(t.as(stranger), requestId), false);
      await assert.rejects(getCheckRolesResponse(t.as(stranger), { requestId }), { code: 'ENTITY_NOT_FOUND' });
    }
    assert.equal(await ownsCheck(t.as(caller), requestId), true);
    t.advanceSeconds(24 * 60 * 60);
    await assert.rejects(getCheckRolesResponse(t.as(caller), { requestId }), { code: 'ENTITY_NOT_FOUND' });
    await run(t, removeExpiredChecks, {});
    const left = await t.services.db.system
      .selectFrom('role_checks')
      .select('id')
      .where('id', '=', requestId)
      .execute();
    assert.deepEqual(left, []);
  });

  test('a request is stored and its job enqueued in one transaction', async () => {
    const requestId = await ask(caller);
    const jobs = await t.services.db.system
      .selectFrom('jobs')
      .select('payload')
      .where('name', '=', decideCheck.name)
      .execute();
    assert.ok(jobs.some(({ payload }) => JSON.stringify(payload) === JSON.stringify({ requestId })));
  });

  test('a job that runs twice keeps the first result and calls back once', async () => {
    const receiver = await newReceiver(t);
    const requestId = await ask(program(receiver.clientId), { callbackUrl: 'https://app.example/roles' });
    await run(t, decideCheck, { requestId });
    await run(t, decideCheck, { requestId });
    const calls = await t.services.db.system
      .selectFrom('jobs')
      .select('payload')
      .where('name', '=', callBack.name)
      .execute();
    assert.equal(calls.filter(({ payload }) => JSON.stringify(payload).includes(requestId)).length, 1);
  });

  test('the callback is signed with the application’s secret', async () => {
    const receiver = await newReceiver(t);
    const requestId = await ask(program(receiver.clientId), { callbackUrl: 'https://app.example/roles' });
    await run(t, decideCheck, { requestId });
    t.answer(() => ({ status: 500, headers: {}, body: new Uint8Array() }));
    await assert.rejects(run(t, callBack, { requestId }), /returned 500/);
    t.answer(() => ({ status: 204, headers: {}, body: new Uint8Array() }));
    await run(t, callBack, { requestId });
    const { url, body = '', headers = {} } = t.requests.at(-1) ?? {};
    assert.equal(url, 'https://app.example/roles');
    assert.deepEqual(JSON.parse(String(body)), { requestId, roles: [{ id: 'r', granted: true }], errors: [] });
    const expected = createHmac('sha256', receiver.secret).update(String(body)).digest('hex');
    assert.equal(headers['x-collabland-signature'], expected);
    assert.ok(!t.log.lines.some((line) => line.includes(receiver.secret)));
  });

  test('an application without a webhook has a secret from the start, and can request with its key alone', async () => {
    const { id = '', secret = '' } = await createDevelopmentApp(t.as(operator), {
      userId: 'DIS#USER#77',
      name: 'Key only',
      scopes: ['token-gating'],
    });
    const requestId = await ask(program(id), { callbackUrl: 'https://app.example/roles' });
    await run(t, decideCheck, { requestId });
    t.answer(() => ({ status: 204, headers: {}, body: new Uint8Array() }));
    await run(t, callBack, { requestId });
    const { body = '', headers = {} } = t.requests.at(-1) ?? {};
    const expected = createHmac('sha256', secret).update(String(body)).digest('hex');
    assert.equal(headers['x-collabland-signature'], expected);
  });

  test('without a signing secret, or for a disallowed URL, no callback is sent', async () => {
    const receiver = await newReceiver(t);
    await assert.rejects(
      ask(caller, { callbackUrl: 'https://app.example/roles' }),
      /has none yet: create one with POST \/latchkey\/client-apps\/asker\/webhook-secret/,
    );
    await assert.rejects(ask(mallory, { callbackUrl: 'https://app.example/roles' }), /API key or token/);
    for (const callbackUrl of ['file:///etc/passwd', 'nonsense', 'https://me:secret@app.example/']) {
      await assert.rejects(
        ask(program(receiver.clientId), { callbackUrl }),
        { code: 'VALIDATION_FAILED' },
        callbackUrl,
      );
    }
  });

  test('a request that cannot be enqueued leaves nothing behind', async () => {
    const ctx = t.as(caller);
    const count = async () => (await t.services.db.system.selectFrom('role_checks').select('id').execute()).length;
    const before = await count();
    const failing = {
      ...ctx,
      tx: <Result>(work: Parameters<typeof ctx.tx<Result>>[0]) =>
        ctx.tx<Result>(async (tx) => {
          await work(tx);
          throw new Error('The connection broke.');
        }),
    };
    const body = { account: newAccount(), rules: [erc20(coin, 'r')], async: true };
    await assert.rejects(checkRoles(failing, { body }), /broke/);
    assert.equal(await count(), before);
  });
});
