import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newOrganization, newPerson } from '../../identity/client-apps/testing.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { callListed } from './call-listed.ts';
import { decideMiniApp, probeAgain } from './decide.ts';
import { notifyInstall } from './jobs.ts';
import { createMiniApp, probeMiniApp } from './operations.ts';
import { selectMiniApp } from './queries.ts';
import { type AppBehaviour, actAsApp } from './testing.ts';

describe('the probe of a mini-app', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('probe-mini-apps');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const url = 'https://app.example';
  const never = new AbortController().signal;
  async function approved(): Promise<string> {
    const owner = newPerson();
    const pk = await newOrganization(t, owner, { verified: true });
    const { id = '' } = await createMiniApp(t.as(owner), { body: { pk, name: 'Greeter', description: 'x', url } });
    await decideMiniApp(t.as(operator), { id, decision: 'approve' });
    return id;
  }
  async function list(app: AppBehaviour) {
    const id = await approved();
    const calls = actAsApp(t, app);
    await decideMiniApp(t.as(operator), { id, decision: 'list' });
    calls.length = 0;
    return { id, calls, read: async () => selectMiniApp(t.services.db.system, id).then((row) => row ?? assert.fail()) };
  }

  test('finds which signatures an app has a key for, with and without /events, and calls use only these', async () => {
    const found = [
      [['ed25519'], 'ed25519'],
      [['ecdsa'], 'ecdsa'],
      [['ed25519', 'ecdsa'], 'both'],
    ] as const;
    for (const hasEvents of [true, false])
      for (const [keys, signature] of found) {
        const { calls, read } = await list({ keys, hasEvents });
        const app = await read();
        assert.equal(app.signature, signature, `${keys} ${hasEvents}`);
        await callListed(t.services, app, '/interactions', JSON.stringify({ type: 2 }));
        assert.deepEqual(calls, [{ path: '/interactions', kinds: [...keys], status: 200 }]);
      }
  });

  test('an app that accepts one kind of signature unverified is not listed, whatever calls it would get', async () => {
    const id = await approved();
    actAsApp(t, { keys: ['ed25519'], hasEvents: false, skips: ['ecdsa'] });
    await assert.rejects(
      decideMiniApp(t.as(operator), { id, decision: 'list' }),
      /accepted a call with the ECDSA signature of another body \(it answered 200 at \/interactions\)/,
    );
  });

  test('an app that crashes on unsigned calls is listed with a warning, but not if signed ones get the same answer', async () => {
    const id = await approved();
    actAsApp(t, { keys: ['ed25519'], hasEvents: true, crashesUnsigned: true });
    const { actions = [] } = await decideMiniApp(t.as(operator), { id, decision: 'list', notes: 'Looked at.' });
    const said =
      /^Looked at\. It answered 500 to a call without a signature at \/interactions\. It must answer 400 or 401\. It answered 500 to a call without a time/;
    assert.match(actions.at(-1)?.notes ?? '', said);
    t.advanceSeconds(60);
    const found = await probeMiniApp(t.as(operator), { miniAppId: id });
    assert.deepEqual([found.outcome, found.warnings?.length], ['safe', 4]);
    const broken = await approved();
    actAsApp(t, { keys: ['ed25519'], hasEvents: true, crashesUnsigned: true, unknownInteraction: 500 });
    await assert.rejects(
      decideMiniApp(t.as(operator), { id: broken, decision: 'list' }),
      /It answered 500 to a call without a signature at \/interactions/,
    );
  });

  test('an app with another server’s key is not listed, and the reason says what to check', async () => {
    const id = await approved();
    for (const hasEvents of [true, false]) {
      actAsApp(t, { keys: [], hasEvents });
      const path = hasEvents ? 'events' : 'interactions';
      await assert.rejects(decideMiniApp(t.as(operator), { id, decision: 'list' }), {
        message: new RegExp(`refuses correctly signed calls to /${path}.*503 to Ed25519.*Check the public key`),
      });
    }
  });

  test('the reason says what to change in an app from a template of the original', async () => {
    const id = await approved();
    const reason = async (app: AppBehaviour) => {
      actAsApp(t, app);
      const found = await decideMiniApp(t.as(operator), { id, decision: 'list' }).catch((error: Error) => error);
      return found instanceof Error ? found.message : assert.fail('It is listed.');
    };
    const [express, fastapi] = [{ 'x-powered-by': 'Express' }, { server: 'uvicorn' }];
    const without = { keys: [], hasEvents: false } as const;
    for (const headers of [{}, express])
      assert.match(await reason({ ...without, headers }), /Check the public key.* COLLABLAND_ACTION_PUBLIC_KEY\.$/);
    assert.match(
      await reason({ ...without, headers: fastapi }),
      /api_url of utils\/signature\.py: write http.*\/config there\.$/,
    );
    const credulous = { keys: ['ed25519'], hasEvents: false, skips: ['ecdsa'] } as const;
    assert.match(
      await reason({ ...credulous, headers: fastapi }),
      /each call with the header X-Signature-Ecdsa: reject these/,
    );
    assert.match(await reason({ ...credulous, headers: express }), /SKIP_VERIFICATION: remove that line\.$/);
    assert.match(await reason(credulous), /at \/interactions\)\.$/);
  });

  test('an app whose key changed is detected when it refuses, once a minute at most', async () => {
    const { id, read } = await list({ keys: ['ed25519'], hasEvents: true });
    const moved = actAsApp(t, { keys: ['ecdsa'], hasEvents: true });
    await callListed(t.services, await read(), '/interactions', JSON.stringify({ type: 2 }));
    assert.deepEqual(moved.at(0), { path: '/interactions', kinds: ['ed25519'], status: 503 });
    assert.deepEqual(moved.at(-1), { path: '/interactions', kinds: ['ecdsa'], status: 200 });
    assert.equal((await read()).signature, 'ecdsa');
    const back = actAsApp(t, { keys: ['ed25519'], hasEvents: true });
    await assert.rejects(callListed(t.services, await read(), '/interactions', '{"type":2}'), /answered 503/);
    assert.equal(back.length, 1, 'no app is called in a loop');
    t.advanceSeconds(60);
    await callListed(t.services, await read(), '/interactions', JSON.stringify({ type: 2 }));
    assert.equal((await read()).signature, 'ed25519');
    actAsApp(t, { keys: ['ecdsa'], hasEvents: true });
    assert.equal((await probeAgain(t.as(operator), id))?.kind, 'safe');
    assert.equal((await read()).signature, 'ecdsa');
  });

  test('its owner can start it once a minute, and a listed app that accepts forgeries is revoked', async () => {
    const { id } = await list({ keys: ['ed25519'], hasEvents: true });
    const probe = () => probeMiniApp(t.as(operator), { miniAppId: id });
    t.advanceSeconds(60);
    assert.deepEqual(await probe(), { outcome: 'safe', signature: 'ed25519', status: 'LISTED' });
    await assert.rejects(probe(), { code: 'STATE_CONFLICT' });
    t.advanceSeconds(60);
    t.answer(() => ({ status: 502, headers: {}, body: new Uint8Array() }));
    const down = await probe();
    assert.deepEqual([down.outcome, down.status], ['failed', 'LISTED'], 'one that is down is left alone');
    t.advanceSeconds(60);
    actAsApp(t, { keys: ['ed25519'], hasEvents: true, skips: ['ecdsa'] });
    const credulous = await probe();
    assert.deepEqual([credulous.outcome, credulous.status], ['unsafe', 'REVOKED']);
  });

  test('an app without /events is installed and removed without an error; one that is down is notified later', async () => {
    const { id, calls } = await list({ keys: ['ecdsa'], hasEvents: false });
    const news = { appId: id, url: `${url}/events`, body: JSON.stringify({ event: 'install', guildId: '1' }) };
    await notifyInstall(t.services, news, never);
    assert.deepEqual(calls, [{ path: '/events', kinds: ['ecdsa'], status: 404 }]);
    t.answer(() => ({ status: 502, headers: {}, body: new Uint8Array() }));
    await assert.rejects(notifyInstall(t.services, news, never), /answered 502/);
  });
});
