import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestServer } from '../harness/test-server.ts';
import { openBrowser } from './browser.ts';
import { authorizeAddress, newVerifier } from './flow.ts';
import { registerClient } from './sample-client.ts';

const registered = 'https://app.example/callback?tenant=1';

/** Addresses that look like the registered one, or that some parser takes for it. */
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

/** People are sent to registered addresses and nowhere else. */
export function redirectsSuite(running: () => TestServer): void {
  test(`of ${mutations.length} addresses that resemble the registered one none is accepted, and errors go to none of them`, async () => {
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

  test('a program on the person’s machine comes back on any port of the address that it registered, if it is public', async () => {
    const redirectUris = ['http://127.0.0.1:8080/cb', 'http://[::1]/cb', 'http://localhost/cb'];
    const native = await registerClient(running(), { clientType: 'public', redirectUris });
    const web = await registerClient(running(), { redirectUris });
    const browser = openBrowser(running());
    const isAccepted = async (client: typeof native, redirectUri: string) =>
      (await browser.get(authorizeAddress(client, newVerifier(), { redirect_uri: redirectUri }))).status === 302;
    for (const good of [
      'http://127.0.0.1:51004/cb',
      'http://127.0.0.1/cb',
      'http://[::1]:9/cb',
      'http://localhost:1/cb',
    ]) {
      assert.equal(await isAccepted(native, good), true, good);
      assert.equal(await isAccepted(web, good), redirectUris.includes(good), good);
    }
    for (const bad of [
      'http://127.0.0.1:51004/cb/more',
      'http://127.0.0.1:51004/cb?x=1',
      'https://127.0.0.1:51004/cb',
      'http://127.0.0.2:51004/cb',
      'http://127.1:51004/cb',
      'http://0x7f000001/cb',
      'http://localhost.evil.example:51004/cb',
      'http://localhost:51004@evil.example/cb',
      'http://localhost:99999/cb',
      'http://localhost:/cb',
      'http://LOCALHOST:1/cb',
    ])
      assert.equal(await isAccepted(native, bad), false, bad);
  });
}
