import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { close, listen } from '../http/listen.ts';
import type { DiscordEmulator } from './start.ts';
import { ask, emulatorFor } from './testing.ts';

interface Received {
  type: number;
  id: string;
  token: string;
  data: { name?: string; custom_id?: string; options?: unknown };
  member?: { user: { id: string }; permissions: string };
  message?: { id: string };
  guild_id?: string;
}

/** Starts a typical application: it verifies the signature, answers pings, and returns `answer` for everything else. */
async function endpointFor(
  t: TestContext,
  publicKey: string,
  answer: (interaction: Received) => unknown,
  checksSignatures = true,
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    const { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp } = request.headers;
    const isSigned = ed25519.verify(
      Buffer.from(String(signature), 'hex'),
      Buffer.from(`${timestamp}${body}`),
      Buffer.from(publicKey, 'hex'),
    );
    if (checksSignatures && !isSigned) {
      response.writeHead(401).end();
      return;
    }
    const interaction: Received = JSON.parse(body);
    if (interaction.type !== 1) received.push(interaction);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(interaction.type === 1 ? { type: 1 } : await answer(interaction)));
  });
  const address = await listen(server, 0, '127.0.0.1');
  t.after(() => close(server));
  return { url: `http://${address}/interactions`, received };
}

async function clubFor(t: TestContext) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const [channelId = ''] = guild.channels.keys();
  const ann = emulator.addMember(guild.id, { name: 'ann' });
  return { time, emulator, guild, channelId, userId: ann.user.id };
}

const register = (emulator: DiscordEmulator, ...commands: unknown[]) =>
  ask(emulator, `PUT /applications/${emulator.application.id}/commands`, commands);
const check = { name: 'check', description: 'Checks the wallets' };
const viaToken = (emulator: DiscordEmulator, method: string, path: string, body?: unknown) =>
  ask(emulator, `${method} ${path}`, body, {});

test('names and descriptions in other languages are checked, and an interaction says which language its user reads', async (t) => {
  const { emulator, userId, channelId } = await clubFor(t);
  const { url, received } = await endpointFor(t, emulator.application.publicKey, () => ({ type: 5 }));
  const localized = (name: object, description = {}) => ({
    ...check,
    name_localizations: name,
    description_localizations: description,
  });
  const below = (name: object) => ({ ...check, options: [{ type: 1, ...localized(name) }] });
  for (const command of [
    localized({ ar: 'تحقق' }),
    localized({ de: 'Prüfen' }),
    localized({ de: 'zwei wörter' }),
    localized({}, { de: 'x'.repeat(101) }),
    below({ xx: 'check' }),
  ])
    assert.equal((await register(emulator, command)).status, 400, JSON.stringify(command));
  assert.equal((await register(emulator, localized({ de: 'prüfen', 'es-419': 'comprobar' }))).status, 200);
  await emulator.setInteractionsUrl(url);
  await emulator.press({ userId, channelId, command: 'check', locale: 'de', guildLocale: 'fr' });
  const { locale, guild_locale } = received.at(-1) as unknown as Record<string, unknown>;
  assert.deepEqual([locale, guild_locale], ['de', 'fr']);
});

test('an endpoint that does not verify signatures is rejected', async (t) => {
  const { emulator } = await clubFor(t);
  const { publicKey } = emulator.application;
  const careless = await endpointFor(t, publicKey, () => ({}), false);
  await assert.rejects(emulator.setInteractionsUrl(careless.url), /wrong signature instead of 401/);
  const body = { interactions_endpoint_url: careless.url };
  const refused = await ask(emulator, 'PATCH /applications/@me', body);
  assert.deepEqual(
    [refused.status, refused.body.code, Object.keys(refused.body.errors)],
    [400, 50035, ['interactions_endpoint_url']],
  );
  await assert.rejects(emulator.setInteractionsUrl('http://127.0.0.1:1/'), /could not be reached/);

  const careful = await endpointFor(t, publicKey, () => ({}));
  const taken = await ask(emulator, 'PATCH /applications/@me', { interactions_endpoint_url: careful.url });
  assert.equal(taken.body.interactions_endpoint_url, careful.url);
  assert.equal(taken.body.verify_key, publicKey);
});

test('a command reaches the endpoint signed, and its response becomes an ephemeral message', async (t) => {
  const { emulator, guild, channelId, userId } = await clubFor(t);
  const answer = { type: 4, data: { content: 'You hold 3 cats', flags: 64 } };
  const { url, received } = await endpointFor(t, emulator.application.publicKey, () => answer);
  await emulator.setInteractionsUrl(url);
  await register(emulator, {
    ...check,
    options: [
      { type: 1, name: 'wallet', description: 'One', options: [{ type: 3, name: 'address', description: 'Which' }] },
    ],
  });
  const pressed = await emulator.press({ userId, channelId, command: 'check wallet', options: { address: '0xabc' } });
  assert.equal(pressed.message()?.content, 'You hold 3 cats');
  assert.equal(guild.channels.get(channelId)?.messages.size, 0);
  const [interaction] = received;
  assert.deepEqual([interaction?.type, interaction?.guild_id, interaction?.member?.user.id], [2, guild.id, userId]);
  assert.deepEqual(interaction?.data.options, [
    { name: 'wallet', type: 1, options: [{ name: 'address', type: 3, value: '0xabc' }] },
  ]);
  await assert.rejects(emulator.press({ userId, channelId, command: 'nothing' }), /no command/);
  await assert.rejects(emulator.press({ userId: guild.id, channelId, command: 'check' }), /no such person/);
});

test('a deferred response is completed with the token, for fifteen minutes', async (t) => {
  const { time, emulator, channelId, userId } = await clubFor(t);
  const { url, received } = await endpointFor(t, emulator.application.publicKey, () => ({
    type: 5,
    data: { flags: 64 },
  }));
  await emulator.setInteractionsUrl(url);
  await register(emulator, check);
  const pressed = await emulator.press({ userId, channelId, command: 'check' });
  assert.equal(pressed.message()?.flags, 64 | 128);
  const hook = `/webhooks/${emulator.application.id}/${pressed.token}`;
  const filled = await viaToken(emulator, 'PATCH', `${hook}/messages/@original`, { content: 'Done' });
  assert.deepEqual([filled.status, filled.body.content, filled.body.flags], [200, 'Done', 64]);
  const more = await viaToken(emulator, 'POST', hook, { content: 'And more' });
  assert.equal(pressed.followUps()[0]?.content, 'And more');
  assert.equal((await viaToken(emulator, 'DELETE', `${hook}/messages/${more.body.id}`)).status, 204);
  assert.equal((await viaToken(emulator, 'GET', `${hook}/messages/${more.body.id}`)).body.code, 10008);
  const again = await viaToken(emulator, 'POST', `/interactions/${received[0]?.id}/${pressed.token}/callback`, {
    type: 5,
  });
  assert.deepEqual([again.status, again.body.code], [400, 40060]);
  const unknown = await viaToken(emulator, 'POST', `/interactions/${userId}/wrong/callback`, { type: 5 });
  assert.deepEqual([unknown.status, unknown.body.code], [404, 10062]);

  time.nowMs += 15 * 60_000 + 1;
  const late = await viaToken(emulator, 'PATCH', `${hook}/messages/@original`, { content: 'Late' });
  assert.deepEqual([late.status, late.body.code], [401, 50027]);
  assert.equal(pressed.message()?.content, 'Done');
});

test('a button updates its message, or opens a modal that can be submitted', async (t) => {
  const { emulator, channelId, userId } = await clubFor(t);
  const input = { type: 4, custom_id: 'why', style: 1, max_length: 10 };
  const form = { type: 18, label: 'Why', component: input };
  const { url, received } = await endpointFor(t, emulator.application.publicKey, ({ type, data }) => {
    if (type === 5) return { type: 4, data: { content: 'Thanks' } };
    return data.custom_id === 'form'
      ? { type: 9, data: { custom_id: 'ask', title: 'Ask', components: [form] } }
      : { type: 7, data: { content: 'Joined' } };
  });
  await emulator.setInteractionsUrl(url);
  const button = (custom_id: string) => ({ type: 2, style: 1, label: custom_id, custom_id });
  const components = [{ type: 1, components: [button('join'), button('form')] }];
  const posted = await ask(emulator, `POST /channels/${channelId}/messages`, { content: 'Welcome', components });
  const messageId = posted.body.id;
  const joined = await emulator.press({ userId, channelId, messageId, customId: 'join' });
  assert.deepEqual([joined.message()?.id, joined.message()?.content], [messageId, 'Joined']);
  assert.equal(received[0]?.message?.id, messageId);
  const opened = await emulator.press({ userId, channelId, messageId, customId: 'form' });
  assert.deepEqual([opened.answer.type, opened.answer.data.custom_id], [9, 'ask']);
  const sent = await emulator.press({ userId, channelId, modal: 'ask', fields: { why: 'cats' } });
  assert.equal(sent.message()?.content, 'Thanks');
  const submitted = received.at(-1)?.data as unknown as { components: unknown };
  assert.deepEqual(submitted.components, [
    { type: 18, id: 1, component: { id: 2, type: 4, custom_id: 'why', value: 'cats' } },
  ]);
  const submit = (fields: Record<string, string>) => emulator.press({ userId, channelId, modal: 'ask', fields });
  await assert.rejects(submit({}), /why is required/);
  await assert.rejects(submit({ why: 'x'.repeat(11) }), /0 to 10 characters/);
  await assert.rejects(submit({ other: 'x' }), /no field other/);
  await assert.rejects(emulator.press({ userId, channelId, messageId, customId: 'gone' }), /nothing to press/);
});

test('components of version 2 and forms are checked as Discord checks them', async (t) => {
  const { time, emulator, channelId, userId } = await clubFor(t);
  const version2 = 1 << 15;
  const text = (content: string) => ({ type: 10, content });
  const press = (custom_id: string, label = 'Go') => ({ type: 2, style: 1, label, custom_id });
  const row = (...components: object[]) => ({ type: 1, components });
  const card = (...components: object[]) => ({ type: 17, components });
  const send = async (components: unknown, more: object = {}) => {
    time.nowMs += 10_000;
    const { status, body } = await ask(emulator, `POST /channels/${channelId}/messages`, {
      flags: version2,
      components,
      ...more,
    });
    return status === 200 ? 'sent' : (/"code":"(\w+)"/.exec(JSON.stringify(body.errors))?.[1] ?? body.message);
  };
  const section = (accessory?: object) => ({ type: 9, components: [text('a')], ...(accessory && { accessory }) });
  assert.equal(await send([card(text('a'), row(press('a')), { type: 14 }, section(press('b')))]), 'sent');
  for (const [expected, components, more] of [
    ['MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', [text('a')], { content: 'x' }],
    ['MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', [text('a')], { embeds: [{ title: 'x' }] }],
    ['UNION_TYPE_CHOICES', [text('a')], { flags: 0 }],
    ['UNION_TYPE_CHOICES', [card(card(text('a')))], {}],
    ['UNION_TYPE_CHOICES', [press('a')], {}],
    ['DICT_TYPE_CONVERT', [section()], {}],
    ['BASE_TYPE_REQUIRED', [text('')], {}],
    ['BASE_TYPE_REQUIRED', [card()], {}],
    ['BASE_TYPE_MAX_LENGTH', [text('x'.repeat(4001))], {}],
    ['COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', [text('x'.repeat(2000)), card(text('x'.repeat(2001)))], {}],
    ['COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', [card(...Array.from({ length: 40 }, () => text('x')))], {}],
    ['COMPONENT_CUSTOM_ID_DUPLICATED', [row(press('a')), row(press('a'))], {}],
    ['BASE_TYPE_MAX_LENGTH', [row(press('a', 'x'.repeat(81)))], {}],
    ['BASE_TYPE_MAX_LENGTH', [row(...Array.from({ length: 6 }, (_, at) => press(`${at}`)))], {}],
    ['Cannot send an empty message', [], {}],
  ] as const)
    assert.equal(await send(components, more), expected, JSON.stringify([components, more]).slice(0, 200));

  // A message that has content keeps it, unless the change empties it; the flag cannot be taken off again.
  const { body: old } = await ask(emulator, `POST /channels/${channelId}/messages`, { content: 'Hello' });
  const edit = (change: object) => {
    time.nowMs += 10_000;
    return ask(emulator, `PATCH /channels/${channelId}/messages/${old.id}`, change);
  };
  assert.equal((await edit({ flags: version2, components: [text('a')] })).status, 400);
  const edited = await edit({ flags: version2, components: [text('a')], content: null, embeds: [] });
  assert.deepEqual([edited.status, edited.body.flags, edited.body.content], [200, version2, '']);
  assert.equal((await edit({ flags: 0, content: 'Hello again' })).status, 400);

  const label = (component: unknown, words = 'Why') => ({ type: 18, label: words, component });
  const input = (custom_id: string) => ({ type: 4, custom_id, style: 2 });
  let form: object = {};
  const { url } = await endpointFor(t, emulator.application.publicKey, () => ({ type: 9, data: form }));
  await emulator.setInteractionsUrl(url);
  await register(emulator, check);
  const opens = async (components: unknown, title = 'Ask') => {
    time.nowMs += 10_000;
    form = { custom_id: 'ask', title, components };
    return emulator.press({ userId, channelId, command: 'check' }).then(
      () => 'opened',
      ({ message }: Error) => /"code":"(\w+)"/.exec(message)?.[1] ?? message,
    );
  };
  const select = (...values: string[]) => ({
    type: 3,
    custom_id: 'which',
    options: values.map((value) => ({ label: value, value })),
  });
  assert.equal(
    await opens([label(input('a')), label(select('x', 'y')), label({ type: 5, custom_id: 'who' })]),
    'opened',
  );
  for (const [expected, components, title] of [
    ['BASE_TYPE_REQUIRED', [], 'Ask'],
    ['BASE_TYPE_MAX_LENGTH', [label(input('a'))], 'x'.repeat(46)],
    ['BASE_TYPE_MAX_LENGTH', [label(input('a'), 'x'.repeat(46))], 'Ask'],
    ['BASE_TYPE_MAX_LENGTH', Array.from({ length: 6 }, (_, at) => label(input(`${at}`))), 'Ask'],
    ['UNION_TYPE_CHOICES', [label(press('a'))], 'Ask'],
    ['UNION_TYPE_CHOICES', [input('a')], 'Ask'],
    ['COMPONENT_CUSTOM_ID_DUPLICATED', [label(input('a')), label(input('a'))], 'Ask'],
    ['SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', [label(select('x', 'x'))], 'Ask'],
    ['BASE_TYPE_REQUIRED', [label(select())], 'Ask'],
  ] as const)
    assert.equal(await opens(components, title), expected, JSON.stringify(components).slice(0, 200));
});

test('an application that returns garbage fails the interaction, as on Discord', async (t) => {
  const { emulator, channelId, userId } = await clubFor(t);
  let answer: unknown = { type: 99 };
  const { url } = await endpointFor(t, emulator.application.publicKey, () => answer);
  await emulator.setInteractionsUrl(url);
  await register(emulator, check);
  const press = () => emulator.press({ userId, channelId, command: 'check' });
  await assert.rejects(press(), /answer is wrong: Invalid Form Body/);
  answer = { type: 4, data: {} };
  await assert.rejects(press(), /Cannot send an empty message/);
  answer = { type: 7, data: { content: 'x' } };
  await assert.rejects(press(), /answer is wrong/);
  const bad = await register(emulator, { name: 'Bad Name', description: 'x' });
  assert.deepEqual([bad.status, bad.body.code], [400, 50035]);
});
