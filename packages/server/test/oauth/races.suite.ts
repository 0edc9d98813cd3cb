import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestServer } from '../harness/test-server.ts';
import { exchange, getCode, getTokens, isActive, post } from './flow.ts';
import { registerClient } from './sample-client.ts';

/** Codes and refresh tokens work once. */
export function racesSuite(running: () => TestServer): void {
  const times = 50;

  function assertOneSuccess(answers: readonly TestAnswer[]): void {
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const { status, json } of answers.filter((answer) => answer.status !== 200))
      assert.deepEqual([status, json.error], [400, 'invalid_grant']);
  }

  test(`of ${times} parallel uses of one code exactly one succeeds`, async () => {
    const client = await registerClient(running());
    const code = await getCode(running(), client);
    const answers = await Promise.all(Array.from({ length: times }, () => exchange(running(), client, code)));
    assertOneSuccess(answers);
  });

  test(`of ${times} parallel uses of one refresh token exactly one succeeds`, async () => {
    const client = await registerClient(running());
    const { refresh_token } = await getTokens(running(), client);
    const refresh = () => post(running(), client, '/oauth2/token', { grant_type: 'refresh_token', refresh_token });
    assertOneSuccess(await Promise.all(Array.from({ length: times }, refresh)));
  });

  test('a reused code revokes everything issued from it', async () => {
    const client = await registerClient(running());
    const code = await getCode(running(), client);
    const { json: tokens } = await exchange(running(), client, code);
    assert.equal(await isActive(running(), client, tokens.access_token), true);
    const replayed = await exchange(running(), client, code);
    assert.deepEqual([replayed.status, replayed.json.error], [400, 'invalid_grant']);
    for (const token of [tokens.access_token, tokens.refresh_token])
      assert.equal(await isActive(running(), client, token), false);
    const refused = await running().request('GET', '/account/me', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    assert.equal(refused.status, 401);
  });

  test('a reused refresh token revokes its whole family, and no other login of the same user', async () => {
    const client = await registerClient(running());
    const first = await getTokens(running(), client);
    const other = await getTokens(running(), client);
    const refresh = (refresh_token: string) =>
      post(running(), client, '/oauth2/token', { grant_type: 'refresh_token', refresh_token });
    const second = (await refresh(first.refresh_token)).json;
    const third = (await refresh(second.refresh_token)).json;
    const replayed = await refresh(first.refresh_token);
    assert.deepEqual([replayed.status, replayed.json.error], [400, 'invalid_grant']);
    for (const { access_token, refresh_token } of [first, second, third]) {
      assert.equal(await isActive(running(), client, access_token), false);
      assert.equal((await refresh(refresh_token)).status, 400);
    }
    assert.equal(await isActive(running(), client, other.access_token), true);
    assert.equal((await refresh(other.refresh_token)).status, 200);
  });
}
