import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { contextFor, decideMiniApp, jobKinds, takeDiscordEvent } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { type DiscordEmulator, shownText } from '@latchkey/emulators/discord';
import { until, volume } from '@latchkey/test-kit';
import { base58 } from '@scure/base';
import { type ForeignAnswer, foreignApp } from '../harness/foreign-app.ts';
import { type MiniAppWorld, startMiniAppWorld } from '../harness/mini-app-world.ts';
import { installOriginalLibrary, startOriginalApp } from '../harness/original-library.ts';
import type { TestServer } from '../harness/test-server.ts';

describe('a mini-app', () => {
  let world: MiniAppWorld;
  let server: TestServer;
  let discord: DiscordEmulator;
  let guild: MiniAppWorld['guild'];
  before(async () => {
    world = await startMiniAppWorld();
    ({ server, discord, guild } = world);
  });
  after(() => world?.stop());

  const call: MiniAppWorld['call'] = (...request) => world.call(...request);
  /** Waits until a member sees this; a slow app is first shown as pending. */
  const shows = (pressed: Awaited<ReturnType<DiscordEmulator['press']>>, text: RegExp) =>
    until(`the member reads ${text}`, () => text.test(shownText(pressed.message() ?? {})));
  const operator = () => contextFor(server.services, { kind: 'admin', name: 'Olga' });
  const appPath = (id: string) => `/communities/${encodeURIComponent(guild.communityId)}/apps/${id}`;
  const commands = () =>
    [...(discord.application.commands.get(guild.guildId)?.values() ?? [])].map(({ fields }) => String(fields.name));
  const register = async (name: string, url: string) =>
    (await call('POST', '/miniapps', { pk: world.organizationId, name, description: 'Greets', url })).json;
  const publish = async (id: string) => {
    await decideMiniApp(operator(), { id, decision: 'approve' });
    return decideMiniApp(operator(), { id, decision: 'list' });
  };

  const startForeignApp = (metadata: object, answer: ForeignAnswer) => foreignApp(server.url, metadata, answer);

  test('does not start without the key to verify calls', async () => {
    for (const LATCHKEY_ACTION_KEY of ['', 'ab', 'x'.repeat(64)]) {
      const started = promisify(execFile)(process.execPath, ['mini-app.ts'], {
        cwd: world.folder,
        env: { LATCHKEY_ACTION_KEY },
      });
      await assert.rejects(started, { code: 1, stderr: /Set LATCHKEY_ACTION_KEY/ });
    }
  });

  test('is created from the template, registered, reviewed, installed, used, given a permission, and removed', async () => {
    const registered = await register('Greeter', world.appUrl);
    assert.equal(registered.status, 'PENDING');
    assert.ok(registered.privateKey && registered.publicKey);
    const id = registered.id as string;
    assert.equal((await call('POST', appPath(id), {})).status, 404);
    assert.equal((await publish(id)).status, 'LISTED');
    const [listed] = (await call('GET', `/miniapps/dev-orgs/${world.organizationId}`)).json;
    assert.equal(listed.privateKey, undefined);
    const market = await call('GET', `/marketplace/communities/${encodeURIComponent(guild.communityId)}/apps`);
    assert.deepEqual(
      market.json.items.map((item: { appId: string; installed: boolean }) => [item.appId, item.installed]),
      [[id, false]],
    );
    assert.equal((await call('POST', appPath(id), { color: 'blue' })).status, 200);
    await until('Discord shows the command', () => commands().includes('greet'));

    const press = { userId: guild.memberId, channelId: guild.channelId };
    const greeted = await discord.press({ ...press, command: 'greet' });
    await shows(greeted, /^Hello, ada, in Cats!$/);
    await until('the app asks for a permission', () =>
      greeted.followUps().some(({ components }) => components?.length),
    );
    assert.deepEqual(
      greeted.followUps().map(({ content }) => content),
      ['May I ask the server who you are?'],
    );
    const question = greeted.followUps()[0];
    assert.ok(question);
    const buttons = JSON.stringify(question.components).match(/\$(?:approve|deny)-user-permissions:\w+/g) ?? [];
    const [approve = '', deny = ''] = buttons;
    const allowed = async () =>
      (
        await sql<{ scopes: string[] }>`
          select scopes from user_authorizations
          where user_id = ${`DIS#USER#${guild.memberId}`} and client_id = ${world.clientId}`.execute(
          server.services.db.system,
        )
      ).rows;
    const pressed = await discord.press({ ...press, messageId: question.id, customId: approve });
    await shows(pressed, /do you want to give "Greeter" access to your account\?/);
    assert.match(pressed.message()?.content ?? '', /a mini-app of this server by "Devs"/);
    assert.deepEqual(await allowed(), [], 'the button of the app gives nothing');
    const [allow = ''] = JSON.stringify(pressed.message()?.components).match(/latchkey:permit:\w+/) ?? [];
    const requested = { ...press, messageId: pressed.message()?.id ?? '', customId: allow };
    await shows(await discord.press(requested), /^You are ada to the server\.$/);
    assert.deepEqual(await allowed(), [{ scopes: ['user:read'] }]);
    await shows(await discord.press(requested), /already answered or has expired/);
    const denied = await discord.press({ ...press, messageId: question.id, customId: deny });
    await shows(denied, /^Then I will not ask the server\.$/);

    const open = () =>
      sql<{ n: number }>`
        select count(*)::int as n from access_tokens where client_id = ${world.clientId} and revoked_at is null`.execute(
        server.services.db.system,
      );
    assert.deepEqual((await open()).rows, [{ n: 1 }]);
    const own = await server.apiKey(['$internal']);
    const member = await server.aeToken(`DIS#USER#${guild.memberId}`);
    const headers = { authorization: member, 'x-api-key': own.key };
    assert.equal((await server.request('DELETE', `/user-authorizations/${world.clientId}`, { headers })).status, 204);
    assert.deepEqual((await open()).rows, [{ n: 0 }]);

    assert.equal((await call('DELETE', appPath(id))).status, 204);
    await until('Discord does not show the command any more', () => !commands().includes('greet'));
    assert.equal((await call('DELETE', `/miniapps/${id}`)).status, 204);
    assert.deepEqual((await call('GET', `/miniapps/dev-orgs/${world.organizationId}`)).json, []);
  });

  test('that is the sample of this server passes the probe and greets', async () => {
    const { id } = await register('Hello', `${server.url}/hello-action`);
    assert.equal((await publish(id)).status, 'LISTED');
    await call('POST', appPath(id), {});
    await until('Discord shows the command', () => commands().includes('hello-action'));
    const options = { 'your-name': 'Ada' };
    const greeted = await discord.press({
      userId: guild.memberId,
      channelId: guild.channelId,
      command: 'hello-action',
      options,
    });
    await shows(greeted, /^Hello, Ada! Welcome to Cats\.$/);
    await call('DELETE', appPath(id));
  });

  test('that has one key, and no /events, gets calls with the signature that it can verify', async () => {
    const calls: string[] = [];
    const metadata = {
      manifest: { name: 'One key' },
      applicationCommands: [{ name: 'one-key', description: 'x' }],
      supportedInteractions: [{ type: 2, names: ['one-key'] }],
    };
    await using oneKey = await startForeignApp(metadata, async ({ path, headers, body, askSample }) => {
      if (path !== '/interactions') return { status: 404 };
      const { 'x-signature-ecdsa': ecdsa, 'x-signature-ed25519': ed25519, ...others } = headers;
      // Like the published framework: it checks ECDSA first, and has no key for the other kind.
      if (ecdsa === undefined && ed25519 !== undefined) return { status: 503 };
      const answer = await askSample('interactions', { ...others, ...(ecdsa && { 'x-signature-ecdsa': ecdsa }) }, body);
      if (answer.status < 300) calls.push(ed25519 === undefined ? 'ecdsa' : 'both');
      return answer;
    });
    const { id } = await register('One key', oneKey.url);
    assert.equal((await publish(id)).status, 'LISTED');
    await call('POST', appPath(id), {});
    await until('Discord shows the command', () => commands().includes('one-key'));
    calls.length = 0;
    const pressed = await discord.press({ userId: guild.memberId, channelId: guild.channelId, command: 'one-key' });
    await shows(pressed, /^I only know how to say hello\.$/);
    assert.deepEqual(calls, ['ecdsa']);
    assert.equal((await call('DELETE', appPath(id))).status, 204);
    assert.equal((await call('DELETE', `/miniapps/${id}`)).status, 204);
    await server.worker.idle();
  });

  // The library has hundreds of dependencies. The test above covers the same with its own app.
  if (volume(0, 1) > 0)
    test('that uses the original’s published library is listed and called, with either key', async () => {
      const library = await installOriginalLibrary();
      const { json: config } = await server.request('GET', '/config');
      const ed25519 = { COLLABLAND_ACTION_ED25519_PUBLIC_KEY: config.actionEd25519PublicKey };
      const ecdsa = { COLLABLAND_ACTION_ECDSA_PUBLIC_KEY: config.actionEcdsaPublicKey };
      for (const [keys, reply] of [
        [ed25519, /^Signed by ed25519\.$/],
        [ecdsa, /^Signed by ecdsa\.$/],
        [{ ...ed25519, ...ecdsa }, /^Signed by ed25519 and ecdsa\.$/],
        [{ COLLABLAND_ACTION_PUBLIC_KEY: config.actionEd25519PublicKey }, /^Signed by ed25519\.$/],
      ] as const) {
        const original = await startOriginalApp(library, keys);
        try {
          const { id } = await register('Original', original.url);
          assert.equal((await publish(id)).status, 'LISTED');
          await call('POST', appPath(id), {});
          await until('Discord shows the command', () => commands().includes('original'));
          await shows(
            await discord.press({ userId: guild.memberId, channelId: guild.channelId, command: 'original' }),
            reply,
          );
          await call('DELETE', appPath(id));
          await call('DELETE', `/miniapps/${id}`);
          await until('the command is gone', () => !commands().includes('original'));
        } finally {
          original.app.kill('SIGKILL');
        }
      }
    });

  test('that accepts forged calls is not listed, and is suspended when it starts to', async () => {
    let isCareful = true;
    const metadata = {
      manifest: { name: 'Trusting' },
      applicationCommands: [{ name: 'trust', description: 'x' }],
      supportedInteractions: [{ type: 2, nameOrIdPattern: 'trust' }],
    };
    // It asks the sample, which has the keys, unless it has become careless.
    await using trusting = await startForeignApp(metadata, async ({ path, headers, body, askSample }) =>
      isCareful ? askSample(path === '/events' ? 'events' : 'interactions', headers, body) : { status: 204 },
    );
    isCareful = false;
    const { id } = await register('Trusting', trusting.url);
    await assert.rejects(publish(id), /accepted a call without a signature/);
    isCareful = true;
    assert.equal((await decideMiniApp(operator(), { id, decision: 'list' })).status, 'LISTED');
    await call('POST', appPath(id), {});
    await until('Discord shows the command', () => commands().includes('trust'));
    isCareful = false;
    await sql`update mini_apps set probed_at = now() - interval '8 days' where id = ${id}`.execute(
      server.services.db.system,
    );
    const probe = jobKinds.find(({ name }) => name === 'miniapps.probe-due');
    await probe?.run(
      contextFor(server.services, { kind: 'system', job: 'test' }),
      {},
      { id: '1', attempt: 1, signal: new AbortController().signal },
    );
    const [suspended] = (await call('GET', `/miniapps/dev-orgs/${world.organizationId}`)).json.filter(
      (one: { id: string }) => one.id === id,
    );
    assert.equal(suspended.status, 'REVOKED');
    assert.match(suspended.actions.at(-1).notes, /accepted a call without a signature/);
    await until('the command is gone', () => !commands().includes('trust'));
    assert.equal((await call('POST', appPath(id), {})).status, 404);
  });

  test('that is down gives a clear message, and its owner and limits are respected', async () => {
    const { id } = await register('Sleepy', `${server.url}/hello-action`);
    await publish(id);
    await call('POST', appPath(id), {});
    await until('Discord shows the command', () => commands().includes('hello-action'));
    await sql`update mini_apps set url = 'http://127.0.0.1:9' where id = ${id}`.execute(server.services.db.system);
    const slept = await discord.press({ userId: guild.memberId, channelId: guild.channelId, command: 'hello-action' });
    await shows(slept, /Sleepy is not responding/);
    await call('DELETE', appPath(id));

    const stranger = await server.aeToken('DIS#USER#666');
    for (const [method, path, body] of [
      ['PATCH', `/miniapps/${id}`, { name: 'Mine' }],
      ['PATCH', `/miniapps/${id}/reset-secret`, undefined],
      ['DELETE', `/miniapps/${id}`, undefined],
      ['GET', `/miniapps/dev-orgs/${world.organizationId}`, undefined],
    ] as const)
      assert.equal((await call(method, path, body, stranger)).status, 404, `${method} ${path}`);
    assert.equal((await call('PATCH', `/miniapps/${id}`, { name: 'Awake' })).json.name, 'Awake');
    const { json: reset } = await call('PATCH', `/miniapps/${id}/reset-secret`);
    assert.ok(reset.privateKey);
    for (const url of ['ftp://example.org', 'http://example.org', 'https://u:p@example.org', 'nonsense'])
      assert.equal(
        (await call('POST', '/miniapps', { pk: world.organizationId, name: 'x', description: 'x', url })).status,
        422,
        url,
      );
    const made = await Promise.all(Array.from({ length: 8 }, () => register('Many', `${server.url}/hello-action`)));
    assert.ok(made.some(({ error }) => error?.code === 'PLAN_LIMIT_REACHED'));
    assert.ok(!server.logLines.join('\n').includes(reset.privateKey));
  });

  test('receives member events if it requested them, signed with the key of its own registration', async () => {
    const received: { body: string; headers: Readonly<Record<string, string>> }[] = [];
    const metadata = { manifest: { name: 'Ear', subscribedEvents: ['guildMemberUpdate'], webhookUrl: '' } };
    await using listening = await startForeignApp(metadata, async ({ path, headers, body, askSample }) => {
      if (path !== '/webhook') return askSample('events', headers, body);
      received.push({ body: body.toString(), headers });
      return { status: 200 };
    });
    metadata.manifest.webhookUrl = `${listening.url}/webhook`;
    await sql`delete from mini_apps where organization_id = ${world.organizationId}`.execute(server.services.db.system);
    const { id, publicKey } = await register('Ear', listening.url);
    await publish(id);
    await call('POST', appPath(id), {});
    const { guildId, memberId: userId } = guild;
    const member = { guildId, userId, userName: 'ada', roleIds: ['7'], isBot: false };
    await takeDiscordEvent(server.services, { kind: 'member-updated', ...member });
    await takeDiscordEvent(server.services, { kind: 'member-left', guildId, userId });
    await until('the app is notified', () => received.length > 0);
    await server.worker.idle();
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body)),
      [{ event: 'guildMemberUpdate', payload: [{ guildId, userId, roles: ['7'] }] }],
    );
    const [{ body, headers } = { body: '', headers: {} as Readonly<Record<string, string>> }] = received;
    const text = `${headers['x-signature-timestamp']}${body}`;
    const signature = Buffer.from(String(headers['x-signature-ed25519']), 'hex');
    const x = Buffer.from(base58.decode(publicKey)).toString('base64url');
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    assert.ok(verify(null, Buffer.from(text), key, signature));
  });
});
