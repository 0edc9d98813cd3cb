import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { hashSecret, sql } from '@latchkey/db';
import { PlatformFailed, type PlatformIdentity, type RedirectIdentityProvider } from '../../ports/index.ts';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { challengeOf } from '../link-attempts/index.ts';
import { beginPlatformLogin, finishPlatformLogin, platformLoginJobs, platformLoginsSealed } from './index.ts';
import { answerInChat } from './jobs.ts';
import { takeChatAnswer } from './take-chat-answer.ts';

/** A platform whose codes are user names, each with the challenge it was requested with. */
function memoryProvider(issuer: string): RedirectIdentityProvider & { requested: Map<string, string> } {
  const requests = new Map<string, string>();
  return {
    kind: 'redirect',
    issuer,
    requested: requests,
    start: ({ state, codeChallenge }) => {
      requests.set(state, codeChallenge);
      return `https://platform.test/?state=${state}`;
    },
    finish: async ({ code, codeVerifier }): Promise<PlatformIdentity> => {
      if (code === 'nobody') throw new PlatformFailed('forbidden', 'The code is unknown.');
      if (![...requests.values()].includes(challengeOf(codeVerifier))) throw new Error('The proof fits no request.');
      return { userId: code, name: code };
    },
  };
}

describe('logins by chat platforms', () => {
  let t: TestPlatform;
  const sent: { chatId: string; text: string; url: string | undefined }[] = [];
  const asker = { name: 'Cat Club', host: 'club.example' };

  before(async () => {
    t = await testPlatform('platform-logins');
    Object.assign(t.services, {
      identityProviders: {
        discord: memoryProvider('https://discord.test'),
        reddit: memoryProvider('https://reddit.test'),
        matrix: {
          kind: 'message',
          readAccount: (text: string) => (text.startsWith('@') ? text.toLowerCase() : undefined),
          send: async (userId: string, text: string) => {
            if (userId === '@gone:x.test') throw new PlatformFailed('forbidden', 'Nobody there.');
            if (userId === '@down:x.test') throw new PlatformFailed('unavailable', 'No answer.');
            sent.push({ chatId: userId, text, url: /https?:\S+code=\S+/.exec(text)?.[0] });
            return 'https://matrix.to/#/room';
          },
        },
        telegram: { kind: 'chat', start: async (argument: string) => `https://t.me/bot?start=${argument}` },
      },
      telegram: {
        send: async (chatId: string, text: string, button?: { url: string }) =>
          void sent.push({ chatId, text, url: button?.url }),
      },
    });
  });
  afterEach(async () => void (await t.services.db.system.deleteFrom('platform_logins').execute()));
  after(() => t.close());

  const ctx = () => t.as(nobody);
  const begin = (method: 'discord' | 'reddit' | 'telegram' = 'discord') =>
    beginPlatformLogin(ctx(), { method, slug: 'request-1', asker });
  const rows = () => t.services.db.system.selectFrom('platform_logins').selectAll().execute();
  const refused = { code: 'INVALID_CREDENTIAL' };

  const answer = (given: Parameters<typeof takeChatAnswer>[2]) =>
    t.services.db.transaction('system', (tx) => takeChatAnswer(ctx(), tx, given));

  /** A user opens the chat; the job that replies runs as the worker would run it. */
  async function open(state: string, id = '700'): Promise<string | undefined> {
    const user = { id, name: `person ${id}`, isBot: false };
    await answer({ chatId: id, user, argument: `login-${state}` });
    const { rows: jobs } = await sql<{ payload: { chatId: string; stateHash?: string } }>`
      delete from jobs where name = 'platform-logins.answer-in-chat' returning payload`.execute(t.services.db.system);
    for (const { payload } of jobs) await answerInChat(ctx(), payload, new AbortController().signal);
    return sent.at(-1)?.url;
  }

  test('fifty concurrent callbacks with one state log in once', async () => {
    const { state, browser } = await begin();
    const tries = Array.from({ length: 50 }, () =>
      finishPlatformLogin(ctx(), { method: 'discord', state, browser, code: '100' }).then(
        ({ slug, user }) => ({ slug, user }),
        (error: { code?: string }) => error.code,
      ),
    );
    const user = { userId: 'DIS#USER#100', platform: 'discord', name: '100' };
    const done = await Promise.all(tries);
    assert.deepEqual(
      done.filter((one) => one !== 'INVALID_CREDENTIAL'),
      [{ slug: 'request-1', user }],
    );
    assert.deepEqual(await rows(), []);
  });

  test('a wrong code, a refusal and an ambiguous id consume the login', async () => {
    for (const answer of [{ code: 'nobody' }, { error: 'access_denied' }, { code: '1#USER#2' }, {}]) {
      const { state, browser } = await begin();
      await assert.rejects(finishPlatformLogin(ctx(), { method: 'discord', state, browser, ...answer }), refused);
      await assert.rejects(finishPlatformLogin(ctx(), { method: 'discord', state, browser, code: '100' }), refused);
    }
  });

  test('a response with another issuer, or from another platform, is refused', async () => {
    const one = await begin('discord');
    const issuer = 'https://reddit.test';
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'discord', ...one, code: '100', issuer }), refused);
    const two = await begin('discord');
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'reddit', ...two, code: '100' }), refused);
  });

  test('of twenty users who open one conversation, the first is asked, by name, and the others see that it has ended', async () => {
    const { state, browser } = await begin('telegram');
    const people = Array.from({ length: 20 }, (_, index) => String(700 + index));
    const received = sent.length;
    await Promise.all(
      people.map((id) =>
        answer({
          chatId: id,
          user: { id, name: `person ${id}`, isBot: false },
          argument: `login-${state}`,
        }),
      ),
    );
    await open('no-such-login', '999');
    const links = sent.slice(received).filter(({ url }) => url !== undefined);
    assert.equal(sent.length - received, 21);
    assert.equal(links.length, 1);
    const [link] = links;
    assert.match(link?.text ?? '', new RegExp(`Cat Club \\(club\\.example\\) as person ${link?.chatId}`));
    const code = new URL(link?.url ?? '').searchParams.get('code') ?? '';
    const { user } = await finishPlatformLogin(ctx(), { method: 'telegram', state, browser, code });
    assert.equal(user.userId, `TEL#USER#${link?.chatId}`);
  });

  test('a link that was sent to the named account logs in, only in the browser that began', async () => {
    const name = (account?: string) =>
      beginPlatformLogin(ctx(), { method: 'matrix', slug: 'request-1', asker, account });
    const codeOf = () => new URL(sent.at(-1)?.url ?? '').searchParams.get('code') ?? '';
    const { url, state, browser } = await name('@Ada:x.test');
    assert.equal(url, 'https://matrix.to/#/room');
    assert.match(sent.at(-1)?.text ?? '', /Cat Club \(club\.example\) as @ada:x\.test/);
    const other = 'another browser';
    const code = codeOf();
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'matrix', state, browser: other, code }), refused);
    const { user } = await finishPlatformLogin(ctx(), { method: 'matrix', state, browser, code });
    assert.deepEqual(user, { userId: 'MTX#USER#@ada:x.test', platform: 'matrix', name: '@ada:x.test' });
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'matrix', state, browser, code }), refused);

    const guessed = await name('@ada:x.test');
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'matrix', ...guessed, code: 'guess' }), refused);
    const stale = await name('@ada:x.test');
    t.advanceSeconds(301);
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'matrix', ...stale, code: codeOf() }), refused);
  });

  test('an account that is none, or that accepts no message, is refused, and an outage is one', async () => {
    const name = (account?: string) =>
      beginPlatformLogin(ctx(), { method: 'matrix', slug: 'request-1', asker, account });
    for (const account of [undefined, 'ada', '@a#b:x.test', '@gone:x.test'])
      await assert.rejects(name(account), { code: 'INVALID_PARAMETER_VALUE' });
    await assert.rejects(name('@down:x.test'), { code: 'UNAVAILABLE' });
  });

  test('the code from a chat is valid for five minutes, in its browser, and only the latest one', async () => {
    const codeOf = (url: string | undefined) => new URL(url ?? '').searchParams.get('code') ?? '';
    const stale = await begin('telegram');
    const old = codeOf(await open(stale.state));
    t.advanceSeconds(300);
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'telegram', ...stale, code: old }), refused);

    const login = await begin('telegram');
    const first = codeOf(await open(login.state));
    await answerInChat(ctx(), { chatId: '1', stateHash: hashSecret(login.state) }, new AbortController().signal);
    const second = codeOf(sent.at(-1)?.url);
    const other = { ...login, browser: 'another' };
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'telegram', ...other, code: second }), refused);
    assert.equal((await rows()).length, 1);
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'telegram', ...login, code: first }), refused);
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'telegram', ...login, code: second }), refused);
  });

  test('a login that was not answered, or is not a Telegram login, cannot be finished with a made-up code', async () => {
    const login = await begin('telegram');
    await assert.rejects(finishPlatformLogin(ctx(), { method: 'telegram', ...login, code: 'x'.repeat(43) }), refused);
    const { state } = await begin('discord');
    assert.equal(await open(state), undefined);
  });

  test('states, cookies, codes and users are unreadable in the tables, and expired logins are deleted', async () => {
    const { state, browser } = await begin('telegram');
    const code = new URL((await open(state, '712345')) ?? '').searchParams.get('code') ?? '';
    const jobs = await t.services.db.pool.query('select * from jobs');
    const written = JSON.stringify([await rows(), jobs.rows]) + t.log.lines.join('\n');
    for (const secret of [state, browser, code, '712345', 'request-1']) assert.ok(!written.includes(secret), secret);
    const [column] = platformLoginsSealed;
    for (const row of await rows())
      assert.ok(t.services.keyring.open(column?.placeOf(row.state_hash) ?? '', row.content));
    t.advanceSeconds(600);
    const [, remove] = platformLoginJobs;
    await remove.run(t.services, {}, { id: 'job', attempt: 1, signal: new AbortController().signal });
    assert.deepEqual(await rows(), []);
  });

  test('a platform that is not configured, and an unreachable bot, start nothing', async () => {
    const { telegram, ...others } = t.services.identityProviders;
    const without = { ...ctx(), identityProviders: others };
    const wanted = { method: 'telegram', slug: 'request-1', asker } as const;
    await assert.rejects(beginPlatformLogin(without, wanted), { code: 'NOT_CONFIGURED' });
    const start = async () => {
      throw new PlatformFailed('unavailable', 'Telegram is not responding.', 7);
    };
    const down = { ...ctx(), identityProviders: { telegram: { kind: 'chat' as const, start } } };
    await assert.rejects(beginPlatformLogin(down, wanted), { code: 'UNAVAILABLE', retryAfterSeconds: 7 });
    assert.deepEqual(await rows(), []);
    assert.ok(telegram);
  });
});
