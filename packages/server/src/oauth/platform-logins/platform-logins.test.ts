import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  contextFor,
  ensureSigningKeys,
  handleTelegramEvent,
  jobKinds,
  openConnectLink,
  verifyAeToken,
  verifyConsoleSession,
} from '@latchkey/core';
import { type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { startWorker, type Worker } from '@latchkey/db';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { pollUpdates } from '@latchkey/platforms/telegram';
import { until } from '@latchkey/test-kit';
import Fastify, { type FastifyInstance } from 'fastify';
import { serverOfOpenRoutes } from '../../../test/harness/open-routes.ts';
import { composePlatforms } from '../../compose/platforms.ts';
import { readConfig } from '../../config.ts';
import { choosePort } from '../../run/choose-port.ts';
import type { LoggedInUser } from '../finish-login.ts';
import { addPlatformLogins } from './index.ts';
import { PlainBrowser, pageData, type Shown } from './testing.ts';

describe('logging in with a chat platform', () => {
  let t: TestPlatform;
  let discord: DiscordEmulator;
  let reddit: RedditEmulator;
  let telegram: TelegramEmulator;
  let fastify: FastifyInstance;
  let worker: Worker;
  let polling: Promise<void>;
  let url = '';
  let annId = '';
  const ended = new AbortController();
  const finished: { slug: string; user: LoggedInUser }[] = [];

  before(async () => {
    t = await testPlatform('platform-login-routes');
    await ensureSigningKeys(t.services);
    const nowMs = () => t.services.clock().getTime();
    discord = await startDiscordEmulator({ clock: nowMs, answerWithinMs: 120_000 });
    annId = discord.createUser('ann').id;
    reddit = await startRedditEmulator({ clock: nowMs });
    reddit.world.addUser('Ann_Reddit');
    // Its clock does not advance, so a per-second limit would never reset.
    telegram = await startTelegramEmulator({ clock: nowMs, limits: { perChat: { limit: 100, windowSeconds: 1 } } });
    telegram.createUser('ann', 700);
    const config = readConfig({
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_CLIENT_SECRET: discord.application.clientSecret,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_REDDIT_CLIENT_ID: reddit.clientId,
      LATCHKEY_REDDIT_CLIENT_SECRET: reddit.clientSecret,
      LATCHKEY_REDDIT_API_URL: reddit.url,
      LATCHKEY_REDDIT_AUTH_URL: reddit.url,
      LATCHKEY_TELEGRAM_BOT_TOKEN: telegram.bot.token,
      LATCHKEY_TELEGRAM_API_URL: telegram.url,
      LATCHKEY_TELEGRAM_LINK_URL: telegram.url,
    });
    const { telegram: api, identityProviders } = await composePlatforms(config, t.services, { owner: 'test' });
    // Chosen once everything else listens, so that no emulator can take it.
    const port = await choosePort(readConfig({ LATCHKEY_PORT: '0' }));
    url = `http://127.0.0.1:${port}`;
    discord.application.redirectUris.add(`${url}/login/return/discord`);
    reddit.redirectUris.add(`${url}/login/return/reddit`);
    const settings = { ...t.services.settings, baseUrl: url };
    Object.assign(t.services, { telegram: api, identityProviders, settings });
    await serve(port);
    listen(config.telegramBotToken ?? '');
  });
  afterEach(async () => {
    finished.length = 0;
    await t.services.db.system.deleteFrom('platform_logins').execute();
  });
  after(async () => {
    ended.abort();
    await polling;
    await worker.stop(1_000);
    await fastify.close();
    await Promise.all([discord.stop(), reddit.stop(), telegram.stop()]);
    await t.close();
  });

  /** A server with these routes only; an application's request is identified by its slug. */
  async function serve(port: number): Promise<void> {
    fastify = Fastify();
    const server = serverOfOpenRoutes(t.services);
    addPlatformLogins(
      fastify,
      { server },
      {
        describe: async (_request, _reply, slug) =>
          slug === 'request-1' ? { name: 'Cat Club', host: 'club.example' } : undefined,
        finish: async (_request, reply, slug, user) => {
          finished.push({ slug, user });
          return reply.redirect('/done');
        },
      },
    );
    await fastify.listen({ host: '127.0.0.1', port });
  }

  function listen(token: string): void {
    const sleep = async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal }));
    const { clock, log, random } = t.services;
    const system = contextFor(t.services, { kind: 'system', job: 'telegram.events' });
    const onEvent = (event: Parameters<typeof handleTelegramEvent>[1]) => handleTelegramEvent(system, event);
    const options = { fetch, token, apiUrl: telegram.url, clock, log, random, sleep, onEvent, waitSeconds: 1 };
    polling = pollUpdates(options, ended.signal);
    worker = startWorker({
      db: t.services.db,
      kinds: jobKinds.filter(({ name }) => name === 'platform-logins.answer-in-chat'),
      log,
      random: t.services.random,
      makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
      validate: () => undefined,
      concurrency: 1,
    });
  }

  const rows = () => t.services.db.system.selectFrom('platform_logins').select('state_hash').execute();

  /** Goes to the platform and decides there. Returns where it redirects the browser. */
  async function decide(
    browser: PlainBrowser,
    method: 'discord' | 'reddit',
    { slug = 'request-1', decision = 'allow', to = '' } = {},
  ): Promise<string> {
    const begun = await browser.get(`${url}/login/${slug}/with/${method}${to}`);
    assert.equal(begun.status, 302, begun.text);
    const page = await browser.get(begun.location);
    assert.equal(page.status, 200, page.text);
    const back = await browser.submit(page, { user: method === 'discord' ? annId : 'Ann_Reddit', decision });
    assert.equal(back.status, 302, back.text);
    return back.location;
  }

  /** Opens the chat with the bot, waits for its message and returns the link in it. */
  async function converse(browser: PlainBrowser, slug = 'request-1'): Promise<{ text: string; link: string }> {
    const begun = await browser.get(`${url}/login/${slug}/with/telegram`);
    assert.equal(begun.status, 302, begun.text);
    const before = telegram.sentMessages(700).length;
    const started = await browser.submit(await browser.get(begun.location), { user: '700', decision: 'start' });
    assert.equal(started.status, 303);
    await until('the bot replies', () => telegram.sentMessages(700).length > before);
    const { text } = await browser.get(started.location);
    const links = [...text.matchAll(/<a href="([^"]+)">/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
    return { text, link: links.at(-1) ?? '' };
  }

  function assertNotice(shown: Shown, status: number, text: RegExp): void {
    assert.equal(shown.status, status, shown.text);
    const data = pageData(shown);
    assert.equal(data.page, 'notice');
    assert.match(String(data.text), text);
    assert.deepEqual(finished, []);
  }

  test('a moderator’s consent returns to the console, which alone can use it', async () => {
    const browser = new PlainBrowser();
    const at = async (method: string, query: string) => browser.get(`${url}/login/return/${method}?${query}`);
    const page = `${url}/console/communities/new?platform=reddit`;
    const { status, location } = await at('reddit', 'state=consent-abc&code=c%26d');
    assert.deepEqual([status, location], [302, `${page}&state=abc&code=c%26d`]);
    assert.equal((await at('reddit', 'state=consent-abc&error=access_denied')).location, `${page}&state=abc`);
    assert.equal((await at('discord', 'state=consent-abc&code=c')).location, '', 'no other platform returns with one');
  });

  test('with Discord: redirected, approved, and back as the right account', async () => {
    const browser = new PlainBrowser();
    const back = await decide(browser, 'discord');
    assert.equal(new URL(back).searchParams.get('iss'), new URL(discord.url).origin);
    const done = await browser.get(back);
    assert.deepEqual([done.status, done.location], [302, `${url}/done`]);
    const user = { userId: `DIS#USER#${annId}`, platform: 'discord', name: 'ann' };
    assert.deepEqual(finished, [{ slug: 'request-1', user }]);
    assert.deepEqual(await rows(), []);
    assert.equal(browser.cookies(url).size, 0);
  });

  test('with Reddit: redirected, approved, and back under the name of its roles', async () => {
    const browser = new PlainBrowser();
    await browser.get(await decide(browser, 'reddit'));
    const user = { userId: 'RED#USER#Ann_Reddit', platform: 'reddit', name: 'Ann_Reddit' };
    assert.deepEqual(finished, [{ slug: 'request-1', user }]);
  });

  test('with Telegram: the bot shows what is requested, and its link works only in the browser that started', async () => {
    const browser = new PlainBrowser();
    const { text, link } = await converse(browser);
    assert.match(text, /log in to Cat Club \(club\.example\) as ann\?/);
    assertNotice(await new PlainBrowser().get(link), 400, /another browser/);
    await browser.get(link);
    assert.deepEqual(finished, [
      { slug: 'request-1', user: { userId: 'TEL#USER#700', platform: 'telegram', name: 'ann' } },
    ]);
    finished.length = 0;
    assertNotice(await browser.get(link), 400, /already used/);
  });

  test('a user who wants to connect wallets signs in and reaches the page for their account', async () => {
    const page = pageData(await new PlainBrowser().get(`${url}/connect`));
    assert.deepEqual([page.page, page.slug, page.methods], ['login', 'connect', ['discord', 'telegram', 'reddit']]);
    const browser = new PlainBrowser();
    const { location } = await browser.get(await decide(browser, 'discord', { slug: 'connect' }));
    const [, slug = ''] = new RegExp(`^${url}/connect/(\\w{21})$`).exec(location) ?? [];
    const { rows: kept } = await t.services.db.pool.query('select owner_id from slugs');
    assert.deepEqual(kept, [{ owner_id: `DIS#USER#${annId}` }]);
    const opened = await openConnectLink(contextFor(t.services, { kind: 'anonymous' }), slug);
    assert.deepEqual(opened?.account, { platform: 'discord', name: 'ann' });
    const actor = await verifyAeToken(t.services, opened?.token ?? '');
    assert.equal(actor.kind === 'user' && actor.userId, `DIS#USER#${annId}`);
    assert.deepEqual(finished, []);
  });

  test('account links of earlier versions redirect to the console, with their query and signed in', async () => {
    const browser = new PlainBrowser();
    const old = await browser.get(`${url}/account?from=mail&x=%2F`);
    assert.deepEqual([old.status, old.location], [302, `${url}/console/me?from=mail&x=%2F`]);
    const back = await browser.get(await decide(browser, 'discord', { slug: 'account' }));
    assert.deepEqual([back.status, back.location], [302, `${url}/console/me`]);
    assert.deepEqual(finished, []);
  });

  test('a login for the console sets a session cookie and continues at the requested page', async () => {
    const sessionIds = async () =>
      (await t.services.db.system.selectFrom('console_sessions').select('id').execute()).map(({ id }) => id);
    const others = await sessionIds();
    const browser = new PlainBrowser();
    for (const [to, path] of [
      [
        `?to=${encodeURIComponent('/console/communities/1/plans?state=held')}`,
        '/console/communities/1/plans?state=held',
      ],
      ['?to=https://evil.example/console', '/console'],
      ['?to=//evil.example&to=/console/me', '/console'],
      ['', '/console'],
    ] as const) {
      const { status, location } = await browser.get(await decide(browser, 'discord', { slug: 'console', to }));
      assert.deepEqual([status, location], [302, `${url}${path}`]);
    }
    const secret = browser.cookies(url).get('latchkey-session') ?? '';
    const actor = await verifyConsoleSession(t.services, secret, '127.0.0.1');
    assert.ok(actor.kind === 'user');
    assert.deepEqual(
      [actor.userId, actor.name, actor.scopes, actor.presence?.how],
      [`DIS#USER#${annId}`, 'ann', ['$all'], 'chat-login'],
    );
    // Each sign-in replaced the one before.
    assert.deepEqual(
      (await sessionIds()).filter((id) => !others.includes(id)),
      [actor.sessionId],
    );
    const denied = await browser.get(await decide(browser, 'discord', { slug: 'console', decision: 'deny' }));
    assertNotice(denied, 400, /You did not approve the login on/);
    assert.equal(browser.cookies(url).get('latchkey-session'), secret);
  });

  test('a callback with a wrong, missing or duplicate state is refused', async () => {
    const browser = new PlainBrowser();
    const back = new URL(await decide(browser, 'discord'));
    const state = back.searchParams.get('state') ?? '';
    const other = state.endsWith('x') ? 'y' : 'x';
    for (const change of [`${state.slice(0, -1)}${other}`, '', state.slice(0, 8)]) {
      const wrong = new URL(back);
      wrong.searchParams.set('state', change);
      assertNotice(await browser.get(wrong.href), 400, /start again/);
    }
    assertNotice(await browser.get(`${back.href}&state=${state}`), 400, /start again/);
  });

  test('another browser cannot use a callback, and does not consume it', async () => {
    const browser = new PlainBrowser();
    const back = await decide(browser, 'discord');
    assertNotice(await new PlainBrowser().get(back), 400, /another browser/);
    await browser.get(back);
    assert.equal(finished.length, 1);
    finished.length = 0;
    assertNotice(await browser.get(back), 400, /already used/);
  });

  test('a login ends after ten minutes', async () => {
    const browser = new PlainBrowser();
    const back = await decide(browser, 'discord');
    t.advanceSeconds(600);
    assertNotice(await browser.get(back), 400, /expired/);
  });

  test('a user who declines on the platform sees that on the page', async () => {
    for (const method of ['discord', 'reddit'] as const) {
      const browser = new PlainBrowser();
      assertNotice(
        await browser.get(await decide(browser, method, { decision: 'deny' })),
        400,
        /You did not approve the login on/,
      );
    }
  });

  test('a response is accepted only from the platform and issuer that was asked', async () => {
    const browser = new PlainBrowser();
    const back = await decide(browser, 'discord');
    assertNotice(await browser.get(back.replace('/return/discord', '/return/reddit')), 400, /start again/);
    assertNotice(await browser.get(back), 400, /start again/);
    const other = new URL(await decide(browser, 'discord'));
    other.searchParams.set('iss', 'https://evil.example');
    assertNotice(await browser.get(other.href), 400, /start again/);
  });

  test('forged and stale responses of Telegram are refused', async () => {
    const browser = new PlainBrowser();
    const forged = new URL((await converse(browser)).link);
    forged.searchParams.set('code', 'x'.repeat(43));
    assertNotice(await browser.get(forged.href), 400, /start again/);
    const { link } = await converse(browser);
    t.advanceSeconds(300);
    assertNotice(await browser.get(link), 400, /expired/);
  });

  test('an expired request, and a login method that is not offered, start nothing', async () => {
    const browser = new PlainBrowser();
    assertNotice(await browser.get(`${url}/login/request-2/with/discord`), 404, /expired or was started in another/);
    assertNotice(
      await browser.get(`${url}/login/request-1/with/myspace`),
      404,
      /Way to log in on this server not found/,
    );
    assertNotice(await browser.get(`${url}/login/return/constructor`), 404, /Way to log in on this server not found/);
    assert.deepEqual(await rows(), []);
  });

  test('a platform outage is reported as such, and nothing is stored', async () => {
    for (const method of ['discord', 'reddit'] as const) {
      const emulator = method === 'discord' ? discord : reddit;
      for (const fault of [{ kind: 'outage' }, { kind: 'error', status: 502 }] as const) {
        const browser = new PlainBrowser();
        const back = await decide(browser, method);
        const end = emulator.misbehave(fault);
        assertNotice(await browser.get(back), 503, /is not responding/);
        end();
        assert.deepEqual(await rows(), []);
      }
    }
  });

  test('several tabs do not interfere, and many attempts do not fill up the cookies', async () => {
    const browser = new PlainBrowser();
    const first = await decide(browser, 'discord');
    const second = await decide(browser, 'reddit');
    await browser.get(first);
    await browser.get(second);
    assert.equal(finished.length, 2);
    for (let count = 0; count < 9; count++) await browser.get(`${url}/login/request-1/with/discord`);
    assert.equal(browser.cookies(url).size, 5);
    const [cookie = ''] = (await new PlainBrowser().get(`${url}/login/request-1/with/discord`)).headers.getSetCookie();
    assert.match(cookie, /^latchkey-login-\w{8}=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  });

  test('no secret of a login is written to the log', () => {
    const written = t.log.lines.join('\n');
    for (const secret of [discord.application.clientSecret, reddit.clientSecret, telegram.bot.token])
      assert.ok(!written.includes(secret));
    assert.doesNotMatch(written, /state=|code=/);
  });
});
