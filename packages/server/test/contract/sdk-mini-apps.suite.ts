import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contextFor, decideMiniApp } from '@latchkey/core';
import { signAction } from '@latchkey/core/testing/insides';
import { until } from '@latchkey/test-kit';
import { aliceId, malloryId } from '../harness/identities.ts';
import { outsideWorld, people } from '../harness/outside-world.ts';
import { otpMailedTo } from '../harness/read-mail.ts';
import { connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { makeGuild } from '../harness/set-up-community.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { aboutMiniApps } from './sdk-resources.ts';
import { turns } from './turns.ts';

turns.describe('contract: sdk, mini-apps', () => {
  let server: TestServer;
  let asAlice: Sdk;
  let asMallory: Sdk;
  let asNobody: Sdk;
  let organizationId: string;
  let communityId: string;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    const outside = await outsideWorld();
    server = await startTestServer(outside.environment);
    asAlice = await connectSdk(server, { authenticatedEncryption: await server.aeToken(aliceId) });
    asMallory = await connectSdk(server, { authenticatedEncryption: await server.aeToken(malloryId) });
    asNobody = await connectSdk(server, {});
    const email = 'dev@example.org';
    const { sk } = await call(asAlice, 'POST /dev-orgs', { name: 'Devs', email });
    await call(asAlice, 'POST /dev-orgs/verify', { otp: await otpMailedTo(server, email) });
    organizationId = sk.replace('ORG#', '');
    const { guildId } = makeGuild(outside, people.alice);
    const body = { platform: 'discord', communityId: guildId, name: 'Cats' };
    communityId = (await call(asAlice, 'POST /communities', body)).id;
  });
  after(() => server?.close());

  const decide = (id: string, decision: 'approve' | 'list') =>
    decideMiniApp(contextFor(server.services, { kind: 'admin', name: 'test' }), { id, decision });
  const own = () => call(asAlice, 'GET /miniapps/dev-orgs/{organizationId}', organizationId);
  const offered = async (...installedOnly: boolean[]) =>
    (await call(asAlice, 'GET /marketplace/communities/{communityId}/apps', communityId, ...installedOnly)).items.map(
      (item: { appId: string; installed: boolean }) => [item.appId, item.installed],
    );

  test('a mini-app is registered, renamed, gets new keys, and is reviewed, listed, installed and deleted', async () => {
    const icon = 'https://icons.example/a.png?size=64&v=2';
    const about = { name: 'Greeter', description: 'Greets', url: `${server.url}/hello-action`, icon };
    const made = await call(asAlice, 'POST /miniapps', { pk: organizationId, ...about });
    assert.deepEqual([made.name, made.status, made.icon, made.platforms], ['Greeter', 'PENDING', icon, ['discord']]);
    for (const unusable of [
      { platforms: ['whatever'] },
      { url: `${about.url}?x=1` },
      { icon: 'http://icons.example/a' },
    ])
      await assert.rejects(
        call(asAlice, 'POST /miniapps', { pk: organizationId, ...about, ...unusable }),
        refusedWith(422, 'VALIDATION_FAILED'),
      );
    const { id } = made;
    const reset = await call(asAlice, 'PATCH /miniapps/{miniAppId}/reset-secret', id);
    assert.ok(reset.privateKey !== undefined && reset.privateKey !== made.privateKey);
    assert.equal((await call(asAlice, 'PATCH /miniapps/{miniAppId}', id, { name: 'Host' })).name, 'Host');
    await assert.rejects(
      call(asMallory, 'PATCH /miniapps/{miniAppId}', id, { name: 'Mine' }),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
    assert.deepEqual(await offered(), []);
    await decide(id, 'approve');
    await decide(id, 'list');
    const [listed] = await own();
    assert.deepEqual([listed.id, listed.name, listed.status, listed.privateKey], [id, 'Host', 'LISTED', undefined]);
    assert.equal(listed.publicKey, reset.publicKey);

    assert.deepEqual([await offered(), await offered(true)], [[[id, false]], []]);
    await call(asAlice, 'POST /communities/{communityId}/apps/{appId}', communityId, id, { colour: 'blue' });
    assert.deepEqual(await offered(true), [[id, true]]);
    assert.equal(await call(asAlice, 'DELETE /miniapps/{miniAppId}', id), undefined);
    assert.deepEqual(await own(), []);
    await until('it is taken out of the community', async () => (await offered()).length === 0);
  });

  test('the sample describes itself, and accepts only what this server signed', async () => {
    const { applicationCommands, manifest } = await call(asNobody, 'GET /hello-action/metadata');
    assert.deepEqual([manifest.appId, applicationCommands[0].name], ['hello-action', 'hello-action']);
    const send = async (route: string, body: object, signed: object = body) => {
      const headers = await signAction(server.services, JSON.stringify(signed));
      const { 'x-signature-timestamp': at, 'x-signature-ecdsa': ecdsa, 'x-signature-ed25519': ed25519 } = headers;
      return call(asNobody, `POST /hello-action/${route}`, Number(at), ecdsa, ed25519, body);
    };
    const data = { name: 'hello-action', options: [{ name: 'your-name', value: 'Ada' }] };
    const interaction = { type: 2, data, actionContext: { guildName: 'Cats' } };
    const answer = await send('interactions', interaction);
    assert.equal(answer.data.content, 'Hello, Ada! Welcome to Cats.');
    assert.equal(await send('events', { event: 'install', guildId: '1' }), undefined);
    for (const route of ['interactions', 'events'])
      await assert.rejects(send(route, interaction, { type: 1 }), refusedWith(401, 'INVALID_CREDENTIAL'));
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutMiniApps.includes(name)),
      [],
    );
  });
});
