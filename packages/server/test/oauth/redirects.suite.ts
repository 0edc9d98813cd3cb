import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestServer } from '../harness/test-server.ts';
import { openBrowser } from './browser.ts';
import { authorizeAddress, exchange, getCode, newVerifier } from './flow.ts';
import { registerClient } from './sample-client.ts';

const registered = 'https://app.example/callback?tenant=1';

/** URIs that look like the registered one, or that some parser confuses with it. */
export const mutations: readonly string[] = [
  'https://app.example/callback',
  'https://app.example/callback?tenant=2',
  'https://app.example/callback?tenant=1&',
  'https://app.example/callback?tenant=1&x=1',
  'https://app.example/callback?x=1&tenant=1',
  'https://app.example/callback?Tenant=1',
  'https://app.example/callback?tenant=%31',
  'https://app.example/callback?tenant=1#',
  'https://app.example/callback?tenant=1#fragment',
  'https://app.example/callback/?tenant=1',
  'https://app.example/callback//?tenant=1',
  'https://app.example//callback?tenant=1',
  'https://app.example/callback/evil?tenant=1',
  'https://app.example/callback/..?tenant=1',
  'https://app.example/evil/../callback?tenant=1',
  'https://app.example/./callback?tenant=1',
  'https://app.example/%2e/callback?tenant=1',
  'https://app.example/callback%2f..?tenant=1',
  'https://app.example/callback%3ftenant=1',
  'https://app.example/Callback?tenant=1',
  'https://app.example/callbac?tenant=1',
  'https://app.example/callback1?tenant=1',
  'https://app.example/c%61llback?tenant=1',
  'https://app.example/callback;?tenant=1',
  'https://app.example/callback%00?tenant=1',
  'https://app.example/callback\u0000?tenant=1',
  'https://app.example/call\tback?tenant=1',
  'https://app.example/call\nback?tenant=1',
  'https://app.example\\callback?tenant=1',
  'https:\\\\app.example/callback?tenant=1',
  'https:/app.example/callback?tenant=1',
  'https:app.example/callback?tenant=1',
  '//app.example/callback?tenant=1',
  '/callback?tenant=1',
  'app.example/callback?tenant=1',
  'HTTPS://app.example/callback?tenant=1',
  'http://app.example/callback?tenant=1',
  'https://APP.example/callback?tenant=1',
  'https://app.example./callback?tenant=1',
  'https://app.example:443/callback?tenant=1',
  'https://app.example:444/callback?tenant=1',
  'https://app.example:/callback?tenant=1',
  'https://app.example.evil.example/callback?tenant=1',
  'https://evil.example/app.example/callback?tenant=1',
  'https://evil.example?https://app.example/callback?tenant=1',
  'https://evil.example#https://app.example/callback?tenant=1',
  'https://app.example@evil.example/callback?tenant=1',
  'https://evil.example@app.example/callback?tenant=1',
  'https://user:word@app.example/callback?tenant=1',
  'https://evil.example\\@app.example/callback?tenant=1',
  'https://sub.app.example/callback?tenant=1',
  'https://*.example/callback?tenant=1',
  'https://app.ex\u0430mple/callback?tenant=1',
  'https://app.example/callback?tenant=\uff11',
  ' https://app.example/callback?tenant=1',
  'https://app.example/callback?tenant=1 ',
  'https://app.example/callback?tenant=1\r\nSet-Cookie:a=b',
  'javascript:alert(1)//https://app.example/callback?tenant=1',
  'data:text/html,https://app.example/callback?tenant=1',
  'file:///app.example/callback?tenant=1',
  'https://127.0.0.1/callback?tenant=1',
  'https://[::1]/callback?tenant=1',
];

/** Users are only redirected to registered URIs. */
export function redirectsSuite(running: () => TestServer): void {
  test(`of ${mutations.length} URIs that resemble the registered one none is accepted, and errors go to none of them`, async () => {
    const client = await registerClient(running(), { redirectUris: [registered] });
    const browser = openBrowser(running());
    const ask = (redirectUri: string, more = {}) =>
      browser.get(authorizeAddress(client, newVerifier(), { redirect_uri: redirectUri, ...more }));
    assert.match((await ask(registered)).location, /\/login\//);
    assert.ok(new Set(mutations).size >= 60);
    for (const mutation of mutations) {
      for (const broken of [{}, { response_type: 'nonsense' }, { code_challenge: undefined }]) {
        const { status, location } = await ask(mutation, broken);
        assert.deepEqual([status, location], [400, ''], JSON.stringify([mutation, broken]));
      }
    }
    const refusal = await ask(registered, { code_challenge: undefined });
    assert.ok(refusal.location.startsWith('https://app.example/callback?tenant=1&error=invalid_request'));
  });

  const local = ['http://127.0.0.1:8080/cb', 'https://localhost:3000'];
  const onThisMachine = [
    'http://127.0.0.1:51004/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:9/cb',
    'http://localhost:1/cb',
    'http://localhost:51004/cb/more/of-it',
    'https://localhost:3000',
  ];
  const elsewhere = [
    'https://localhost:3000/any/path',
    'https://localhost/',
    'https://127.0.0.1:3000',
    'http://127.0.0.1:51004/',
    'http://127.0.0.1:51004/cbs',
    'http://127.0.0.1:51004/cb?x=1',
    'http://127.0.0.1:51004/cb#x',
    'http://127.0.0.1:51004/cb/../evil',
    'http://127.0.0.1:51004/cb/%2E%2e/evil',
    'http://127.0.0.1:51004/cb/..\\evil',
    'http://127.0.0.1:51004/cb/..%2fevil',
    'http://127.0.0.2:51004/cb',
    'http://127.1:51004/cb',
    'http://0x7f000001/cb',
    'http://localhost.evil.example:51004/cb',
    'http://localhost:51004@evil.example/cb',
    'http://localhost:99999/cb',
    'http://localhost:/cb',
    'http://LOCALHOST:1/cb',
    'ftp://localhost/cb',
  ];

  test('a native application returns to any port and sub-path of its registration', async () => {
    const browser = openBrowser(running());
    for (const clientType of ['public', 'confidential'] as const) {
      const client = await registerClient(running(), { clientType, redirectUris: local });
      const isAccepted = async (redirectUri: string) =>
        (await browser.get(authorizeAddress(client, newVerifier(), { redirect_uri: redirectUri }))).status === 302;
      for (const good of onThisMachine) assert.equal(await isAccepted(good), true, `${clientType} ${good}`);
      for (const bad of elsewhere) assert.equal(await isAccepted(bad), false, `${clientType} ${bad}`);
    }
    const web = await registerClient(running(), { redirectUris: [registered] });
    for (const good of onThisMachine)
      assert.equal(
        (await browser.get(authorizeAddress(web, newVerifier(), { redirect_uri: good }))).status,
        400,
        `Nothing local is registered: ${good}`,
      );
  });

  test('a code returned to another port is exchanged with that port', async () => {
    const client = await registerClient(running(), { redirectUris: local });
    const redirectUri = 'http://localhost:51004/cb/done';
    const code = await getCode(running(), client, { fields: { redirect_uri: redirectUri } });
    assert.equal((await exchange(running(), client, code)).json.error, 'invalid_grant');
    assert.equal((await exchange(running(), client, code, { redirect_uri: redirectUri })).status, 200);
  });
}
