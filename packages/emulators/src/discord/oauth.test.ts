import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ask, emulatorFor } from './testing.ts';

const redirectUri = 'https://club.example/back?from=discord';
const proof = 'a-proof-of-at-least-forty-three-characters-in-length';

async function clubFor(t: TestContext) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs, application: { redirectUris: [redirectUri] } });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const role = emulator.createRole(guild.id, { name: 'Holder' });
  const { user } = emulator.addMember(guild.id, { name: 'ann', roles: [role.id] });
  const { id: clientId, clientSecret } = emulator.application;
  const token = async (fields: Record<string, string>, login = `${clientId}:${clientSecret}`) => {
    const response = await fetch(`${emulator.url}/v10/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, body: await response.json() };
  };
  const codeFor = (scope: string, rest: { codeChallenge?: string } = {}) => {
    const back = new URL(emulator.approveLogin(user.id, { clientId, redirectUri, scope, state: 'xyz', ...rest }));
    assert.equal(back.searchParams.get('state'), 'xyz');
    assert.equal(back.searchParams.get('from'), 'discord');
    return back.searchParams.get('code') ?? '';
  };
  const exchange = (code: string, rest: Record<string, string> = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...rest });
  const as = (access: string, route: string) => ask(emulator, route, undefined, { authorization: `Bearer ${access}` });
  return { time, emulator, guild, role, user, token, codeFor, exchange, as };
}

test('a person logs in: code, token, profile, guilds and roles', async (t) => {
  const { emulator, guild, role, user, codeFor, exchange, as } = await clubFor(t);
  const code = codeFor('identify guilds guilds.members.read');
  const { status, body } = await exchange(code);
  assert.equal(status, 200);
  assert.deepEqual([body.token_type, body.scope], ['Bearer', 'identify guilds guilds.members.read']);
  assert.equal((await as(body.access_token, 'GET /users/@me')).body.username, 'ann');
  assert.equal((await as(body.access_token, 'GET /users/@me')).body.email, null);
  const guilds = (await as(body.access_token, 'GET /users/@me/guilds')).body;
  assert.deepEqual([guilds.length, guilds[0].id, guilds[0].owner], [1, guild.id, false]);
  const member = await as(body.access_token, `GET /users/@me/guilds/${guild.id}/member`);
  assert.deepEqual(member.body.roles, [role.id]);
  const { body: info } = await as(body.access_token, 'GET /oauth2/@me');
  assert.deepEqual([info.application.id, info.user.id], [emulator.application.id, user.id]);
  assert.equal(
    (await as(body.access_token, `GET /guilds/${guild.id}`)).status,
    401,
    'bot routes do not accept user tokens',
  );
});

test('a code works once, in time, for its redirect URI and its proof', async (t) => {
  const { time, emulator, codeFor, exchange, token } = await clubFor(t);
  const used = codeFor('identify');
  assert.equal((await exchange(used)).status, 200);
  assert.deepEqual((await exchange(used)).body.error, 'invalid_grant');
  assert.equal((await exchange(codeFor('identify'), { redirect_uri: 'https://evil.example' })).status, 400);
  const late = codeFor('identify');
  time.nowMs += 60_000;
  assert.equal((await exchange(late)).status, 400);
  const codeChallenge = createHash('sha256').update(proof).digest('base64url');
  assert.equal((await exchange(codeFor('identify', { codeChallenge }))).status, 400);
  assert.equal((await exchange(codeFor('identify', { codeChallenge }), { code_verifier: proof })).status, 200);
  assert.equal((await token({ grant_type: 'client_credentials' }, `${emulator.application.id}:wrong`)).status, 401);
  assert.equal((await token({ grant_type: 'password' })).body.error, 'unsupported_grant_type');
});

test('a refresh replaces the tokens, and an access token expires', async (t) => {
  const { time, codeFor, exchange, token, as } = await clubFor(t);
  const { body: first } = await exchange(codeFor('identify email'));
  const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
  const { body: second } = await token(refresh);
  assert.equal((await token(refresh)).body.error, 'invalid_grant');
  assert.equal((await as(first.access_token, 'GET /users/@me')).status, 401);
  assert.match((await as(second.access_token, 'GET /users/@me')).body.email, /@example\.com$/);
  assert.equal((await as(second.access_token, 'GET /users/@me/guilds')).status, 401, 'the scope was not granted');
  time.nowMs += second.expires_in * 1000;
  assert.equal((await as(second.access_token, 'GET /users/@me')).status, 401);
});

test('the consent page asks who you are, and redirects to no foreign URL', async (t) => {
  const { emulator, user } = await clubFor(t);
  emulator.createUser('<script>');
  const query = (redirect: string) =>
    new URLSearchParams({
      client_id: emulator.application.id,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'identify',
    });
  const page = await ask(emulator, `GET /oauth2/authorize?${query(redirectUri)}`, undefined, {});
  assert.equal(page.status, 200);
  assert.match(page.body, /ann/);
  assert.ok(!page.body.includes('<script>'));
  const agreed = await ask(
    emulator,
    `GET /oauth2/authorize?${query(redirectUri)}&emulator_user=${user.id}`,
    undefined,
    {},
  );
  assert.equal(agreed.status, 302);
  assert.match(agreed.headers.get('location') ?? '', /^https:\/\/club\.example\/back\?from=discord&code=/);
  const evil = query('https://evil.example');
  assert.equal(
    (await ask(emulator, `GET /oauth2/authorize?${evil}&emulator_user=${user.id}`, undefined, {})).status,
    400,
  );
});

test('an owner adds the bot with the permissions of the link', async (t) => {
  const { emulator } = await clubFor(t);
  const far = emulator.createGuild({ name: 'Dog Club', bot: false });
  assert.equal((await ask(emulator, `GET /guilds/${far.id}`)).status, 403);
  emulator.approveLogin(far.ownerId, {
    clientId: emulator.application.id,
    redirectUri,
    scope: 'bot applications.commands',
    guildId: far.id,
    permissions: ['MANAGE_ROLES'],
  });
  assert.equal((await ask(emulator, `GET /guilds/${far.id}`)).status, 200);
  const own = [...far.roles.values()].find(({ botId }) => botId === emulator.application.id);
  assert.deepEqual([own?.managed, own?.permissions], [true, 1n << 28n]);
});

test('an invitation asks for a server and adds the bot, with the link’s permissions', async (t) => {
  const { emulator } = await clubFor(t);
  const guild = emulator.createGuild({ name: 'Dog <Club>', bot: false });
  const query = new URLSearchParams({ client_id: emulator.application.id, scope: 'bot applications.commands' });
  query.set('permissions', String(1n << 28n));
  const link = `${emulator.url}/oauth2/authorize?${query}`;
  assert.match(await (await fetch(link)).text(), /Dog &lt;Club&gt;/);
  const answer = await fetch(link, {
    method: 'POST',
    body: new URLSearchParams({ guild: guild.id, decision: 'allow' }),
  });
  assert.equal(answer.status, 200);
  assert.ok(guild.members.has(emulator.application.bot.id));
  const own = [...guild.roles.values()].find(({ botId }) => botId === emulator.application.bot.id);
  assert.equal(own?.permissions, 1n << 28n);
  const wrong = await fetch(link, { method: 'POST', body: new URLSearchParams({ guild: '1', decision: 'allow' }) });
  assert.equal(wrong.status, 400);
});
