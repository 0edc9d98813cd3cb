import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { PlatformFailed } from '@latchkey/core/ports';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { patientMs } from '@latchkey/emulators/testing';
import { createDiscordLogin } from '../discord/login/discord-oauth.ts';
import { createRedditLogin } from '../reddit/login/create-reddit-login.ts';
import { createTelegramLogin } from '../telegram/login/create-telegram-login.ts';

const redirectUri = 'https://latchkey.test/login/return/discord';
const codeVerifier = 'v'.repeat(43);
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

describe('logging in with Discord and Reddit on their emulators', () => {
  let discord: DiscordEmulator;
  let reddit: RedditEmulator;
  before(async () => {
    discord = await startDiscordEmulator({ application: { redirectUris: [redirectUri] } });
    discord.createUser('ann', '123');
    reddit = await startRedditEmulator({ redirectUris: [redirectUri] });
    reddit.world.addUser('ann');
  });
  after(() => Promise.all([discord.stop(), reddit.stop()]));

  const withDiscord = (changes: { clientSecret?: string; timeoutMs?: number } = {}) => {
    const { id: clientId, clientSecret } = discord.application;
    return createDiscordLogin({ fetch, clientId, clientSecret, apiUrl: discord.url, timeoutMs: patientMs, ...changes });
  };
  const withReddit = (clientSecret = reddit.clientSecret) =>
    createRedditLogin({
      fetch,
      clientId: reddit.clientId,
      clientSecret,
      apiUrl: reddit.url,
      authUrl: reddit.url,
      timeoutMs: patientMs,
    });
  const finish = (provider: ReturnType<typeof withDiscord>, code: string, verifier = codeVerifier) =>
    provider.finish({ code, redirectUri, codeVerifier: verifier });
  const codeOf = (address: string) => {
    const request = new URL(address).searchParams;
    const login = { clientId: discord.application.id, redirectUri, scope: request.get('scope') ?? '' };
    const back = discord.approveLogin('123', {
      ...login,
      codeChallenge: request.get('code_challenge') ?? '',
    });
    return new URL(back).searchParams.get('code') ?? '';
  };
  const failsAs = (kind: PlatformFailed['kind']) => (error: unknown) => {
    assert.ok(error instanceof PlatformFailed);
    assert.equal(error.kind, kind, error.message);
    assert.ok(!error.message.includes(discord.application.clientSecret));
    return true;
  };
  const start = () => withDiscord().start({ state: 'xyz', redirectUri, codeChallenge });

  it('requests only the identity from Discord, with PKCE', async () => {
    const request = new URL(start()).searchParams;
    assert.deepEqual(Object.fromEntries(request), {
      response_type: 'code',
      client_id: discord.application.id,
      redirect_uri: redirectUri,
      scope: 'identify',
      state: 'xyz',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    });
  });

  it('refuses a code that was used, made up, or requested with another proof', async () => {
    const code = codeOf(start());
    assert.deepEqual(await finish(withDiscord(), code), { userId: '123', name: 'ann' });
    await assert.rejects(finish(withDiscord(), code), failsAs('forbidden'));
    await assert.rejects(finish(withDiscord(), 'made-up'), failsAs('forbidden'));
    await assert.rejects(finish(withDiscord(), codeOf(start()), 'w'.repeat(43)), failsAs('forbidden'));
    await assert.rejects(finish(withReddit(), 'made-up'), failsAs('forbidden'));
  });

  it('says which variables to check when the secret is wrong, and does not repeat it', async () => {
    await assert.rejects(finish(withDiscord({ clientSecret: 'wrong' }), 'x'), (error) => {
      failsAs('not-configured')(error);
      return /LATCHKEY_DISCORD_CLIENT_SECRET/.test(String(error)) && !/wrong/.test(String(error));
    });
    await assert.rejects(finish(withReddit('wrong'), 'x'), failsAs('not-configured'));
  });

  it('treats timeouts, floods and broken responses as an outage', async () => {
    for (const fault of [{ kind: 'hang' }, { kind: 'outage' }, { kind: 'error', status: 503 }] as const) {
      const end = discord.misbehave(fault);
      const hasty = fault.kind === 'hang' ? { timeoutMs: 100 } : {};
      await assert.rejects(finish(withDiscord(hasty), 'x'), failsAs('unavailable'));
      end();
    }
    const end = discord.misbehave({ kind: 'rate-limit' });
    await assert.rejects(finish(withDiscord(), 'x'), failsAs('unavailable'));
    end();
  });

  it('links to a conversation with the bot, whose name it reads once', async () => {
    let requested = 0;
    const botName = async () => {
      requested += 1;
      return 'gate_bot';
    };
    const login = createTelegramLogin({ linkUrl: 'https://t.me', botName });
    assert.equal(await login.start('login-abc'), 'https://t.me/gate_bot?start=login-abc');
    await login.start('login-def');
    assert.equal(requested, 1);
    await assert.rejects(login.start('no spaces'), /does not support/);
  });
});
