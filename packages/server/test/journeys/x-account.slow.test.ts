import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { startTwitterEmulator, type TwitterEmulator } from '@latchkey/emulators/twitter';
import { until } from '@latchkey/test-kit';
import { PlainBrowser, pageData } from '../../src/oauth/platform-logins/testing.ts';
import { dumpTables } from '../harness/read-tables.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

interface Returned {
  state: string;
  code?: string;
}

/** The complete server with its worker, with the emulators of Discord and X. */
describe('linking an X account', () => {
  let server: TestServer;
  let discord: DiscordEmulator;
  let x: TwitterEmulator;
  before(async () => {
    discord = await startDiscordEmulator({ seed: 'x-account', answerWithinMs: 120_000 });
    x = await startTwitterEmulator();
    x.state.users.push({ id: '42', username: 'ann_x', followers: 500 }, { id: '43', username: 'shy_x', followers: 3 });
    server = await startTestServer({
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_X_CLIENT_ID: x.state.app.clientId,
      LATCHKEY_X_CLIENT_SECRET: x.state.app.clientSecret,
      LATCHKEY_X_API_URL: x.url,
      LATCHKEY_X_AUTH_URL: x.url,
      LATCHKEY_CHAIN_URLS: `twitter=${x.url}`,
      LATCHKEY_SERVICE_KEYS: `twitter=${x.state.bearerToken}`,
    });
    x.state.app.redirectUris.add(`${server.url}/account/x`);
  });
  after(async () => {
    await server?.close();
    await discord?.stop();
    await x?.stop();
  });

  const call = (authorization: string, method: string, path: string, json?: unknown) =>
    server.request(method, path, { headers: { authorization }, ...(json !== undefined && { json }) });

  /** Creates a Discord server with a rule about followers on X, and its members. */
  async function settle() {
    const guild = discord.createGuild({ name: 'Birds' });
    const roleId = discord.createRole(guild.id, { name: 'Loud' }).id;
    const ownerToken = await server.aeToken(`DIS#USER#${guild.ownerId}`);
    const added = await call(ownerToken, 'POST', '/communities', { platform: 'discord', communityId: guild.id });
    assert.equal(added.status, 200, added.text);
    const filters = [{ traits: [{ trait_type: 'followers_count', value: '$ >= 100' }] }];
    const made = await call(ownerToken, 'POST', `/communities/${encodeURIComponent(added.json.id)}/tpcs`, {
      scheme: 'twitter',
      asset: 'twitter:twitter/profile:data',
      variables: { _filter: { filters } },
      roleId,
    });
    assert.equal(made.status, 200, made.text);
    const join = async () => {
      const userId = discord.addMember(guild.id).user.id;
      const token = await server.aeToken(`DIS#USER#${userId}`);
      // Checked at once, so that the server knows who is in the community.
      const path = `/role-manager/roles?communityId=${guild.id}&userId=${userId}`;
      assert.equal((await call(ownerToken, 'POST', path)).status, 200);
      return { token, hasRole: () => discord.getGuild(guild.id).members.get(userId)?.roles.has(roleId) === true };
    };
    return { join };
  }

  /** Goes to X as a browser would, decides there, and returns to this server's page. */
  async function visitX(token: string, { user = '42', decision = 'allow' } = {}): Promise<Returned> {
    const begun = await call(token, 'POST', '/latchkey/account/x/attempts');
    assert.equal(begun.status, 200, begun.text);
    const browser = new PlainBrowser();
    const back = await browser.submit(await browser.get(begun.json.url), { user, decision });
    assert.equal(back.status, 302, back.text);
    const data = pageData(await browser.get(back.location));
    assert.equal(data.page, 'x-return');
    const returned = data.returned as Returned;
    assert.equal(returned.state, begun.json.state);
    return returned;
  }

  const finish = (token: string, returned: Returned) => call(token, 'POST', '/latchkey/account/x', returned);

  test('grants the role of a twitter rule, and removes it when the account is unlinked', async () => {
    const { join } = await settle();
    const ann = await join();
    assert.equal((await call(ann.token, 'GET', '/latchkey/account/x')).json.isOffered, true);
    const linked = await finish(ann.token, await visitX(ann.token));
    assert.equal(linked.status, 200, linked.text);
    assert.deepEqual([linked.json.account.id, linked.json.account.name], ['42', 'ann_x']);
    await until('the role is there', ann.hasRole);
    assert.equal((await call(ann.token, 'DELETE', '/latchkey/account/x')).status, 204);
    await until('the role is gone', () => !ann.hasRole());
    assert.equal((await call(ann.token, 'DELETE', '/latchkey/account/x')).status, 404);
    assert.deepEqual((await call(ann.token, 'GET', '/latchkey/account/x')).json, { isOffered: true });
  });

  test('grants nothing for an account that does not match the rule', async () => {
    const { join } = await settle();
    const [shy, ann] = [await join(), await join()];
    assert.equal((await finish(shy.token, await visitX(shy.token, { user: '43' }))).status, 200);
    assert.equal((await finish(ann.token, await visitX(ann.token))).status, 200);
    await until('the other has the role', ann.hasRole);
    await server.worker.idle();
    assert.equal(shy.hasRole(), false);
  });

  test('refuses an attempt of another user, a used code, and an account that another member has', async () => {
    const { join } = await settle();
    const [ann, bob] = [await join(), await join()];
    const hers = await visitX(ann.token);
    const refused = await finish(bob.token, hers);
    assert.deepEqual([refused.status, refused.json.error.code], [404, 'ENTITY_NOT_FOUND']);
    assert.equal((await finish(ann.token, hers)).status, 200, 'her attempt is still hers');
    assert.equal((await finish(ann.token, hers)).status, 404, 'it works once');
    const again = await visitX(ann.token);
    const used = await finish(ann.token, { ...again, code: hers.code ?? '' });
    assert.deepEqual([used.status, used.json.error.code], [422, 'VALIDATION_FAILED']);
    const taken = await finish(bob.token, await visitX(bob.token));
    assert.deepEqual([taken.status, taken.json.error.code], [409, 'STATE_CONFLICT']);
    assert.match(taken.json.error.message, /@ann_x is linked to another account/);
  });

  test('is refused without the user: no credential, an application, malformed input', async () => {
    const { join } = await settle();
    const { token } = await join();
    assert.equal((await server.request('POST', '/latchkey/account/x/attempts')).status, 401);
    const { id } = await server.apiKey(['$all']);
    const delegated = await server.bearer('DIS#USER#1', ['$all'], id);
    assert.equal((await call(delegated, 'GET', '/latchkey/account/x')).status, 403);
    for (const body of [{}, { state: 'a' }, { state: '', code: 'b' }, { state: 'a', code: 7 }])
      assert.equal((await call(token, 'POST', '/latchkey/account/x', body)).status, 422, JSON.stringify(body));
    const denied = await visitX(token, { decision: 'deny' });
    assert.deepEqual(Object.keys(denied), ['state']);
    const page = pageData(await new PlainBrowser().get(`${server.url}/account/x?state=a&state=b&code=c`));
    assert.deepEqual(page, { page: 'x-return' }, 'a parameter that was sent twice is ignored');
  });

  test('reports that X is down, links nothing, and stores no X token', async () => {
    const { join } = await settle();
    const ann = await join();
    const returned = await visitX(ann.token);
    x.misbehave({ kind: 'status', status: 503 }, 1);
    const away = await finish(ann.token, returned);
    x.behave();
    assert.deepEqual([away.status, away.json.error.code], [503, 'UNAVAILABLE']);
    assert.equal((await finish(ann.token, await visitX(ann.token))).status, 200);
    const tokens = x.requests.flatMap(({ path, headers }) =>
      path === '/2/users/me' ? [headers.authorization?.replace('Bearer ', '') ?? ''] : [],
    );
    assert.ok(tokens.length > 0);
    const kept = JSON.stringify(await dumpTables(server));
    const reply = server.logLines.join('\n');
    for (const secret of [...tokens, returned.code ?? '', x.state.app.clientSecret])
      assert.ok(!kept.includes(secret) && !reply.includes(secret));
  });
});
