import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type APIApplicationRoleConnectionMetadata,
  ApplicationRoleConnectionMetadataType,
  REST,
  type RESTGetAPIApplicationRoleConnectionMetadataResult,
  type RESTPutAPICurrentUserApplicationRoleConnectionResult,
  Routes,
} from 'discord.js';
import { ask, emulatorFor } from './testing.ts';

const redirectUri = 'https://club.example/back';
const record: APIApplicationRoleConnectionMetadata = {
  type: ApplicationRoleConnectionMetadataType.IntegerGreaterThanOrEqual,
  key: 'wallets',
  name: 'Wallets',
  description: 'How many wallets are linked',
};

/** The third-party client that the emulator is tested against, as the bot and as a user who granted these scopes. */
async function linkedFor(t: TestContext, scope = 'identify role_connections.write') {
  const emulator = await emulatorFor(t, { application: { redirectUris: [redirectUri] } });
  const { id: clientId, clientSecret, token } = emulator.application;
  const user = emulator.createUser('ann');
  const code = new URL(emulator.approveLogin(user.id, { clientId, redirectUri, scope })).searchParams.get('code') ?? '';
  const given = await fetch(`${emulator.url}/v10/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
  });
  const { access_token } = (await given.json()) as { access_token: string };
  const bot = new REST({ api: emulator.url, retries: 0 }).setToken(token);
  const person = new REST({ api: emulator.url, retries: 0, authPrefix: 'Bearer' }).setToken(access_token);
  return {
    emulator,
    user,
    bot,
    person,
    records: Routes.applicationRoleConnectionMetadata(clientId),
    own: Routes.userApplicationRoleConnection(clientId),
  };
}

test('discord.js registers role connection metadata, and a user’s token sets the values', async (t) => {
  const { emulator, user, bot, person, records, own } = await linkedFor(t);
  await bot.put(records, { body: [record] });
  const kept = (await bot.get(records)) as RESTGetAPIApplicationRoleConnectionMetadataResult;
  assert.deepEqual(kept, [record]);
  const body = { platform_name: 'Latchkey', platform_username: 'ann', metadata: { wallets: 2, unknown: 1 } };
  const report = (await person.put(own, { body })) as RESTPutAPICurrentUserApplicationRoleConnectionResult;
  assert.deepEqual(report, { ...body, metadata: { wallets: '2' } }, 'values are strings, and only for registered keys');
  assert.deepEqual(await person.get(own), report);
  assert.deepEqual(emulator.application.roleConnections.get(user.id), report);
  const verificationUrl = 'https://club.example/linked-roles';
  await bot.patch(Routes.currentApplication(), { body: { role_connections_verification_url: verificationUrl } });
  assert.equal(emulator.application.roleConnectionsUrl, verificationUrl);
});

test('Discord’s limits hold: five records, short texts, plain keys, and the scope', async (t) => {
  const { emulator, bot, person, records, own } = await linkedFor(t);
  const six = Array.from({ length: 6 }, (_, index) => ({ ...record, key: `key_${index}` }));
  for (const body of [
    six,
    [{ ...record, key: 'Wallets' }],
    [{ ...record, type: 9 }],
    [{ ...record, name: 'n'.repeat(101) }],
    [{ ...record, description: 'd'.repeat(201) }],
  ])
    await assert.rejects(bot.put(records, { body }), { status: 400, code: 50035 });
  await bot.put(records, { body: [record] });
  for (const body of [
    { platform_name: 'n'.repeat(51) },
    { platform_username: 'n'.repeat(101) },
    { metadata: { wallets: '1'.repeat(101) } },
    { metadata: 'wallets' },
  ])
    await assert.rejects(person.put(own, { body }), { status: 400, code: 50035 });
  await assert.rejects(bot.put(own, { body: {} }), { status: 403, code: 20001 });
  const stranger = emulator.createApplication({ name: 'Other' });
  await assert.rejects(person.put(Routes.userApplicationRoleConnection(stranger.id), { body: {} }), { status: 403 });
  await assert.rejects(bot.put(Routes.applicationRoleConnectionMetadata(stranger.id), { body: [] }), { status: 403 });
  const url = { role_connections_verification_url: 'javascript:alert(1)' };
  assert.equal((await ask(emulator, 'PATCH /applications/@me', url)).status, 400);
});

test('a token without the scope sets nothing', async (t) => {
  const { person, own } = await linkedFor(t, 'identify');
  await assert.rejects(person.put(own, { body: {} }), { status: 401 });
});
