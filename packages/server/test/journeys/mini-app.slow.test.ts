import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { contextFor, decideMiniApp, jobKinds, takeDiscordEvent } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { until, volume } from '@latchkey/test-kit';
import { type DiscordTwin, startDiscordTwin } from '@latchkey/twins/discord';
import { newMiniApp } from '../../../../scripts/new-miniapp.mjs';
import { installOriginalLibrary, startOriginalApp } from '../harness/original-library.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('a mini-app', () => {
  let server: TestServer;
  let discord: DiscordTwin;
  let folder: string;
  let app: ChildProcess;
  let appUrl: string;
  let guild: { guildId: string; channelId: string; ownerId: string; memberId: string; communityId: string };
  let owner: string;
  let clientId: string;
  let organizationId: string;

  before(async () => {
    discord = await startDiscordTwin({ seed: 'mini-app', answerWithinMs: 120_000 });
    server = await startTestServer({
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_PUBLIC_KEY: discord.application.publicKey,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
    });
    await discord.setInteractionsUrl(`${server.url}/discord/interactions`);
    const made = discord.createGuild({ name: 'Cats' });
    owner = await server.aeToken(`DIS#USER#${made.ownerId}`);
    const { json } = await call('POST', '/communities', { platform: 'discord', communityId: made.id, name: 'Cats' });
    guild = {
      guildId: made.id,
      channelId: [...discord.getGuild(made.id).channels.keys()][0] ?? '',
      ownerId: made.ownerId,
      memberId: discord.addMember(made.id, { name: 'ada' }).user.id,
      communityId: json.id,
    };
    organizationId = await makeOrganization(`DIS#USER#${made.ownerId}`);
    clientId = (await server.apiKey(['user:read'], `DIS#USER#${made.ownerId}`)).id;
    await sql`update client_apps set organization_id = ${organizationId} where id = ${clientId}`.execute(
      server.services.db.system,
    );
    folder = await mkdtemp(join(tmpdir(), 'latchkey-mini-app-'));
    await newMiniApp([join(folder, 'mine')]);
    ({ app, url: appUrl } = await startApp());
  });
  after(async () => {
    app?.kill('SIGKILL');
    await server?.close();
    await discord?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const call = (method: string, path: string, json?: unknown, authorization = owner) =>
    server.request(method, path, { headers: { authorization }, ...(json !== undefined && { json }) });
  /** Waits until a person reads this; an app that is slow is first shown as thinking. */
  const shows = (pressed: Awaited<ReturnType<DiscordTwin['press']>>, text: RegExp) =>
    until(`somebody reads ${text}`, () => text.test(pressed.message()?.content ?? ''));
  const operator = () => contextFor(server.services, { kind: 'admin', name: 'Olga' });
  const appPath = (id: string) => `/communities/${encodeURIComponent(guild.communityId)}/apps/${id}`;
  const commands = () =>
    [...(discord.application.commands.get(guild.guildId)?.values() ?? [])].map(({ fields }) => String(fields.name));

  async function makeOrganization(userId: string): Promise<string> {
    const now = new Date();
    const row = {
      id: server.services.random.id(21),
      created_by_id: userId,
      name: 'Devs',
      email: 'd@example.org',
      plan_id: 'free',
    };
    const times = { created_at: now, code_asked_at: now, verified_at: now };
    await server.services.db.system
      .insertInto('organizations')
      .values({ ...row, ...times })
      .execute();
    return row.id;
  }

  async function startApp(): Promise<{ app: ChildProcess; url: string }> {
    const { json: config } = await server.request('GET', '/config');
    const child = spawn(process.execPath, ['mini-app.ts'], {
      cwd: join(folder, 'mine'),
      env: { LATCHKEY_ACTION_KEY: config.actionEd25519PublicKeyHex, LATCHKEY_CLIENT_ID: clientId, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    return { app: child, url: `http://127.0.0.1:${/port (\d+)/.exec(line)?.[1]}` };
  }

  const register = async (name: string, url: string) =>
    (await call('POST', '/miniapps', { pk: organizationId, name, description: 'Greets', url })).json;
  const publish = async (id: string) => {
    await decideMiniApp(operator(), { id, decision: 'approve' });
    return decideMiniApp(operator(), { id, decision: 'list' });
  };

  test('does not start without the key that it must check calls with', async () => {
    for (const LATCHKEY_ACTION_KEY of ['', 'ab', 'x'.repeat(64)]) {
      const started = promisify(execFile)(process.execPath, ['mini-app.ts'], {
        cwd: join(folder, 'mine'),
        env: { LATCHKEY_ACTION_KEY },
      });
      await assert.rejects(started, { code: 1, stderr: /Set LATCHKEY_ACTION_KEY/ });
    }
  });

  test('is written from the template, registered, reviewed, installed, used, given a permission, and removed', async () => {
    const registered = await register('Greeter', appUrl);
    assert.equal(registered.status, 'PENDING');
    assert.ok(registered.privateKey && registered.publicKey);
    const id = registered.id as string;
    assert.equal((await call('POST', appPath(id), {})).status, 404);
    assert.equal((await publish(id)).status, 'LISTED');
    const [listed] = (await call('GET', `/miniapps/dev-orgs/${organizationId}`)).json;
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
          where user_id = ${`DIS#USER#${guild.memberId}`} and client_id = ${clientId}`.execute(
          server.services.db.system,
        )
      ).rows;
    const pressed = await discord.press({ ...press, messageId: question.id, customId: approve });
    await shows(pressed, /do you want to give "Greeter" access to your account\?/);
    assert.match(pressed.message()?.content ?? '', /a mini-app of this server by "Devs"/);
    assert.deepEqual(await allowed(), [], 'the button of the app gives nothing');
    const [allow = ''] = JSON.stringify(pressed.message()?.components).match(/latchkey:permit:\w+/) ?? [];
    const asked = { ...press, messageId: pressed.message()?.id ?? '', customId: allow };
    await shows(await discord.press(asked), /^You are ada to the server\.$/);
    assert.deepEqual(await allowed(), [{ scopes: ['user:read'] }]);
    await shows(await discord.press(asked), /answered already or is too old/);
    const denied = await discord.press({ ...press, messageId: question.id, customId: deny });
    await shows(denied, /^Then I will not ask the server\.$/);

    const open = () =>
      sql<{ n: number }>`
        select count(*)::int as n from access_tokens where client_id = ${clientId} and revoked_at is null`.execute(
        server.services.db.system,
      );
    assert.deepEqual((await open()).rows, [{ n: 1 }]);
    const own = await server.apiKey(['$internal']);
    const member = await server.aeToken(`DIS#USER#${guild.memberId}`);
    const headers = { authorization: member, 'x-api-key': own.key };
    assert.equal((await server.request('DELETE', `/user-authorizations/${clientId}`, { headers })).status, 204);
    assert.deepEqual((await open()).rows, [{ n: 0 }]);

    assert.equal((await call('DELETE', appPath(id))).status, 204);
    await until('Discord does not show the command any more', () => !commands().includes('greet'));
    assert.equal((await call('DELETE', `/miniapps/${id}`)).status, 204);
    assert.deepEqual((await call('GET', `/miniapps/dev-orgs/${organizationId}`)).json, []);
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

  test('that has one key, and no /events, gets calls with the signature that it can check', async () => {
    const calls: string[] = [];
    const oneKey = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const metadata = {
        manifest: { name: 'One key' },
        applicationCommands: [{ name: 'one-key', description: 'x' }],
        supportedInteractions: [{ type: 2, names: ['one-key'] }],
      };
      if (request.url === '/metadata') return response.end(JSON.stringify(metadata));
      if (request.url !== '/interactions') return response.writeHead(404).end();
      const {
        'x-signature-timestamp': time,
        'x-signature-ecdsa': ecdsa,
        'x-signature-ed25519': ed25519,
      } = request.headers;
      // As the published framework: it looks at ECDSA first, and has no key for the other kind.
      if (ecdsa === undefined && ed25519 !== undefined) return response.writeHead(503).end();
      const headers = {
        ...(time && { 'x-signature-timestamp': String(time) }),
        ...(ecdsa && { 'x-signature-ecdsa': String(ecdsa) }),
      };
      const answer = await fetch(`${server.url}/hello-action/interactions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.concat(chunks),
      });
      if (answer.ok) calls.push(ed25519 === undefined ? 'ecdsa' : 'both');
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await once(oneKey.listen(0, '127.0.0.1'), 'listening');
    const { id } = await register('One key', `http://127.0.0.1:${(oneKey.address() as AddressInfo).port}`);
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
    oneKey.close();
    oneKey.closeAllConnections();
  });

  // The library brings hundreds of packages. The test above holds the same with an app of its own.
  if (volume(0, 1) > 0)
    test('that is written against the original’s published library is listed and called, whichever key it has', async () => {
      const library = await installOriginalLibrary();
      const { json: config } = await server.request('GET', '/config');
      const ed25519 = { COLLABLAND_ACTION_ED25519_PUBLIC_KEY: config.actionEd25519PublicKey };
      const ecdsa = { COLLABLAND_ACTION_ECDSA_PUBLIC_KEY: config.actionEcdsaPublicKey };
      for (const [keys, said] of [
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
            said,
          );
          await call('DELETE', appPath(id));
          await call('DELETE', `/miniapps/${id}`);
          await until('the command is gone', () => !commands().includes('original'));
        } finally {
          original.app.kill('SIGKILL');
        }
      }
    });

  test('that believes forged calls is not listed, and is suspended when it begins to', async () => {
    let isCareful = true;
    const metadata = {
      manifest: { name: 'Trusting' },
      applicationCommands: [{ name: 'trust', description: 'x' }],
      supportedInteractions: [{ type: 2, nameOrIdPattern: 'trust' }],
    };
    const trusting = createServer((request, response) => {
      request.resume();
      if (request.url === '/metadata') return response.end(JSON.stringify(metadata));
      const probe = { method: request.method ?? 'POST', headers: request.headers };
      // It asks the sample, which knows the keys, unless it has become careless.
      if (!isCareful) return response.writeHead(204).end();
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      return request.on('end', async () => {
        const headers = Object.fromEntries(
          Object.entries(probe.headers).filter(([name]) => /^(x-|content-type)/.test(name)),
        );
        const path = request.url === '/events' ? 'events' : 'interactions';
        const answer = await fetch(`${server.url}/hello-action/${path}`, {
          method: 'POST',
          headers: headers as Record<string, string>,
          body: Buffer.concat(chunks),
        });
        response.writeHead(answer.status).end(await answer.text());
      });
    });
    await once(trusting.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(trusting.address() as AddressInfo).port}`;
    isCareful = false;
    const { id } = await register('Trusting', url);
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
    const [suspended] = (await call('GET', `/miniapps/dev-orgs/${organizationId}`)).json.filter(
      (one: { id: string }) => one.id === id,
    );
    assert.equal(suspended.status, 'REVOKED');
    assert.match(suspended.actions.at(-1).notes, /accepted a call without a signature/);
    await until('the command is gone', () => !commands().includes('trust'));
    assert.equal((await call('POST', appPath(id), {})).status, 404);
    trusting.close();
    trusting.closeAllConnections();
  });

  test('that is down leaves a sentence, and its owner and limits are respected', async () => {
    const { id } = await register('Sleepy', `${server.url}/hello-action`);
    await publish(id);
    await call('POST', appPath(id), {});
    await until('Discord shows the command', () => commands().includes('hello-action'));
    await sql`update mini_apps set url = 'http://127.0.0.1:9' where id = ${id}`.execute(server.services.db.system);
    const slept = await discord.press({ userId: guild.memberId, channelId: guild.channelId, command: 'hello-action' });
    await shows(slept, /Sleepy does not answer at the moment/);
    await call('DELETE', appPath(id));

    const stranger = await server.aeToken('DIS#USER#666');
    for (const [method, path, body] of [
      ['PATCH', `/miniapps/${id}`, { name: 'Mine' }],
      ['PATCH', `/miniapps/${id}/reset-secret`, undefined],
      ['DELETE', `/miniapps/${id}`, undefined],
      ['GET', `/miniapps/dev-orgs/${organizationId}`, undefined],
    ] as const)
      assert.equal((await call(method, path, body, stranger)).status, 404, `${method} ${path}`);
    assert.equal((await call('PATCH', `/miniapps/${id}`, { name: 'Awake' })).json.name, 'Awake');
    const { json: reset } = await call('PATCH', `/miniapps/${id}/reset-secret`);
    assert.ok(reset.privateKey);
    for (const url of ['ftp://example.org', 'http://example.org', 'https://u:p@example.org', 'nonsense'])
      assert.equal(
        (await call('POST', '/miniapps', { pk: organizationId, name: 'x', description: 'x', url })).status,
        422,
        url,
      );
    const made = await Promise.all(Array.from({ length: 8 }, () => register('Many', `${server.url}/hello-action`)));
    assert.ok(made.some(({ error }) => error?.code === 'PLAN_LIMIT_REACHED'));
    assert.ok(!server.logLines.join('\n').includes(reset.privateKey));
  });

  test('hears of members if it asked to, signed by the key of its own registration', async () => {
    const heard: { body: string; headers: IncomingHttpHeaders }[] = [];
    const listening = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.url === '/webhook') {
        heard.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
        return response.writeHead(200).end();
      }
      if (request.url === '/metadata') return response.end(JSON.stringify(metadata));
      // The sample knows the keys and judges for it.
      const headers = Object.entries(request.headers).filter(([name]) => /^(x-|content-type)/.test(name));
      const forwarded = { method: 'POST', headers: Object.fromEntries(headers) as Record<string, string> };
      const answer = await fetch(`${server.url}/hello-action/events`, { ...forwarded, body: Buffer.concat(chunks) });
      return response.writeHead(answer.status).end();
    });
    await once(listening.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    const metadata = {
      manifest: { name: 'Ear', subscribedEvents: ['guildMemberUpdate'], webhookUrl: `${url}/webhook` },
    };
    await sql`delete from mini_apps where organization_id = ${organizationId}`.execute(server.services.db.system);
    const { id, publicKey } = await register('Ear', url);
    await publish(id);
    await call('POST', appPath(id), {});
    const { guildId, memberId: userId } = guild;
    const member = { guildId, userId, userName: 'ada', roleIds: ['7'], isBot: false };
    await takeDiscordEvent(server.services, { kind: 'member-updated', ...member });
    await takeDiscordEvent(server.services, { kind: 'member-left', guildId, userId });
    await until('the app is told', () => heard.length > 0);
    await server.worker.idle();
    assert.deepEqual(
      heard.map(({ body }) => JSON.parse(body)),
      [{ event: 'guildMemberUpdate', payload: [{ guildId, userId, roles: ['7'] }] }],
    );
    const [{ body, headers } = { body: '', headers: {} }] = heard;
    const text = `${headers['x-signature-timestamp']}${body}`;
    const signature = Buffer.from(String(headers['x-signature-ed25519']), 'hex');
    const x = readBase58(publicKey).toString('base64url');
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    assert.ok(verify(null, Buffer.from(text), key, signature));
    listening.close();
    listening.closeAllConnections();
  });
});

/** The 32 bytes of a key in base 58. */
function readBase58(text: string): Buffer {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const number = [...text].reduce((sum, letter) => sum * 58n + BigInt(alphabet.indexOf(letter)), 0n);
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}
