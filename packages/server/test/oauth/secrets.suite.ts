import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '@latchkey/db';
import type { TestServer } from '../harness/test-server.ts';
import { openBrowser } from './browser.ts';
import { exchange, getCode, post } from './flow.ts';
import { registerClient } from './sample-client.ts';

/** No credential is stored or logged in plain text. */
export function secretsSuite(running: () => TestServer): void {
  test('no code, token, secret or cookie is in the database or the log', async () => {
    const client = await registerClient(running());
    const browser = openBrowser(running());
    const code = await getCode(running(), client, { browser, fields: { state: 'a-state-of-the-application' } });
    const { json: first } = await exchange(running(), client, code);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const { json: second } = await post(running(), client, '/oauth2/token', refresh);
    const secrets = [
      client.secret,
      code.code,
      code.verifier,
      'a-state-of-the-application',
      ...[first, second].flatMap(({ access_token, refresh_token, id_token }) => [
        access_token,
        refresh_token,
        id_token,
      ]),
      ...browser.cookieValues(),
    ];
    const { db } = running().services;
    const log = running().logLines.join('\n');
    for (const table of [
      'oauth_artifacts',
      'oauth_grants',
      'oauth_accounts',
      'access_tokens',
      'client_apps',
      'consent_decisions',
      'user_authorizations',
    ]) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(table)} t`.execute(db.system);
      const text = rows.map(({ row }) => row).join('\n');
      for (const secret of secrets) assert.equal(text.includes(secret ?? ''), false, `${table} has ${secret}`);
    }
    for (const secret of secrets) assert.equal(log.includes(secret ?? ''), false, `the log has ${secret}`);
  });

  test('cookies are kept from scripts, and from other sites that send people here', async () => {
    const client = await registerClient(running());
    const { headers } = await fetch(
      `${running().url}/oauth2/authorize?client_id=${client.id}&response_type=code&code_challenge_method=S256&code_challenge=${'a'.repeat(43)}&redirect_uri=${client.redirectUri}`,
      { redirect: 'manual' },
    );
    const cookies = headers.getSetCookie();
    assert.deepEqual(cookies.map((line) => line.split('=')[0]).toSorted(), [
      'latchkey_request',
      'latchkey_request.sig',
      'latchkey_resume',
      'latchkey_resume.sig',
    ]);
    for (const cookie of cookies) {
      assert.match(cookie, /; httponly/i);
      assert.match(cookie, /; samesite=lax/i);
    }
  });
}
