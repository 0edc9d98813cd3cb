import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { registerClient, type SampleClient } from '@latchkey/server/testing/oauth-client';
import { authorizeAddress, exchange, newVerifier } from '@latchkey/server/testing/oauth-flow';
import { openPage, type Watch } from './harness/browser.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import type { Running } from './harness/running.ts';

/** Logging in to an application through the pages. */
export function oauthSuite(running: () => Running): void {
  let application: Server;
  let client: SampleClient;
  before(async () => {
    application = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<h1>Back at the application</h1>');
    }).listen(0, '127.0.0.1');
    await once(application, 'listening');
    const { port } = application.address() as AddressInfo;
    client = await registerClient(running().server, { redirectUris: [`http://localhost:${port}/callback`] });
  });
  after(() => {
    application?.closeAllConnections();
    application?.close();
  });

  const scope = 'openid user:read user:wallet:read';

  /** A person sent here by the application, and back there when `back` has an address. */
  async function arrive(watch: Watch = {}) {
    const { server, browser } = running();
    const { page, faults } = await openPage(browser, watch);
    const wallet = await giveEvmWallet(page);
    const verifier = newVerifier();
    const ask = () => page.goto(server.url + authorizeAddress(client, verifier, { scope }));
    const back = async () => {
      await page.getByRole('heading', { name: 'Back at the application' }).waitFor();
      return new URL(page.url()).searchParams;
    };
    await ask();
    return { page, faults, wallet, verifier, ask, back };
  }

  test('tells who asks for what, lets a part of it be allowed, and asks no more if that was wished', async () => {
    const { page, faults, wallet, verifier, ask, back } = await arrive();
    await page.getByRole('heading', { name: 'Sign in to Sample application' }).waitFor();
    await page.getByText('takes you back to localhost').waitFor();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('heading', { name: 'Allow Sample application?' }).waitFor();
    assert.match(wallet.messages[0] ?? '', /wants you to sign in with your Ethereum account/);
    const offered = page.getByRole('group').getByRole('checkbox');
    assert.equal(await offered.count(), 3);
    assert.ok(await offered.first().isDisabled(), 'a login without a login cannot be had');
    await page.getByRole('checkbox', { name: /wallet/ }).uncheck();
    await page.getByRole('checkbox', { name: /Do not ask me again/ }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    const code = (await back()).get('code') ?? '';
    const answer = await exchange(running().server, client, { code, verifier });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json.scope.split(' ').toSorted(), ['openid', 'user:read']);

    await ask();
    await page.getByRole('heading', { name: 'Allow Sample application?' }).waitFor();
    assert.equal(await offered.count(), 1, 'what was allowed is not asked again');
    assert.deepEqual(faults, []);
    assert.deepEqual(
      [...new Set(wallet.requests.map(({ method }) => method))],
      ['eth_requestAccounts', 'eth_chainId', 'personal_sign'],
    );
    await page.context().close();
  });

  test('what an application was allowed is taken back in the console, and has to be asked for again', async () => {
    const { page, faults, verifier, ask, back } = await arrive({ expectsRefusals: true });
    const { server } = running();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('checkbox', { name: /Do not ask me again/ }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    const code = (await back()).get('code') ?? '';
    const { json } = await exchange(server, client, { code, verifier });
    const call = () =>
      server.request('GET', '/oauth2/userinfo', { headers: { authorization: `Bearer ${json.access_token}` } });
    assert.equal((await call()).status, 200);
    await page.goto(`${server.url}/console/me`);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: 'Revoke access of Sample application' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click();
    await page.getByText('No app has access to your account').waitFor();
    assert.equal((await call()).status, 401);
    await ask();
    await page.getByRole('heading', { name: 'Allow Sample application?' }).waitFor();
    assert.equal(await page.getByRole('group').getByRole('checkbox').count(), 3);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('takes a no back to the application', async () => {
    const { page, faults, back } = await arrive();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    const answer = await back();
    assert.deepEqual([answer.get('error'), answer.get('code'), answer.get('state')], ['access_denied', null, 's t&te']);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('goes nowhere when the wallet declines or lies', async () => {
    const { page, wallet } = await arrive();
    const status = page.getByRole('status').filter({ hasText: /\S/ });
    wallet.owner = 'declines';
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await status.filter({ hasText: 'You declined in your wallet. Nothing was signed.' }).waitFor();
    wallet.owner = 'signs with another key';
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await status.filter({ hasText: 'The signature does not match the message and the account.' }).waitFor();
    assert.match(page.url(), /\/login\/[\w-]+$/);
    await page.context().close();
  });
}
