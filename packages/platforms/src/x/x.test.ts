import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { PlatformFailed } from '@latchkey/core/ports';
import { startTwitterEmulator, type TwitterEmulator } from '@latchkey/emulators/twitter';
import { createXLogin } from './index.ts';

const redirectUri = 'https://latchkey.example/account/x';
const codeVerifier = 'v'.repeat(43);
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

async function start(t: TestContext, clientSecret = 'x-secret') {
  const emulator = await startTwitterEmulator({ clock: () => 1_000_000 });
  t.after(emulator.stop);
  emulator.state.app.redirectUris.add(redirectUri);
  emulator.state.users.push({ id: '42', username: 'Ann_X', followers: 3 });
  const login = createXLogin({
    fetch,
    clientId: 'x-client',
    clientSecret,
    apiUrl: emulator.url,
    authUrl: emulator.url,
  });
  return { emulator, login };
}

type Login = Awaited<ReturnType<typeof start>>['login'];

/** Visits X as a browser would, and returns the code. */
async function allow(login: Login): Promise<string> {
  const address = login.start({ state: 'state', redirectUri, codeChallenge });
  const body = new URLSearchParams({ user: '42', decision: 'allow' });
  const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
}

const failsAs = (kind: PlatformFailed['kind']) => (error: unknown) =>
  error instanceof PlatformFailed && error.kind === kind && !/x-secret|[vA-Za-z0-9_-]{43}/.test(error.message);

test('an X account is identified by its id, and its name is included', async (t) => {
  const { emulator, login } = await start(t);
  const code = await allow(login);
  assert.deepEqual(await login.finish({ code, redirectUri, codeVerifier }), { userId: '42', name: 'Ann_X' });
  const requested = emulator.requests.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(requested, ['POST /i/oauth2/authorize', 'POST /2/oauth2/token', 'GET /2/users/me']);
});

test('a used code, another proof and another address are refused by X', async (t) => {
  const { login } = await start(t);
  const code = await allow(login);
  await login.finish({ code, redirectUri, codeVerifier });
  await assert.rejects(login.finish({ code, redirectUri, codeVerifier }), failsAs('forbidden'));
  const second = { code: await allow(login), redirectUri, codeVerifier: 'w'.repeat(43) };
  await assert.rejects(login.finish(second), failsAs('forbidden'));
  const third = { code: await allow(login), redirectUri: 'https://evil.example/', codeVerifier };
  await assert.rejects(login.finish(third), failsAs('forbidden'));
});

test('a wrong secret is reported to the operator, and an X outage as such', async (t) => {
  const wrong = await start(t, 'another');
  const code = await allow(wrong.login);
  await assert.rejects(wrong.login.finish({ code, redirectUri, codeVerifier }), failsAs('not-configured'));

  const { emulator, login } = await start(t);
  const faults: Parameters<TwitterEmulator['misbehave']>[0][] = [
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429 },
    { kind: 'cut' },
  ];
  for (const fault of faults) {
    const fresh = await allow(login);
    emulator.misbehave(fault, 1);
    await assert.rejects(login.finish({ code: fresh, redirectUri, codeVerifier }), failsAs('unavailable'), fault.kind);
    emulator.behave();
  }
});

test('a response without an account yields no account', async (t) => {
  const { emulator, login } = await start(t);
  const lies = [{}, { data: null }, { data: { id: 42, username: 'ann' } }, { data: { id: '4#2', username: 'ann' } }];
  for (const lie of lies) {
    const code = await allow(login);
    emulator.misbehave({ kind: 'lie', change: (body, { path }) => (path === '/2/users/me' ? lie : body) });
    await assert.rejects(login.finish({ code, redirectUri, codeVerifier }), failsAs('forbidden'), JSON.stringify(lie));
    emulator.behave();
  }
});
