import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { shownText } from '@latchkey/emulators/discord';
import { sendMessage } from '../../communities/discord-guilds/guild-operations.ts';
import { keepInteraction } from '../../communities/discord-guilds/index.ts';
import { followUp } from '../../communities/discord-guilds/operations.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { removeOldQuestions } from '../../developers/mini-apps/jobs.ts';
import { createMiniApp } from '../../developers/mini-apps/operations.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { verifyAccessToken } from '../../identity/credentials/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { operator } from '../../testing/index.ts';
import { handleInteraction } from './index.ts';

const hour = 3600;

describe('an app that asks to act for a member', () => {
  let d: DiscordPlatform;
  let guild: Awaited<ReturnType<typeof addGuild>>;
  /** The requests that the app received, and its response. */
  let report: { data: { custom_id: string }; message: unknown; actionContext: { apiToken?: string } }[];
  let appSays: unknown;
  before(async () => {
    d = await discordPlatform('app-permissions');
    await ensureSigningKeys(d.services);
    guild = await addGuild(d);
    d.t.answer((request) => {
      report.push(JSON.parse(String(request.body)));
      return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(appSays)) };
    });
  });
  beforeEach(() => {
    report = [];
    appSays = { type: 4, data: { content: 'Thank you.' } };
  });
  after(() => d.close());

  let interactions = 0;
  async function act(from: string, rest: object) {
    interactions += 1;
    const response = await handleInteraction(d.services, {
      id: String(9_000 + interactions),
      application_id: d.emulator.application.id,
      token: 'a-token',
      guild_id: guild.guildId,
      member: { user: { id: from, username: 'ada' } },
      ...rest,
    });
    const { flags, components } = Object(response.data);
    const buttons: string[] = JSON.stringify(components ?? '').match(/latchkey:(permit|refuse):\w+/g) ?? [];
    const [allow = '', cancel = ''] = buttons;
    return { text: shownText(Object(response.data)), flags, allow, cancel };
  }
  const press = (from: string, name: string, message?: unknown) =>
    act(from, { type: 3, data: { custom_id: name }, ...(message !== undefined && { message }) });

  async function newOrganization(): Promise<string> {
    const now = d.services.clock();
    const id = d.services.random.id(21);
    const row = { id, created_by_id: guild.owner.userId, name: 'Cat Devs', email: 'd@example.org', plan_id: 'free' };
    await d.services.db.system
      .insertInto('organizations')
      .values({ ...row, created_at: now, code_requested_at: now, verified_at: now })
      .execute();
    return id;
  }

  /** Creates an app of an organization, the question as the app renders it, and the member it asks. */
  async function ask(name = 'Greeter', scopes = 'user:read') {
    const organizationId = await newOrganization();
    const { id: appId = '' } = await createMiniApp(d.as(guild.owner), {
      body: { pk: organizationId, name, description: 'x', url: 'https://app.example' },
    });
    await sql`update mini_apps set status = 'LISTED' where id = ${appId}`.execute(d.services.db.system);
    const options = { userId: guild.owner.userId, name: 'Greeter client', scopes: ['user:read'] };
    const { id: clientId = '' } = await createDevelopmentApp(d.as(operator), options);
    await sql`update client_apps set organization_id = ${organizationId} where id = ${clientId}`.execute(
      d.services.db.system,
    );
    const member = d.emulator.addMember(guild.guildId).user.id;
    const handle = { applicationId: d.emulator.application.id, token: 'the-token' };
    const forApp = { appId, userId: `DIS#USER#${member}` };
    const interactionId = await keepInteraction(d.services, handle, guild.id, forApp);
    const fields = [
      { name: 'action-client-id', value: clientId },
      { name: 'action-requested-scopes', value: scopes },
    ];
    const message = { id: '77', content: 'You have won a prize!', embeds: [{ fields }] };
    const claim = () => press(member, `$approve-user-permissions:${interactionId}`, message);
    return { appId, clientId, member, interactionId, message, claim };
  }

  test('works with Discord’s interaction id, which the published library puts into its buttons', async () => {
    const { appId, clientId, member, message } = await ask();
    const handle = { applicationId: d.emulator.application.id, token: 'the-token' };
    const [discordId, eve] = ['1104000000000000001', d.emulator.addMember(guild.guildId).user.id];
    await keepInteraction(d.services, handle, guild.id, { appId, userId: `DIS#USER#${member}`, discordId });
    const button = `$approve-user-permissions:${discordId}`;
    assert.match((await press(eve, button, message)).text, /for someone else/);
    assert.match((await press(member, '$approve-user-permissions:1104000000000000002', message)).text, /expired/);
    const { allow } = await press(member, button, message);
    assert.equal((await press(member, allow)).text, 'Thank you.');
    assert.deepEqual([report.at(-1)?.data.custom_id, await minted(clientId)], [button, 2]);
    d.t.advanceSeconds(hour);
    assert.match((await press(member, button, message)).text, /expired/);
    await assert.rejects(followUp(d.as(operator), { interactionId: discordId, body: { content: 'x' } }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });

  async function minted(clientId: string): Promise<number> {
    const tokens = await sql`select from access_tokens where client_id = ${clientId}`.execute(d.services.db.system);
    const noted = await sql`select from user_authorizations where client_id = ${clientId}`.execute(
      d.services.db.system,
    );
    return tokens.rows.length + noted.rows.length;
  }

  test('gets nothing through its own button: the server asks in its own words, and only the member sees it', async () => {
    const { claim, clientId } = await ask();
    const requested = await claim();
    assert.equal(requested.flags, 64);
    for (const words of [/give "Greeter" access/, /by "Cat Devs"/, /"Greeter client"/, /`user:read`/, /after 1 hour/])
      assert.match(requested.text, words);
    assert.match(requested.text, /`\/latchkey apps`/);
    assert.ok(!requested.text.includes('prize!'), 'it contains no text of the app');
    assert.deepEqual([await minted(clientId), report], [0, []]);
  });

  test('gets a token once the member allows it in that message, and receives its own button press', async () => {
    const { claim, clientId, member, interactionId, message } = await ask();
    const { allow } = await claim();
    assert.equal((await press(member, allow)).text, 'Thank you.');
    const [call] = report;
    assert.deepEqual([call?.data.custom_id, call?.message], [`$approve-user-permissions:${interactionId}`, message]);
    assert.ok(!JSON.stringify(call).includes(allow.split(':')[2] ?? ''), 'the app never learns the secret');
    const token = call?.actionContext.apiToken ?? '';
    const client = { id: clientId, name: '', allowedScopes: ['user:read'], disallowedScopes: [] };
    const actor = await verifyAccessToken(d.services, token, async () => client);
    assert.ok(actor.kind === 'user' && actor.userId === `DIS#USER#${member}`);
    assert.deepEqual(actor.scopes, ['user:read']);
    assert.equal(await minted(clientId), 2);
  });

  test('gets one token per answer, from the member who was asked, in time', async () => {
    const { claim, clientId, member } = await ask();
    const eve = d.emulator.addMember(guild.guildId).user.id;
    const { allow } = await claim();
    const refused = /already answered or has expired/;
    assert.match((await press(eve, allow)).text, refused);
    assert.match((await press(member, `${allow}x`)).text, refused);
    assert.match((await press(member, 'latchkey:permit:')).text, refused);
    assert.equal(await minted(clientId), 0);
    const answers = await Promise.all([press(member, allow), press(member, allow), press(member, allow)]);
    assert.equal(answers.filter(({ text }) => text === 'Thank you.').length, 1);
    assert.equal(await minted(clientId), 2);
    const { allow: late } = await claim();
    d.t.advanceSeconds(5 * 60 + 1);
    assert.match((await press(member, late)).text, refused);
    const rows = () => d.services.db.system.selectFrom('permission_questions').selectAll().execute();
    assert.ok((await rows()).some(({ user_id }) => user_id === `DIS#USER#${member}`));
    await removeOldQuestions.run(d.as(operator), {}, { id: '1', attempt: 1, signal: new AbortController().signal });
    assert.deepEqual(await rows(), []);
  });

  test('gets a refusal when the member cancels, and the question is closed', async () => {
    const { claim, clientId, member, interactionId } = await ask();
    const { allow, cancel } = await claim();
    await press(member, cancel);
    assert.equal(report[0]?.data.custom_id, `$deny-user-permissions:${interactionId}`);
    assert.equal(report[0]?.actionContext.apiToken, undefined);
    assert.match((await press(member, allow)).text, /already answered/);
    assert.equal(await minted(clientId), 0);
  });

  test('that is removed, or loses the scope, between question and answer gets nothing', async () => {
    const gone = await ask();
    const { allow } = await gone.claim();
    await sql`update mini_apps set status = 'REVOKED' where id = ${gone.appId}`.execute(d.services.db.system);
    assert.match((await press(gone.member, allow)).text, /no longer available/);
    const less = await ask();
    const { allow: other } = await less.claim();
    await sql`update client_apps set allowed_scopes = '{}' where id = ${less.clientId}`.execute(d.services.db.system);
    assert.match((await press(less.member, other)).text, /not allowed to have: user:read/);
    assert.equal((await minted(gone.clientId)) + (await minted(less.clientId)), 0);
    const tooMuch = await ask('Greedy', 'user:read user:wallet:write');
    assert.match((await tooMuch.claim()).text, /not allowed to have: user:wallet:write/);
  });

  test('cannot disguise the question with its name', async () => {
    const { claim } = await ask('**Prize**\n# You won\n[click](https://evil.example) @everyone `x`');
    const { text } = await claim();
    assert.match(text, /give "Prize You won clickhttps\/\/evil.example everyone x" access/);
  });

  test('cannot put a button of the server under its own words', async () => {
    const { member, interactionId, claim } = await ask();
    const { allow } = await claim();
    for (const customId of [allow, 'latchkey:approve:a-plan', 'latchkey:undo:a-plan']) {
      const components = [{ type: 1, components: [{ type: 2, style: 1, label: 'Claim prize', custom_id: customId }] }];
      const body = { content: 'Press it!', components };
      const refused = { code: 'VALIDATION_FAILED', message: /start with latchkey:/ };
      await assert.rejects(followUp(d.as(operator), { interactionId, body }), refused);
      await assert.rejects(
        sendMessage(d.as(operator), { guildId: guild.id, channelId: '1', body: { embeds: [{ components }] } }),
        refused,
      );
      appSays = { type: 4, data: body };
      const denied = await press(member, `$deny-user-permissions:${interactionId}`);
      assert.match(denied.text, /Greeter is not responding/);
    }
  });

  test('stores nothing of the question in plain text', async () => {
    const { claim, interactionId } = await ask();
    const { allow } = await claim();
    const { rows } = await sql<{ row: string }>`select q::text as row from permission_questions q`.execute(
      d.services.db.system,
    );
    const stored = rows.map(({ row }) => row).join();
    for (const secret of [interactionId, allow.split(':')[2] ?? '', 'You have won'])
      assert.ok(!stored.includes(secret) && !d.t.log.lines.join().includes(secret));
    d.t.advanceSeconds(hour);
  });
});
