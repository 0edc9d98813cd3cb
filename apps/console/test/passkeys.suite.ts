import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFor, createConnectLink, verifyAeToken } from '@latchkey/core';
import type { PageData } from '@latchkey/kernel';
import { consoleBuild, writeDocument } from '@latchkey/server/pages';
import type { Page } from 'playwright-core';
import { openPage } from './harness/browser.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import { givePasskeyDevice } from './harness/passkey-device.ts';
import type { Running } from './harness/running.ts';

/** Passkeys on the pages. */
export function passkeysSuite(running: () => Running, newUserId: () => string): void {
  const port = () => new URL(running().server.url).port;
  const optionsPath = '**/webauthn/authentication/options';
  const client = { name: 'Cat Café', returnsTo: 'app.cats.example' };
  const loginPage: PageData = { page: 'login', slug: 'request', client, methods: ['passkey'] };

  /** A new person at a browser with a passkey device, who is shown a login page at any host by opening /login-page. */
  async function arrive() {
    const { server, browser } = running();
    const userId = newUserId();
    const system = contextFor(server.services, { kind: 'system', job: 'test' });
    const person = { userId, platform: 'discord', name: `Person ${userId}` };
    const link = await createConnectLink(system, person, { withPasskeys: true });
    const { page } = await openPage(browser, { expectsRefusals: true });
    const device = await givePasskeyDevice(page);
    const status = page.getByRole('status').filter({ hasText: /\S/ });
    const tokens: string[] = [];
    await page.route('**/login-page', (route) =>
      route.fulfill({ contentType: 'text/html', body: writeDocument(loginPage, consoleBuild.page('main')) }),
    );
    await page.route('**/oauth2/callback/request?*', (route) => {
      tokens.push(new URL(route.request().url()).searchParams.get('aeToken') ?? '');
      return route.fulfill({ contentType: 'text/html', body: '<h1>Back at the application</h1>' });
    });
    return { page, device, status, tokens, userId, url: `http://localhost:${port()}/connect/${link.slug}` };
  }

  async function register({ page, status, url }: Awaited<ReturnType<typeof arrive>>, name = 'Phone'): Promise<void> {
    await page.goto(url);
    await page.getByLabel('Name of the new passkey').fill(name);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await status.filter({ hasText: `${name} was added.` }).waitFor();
  }

  async function logIn(page: Page, host = 'localhost'): Promise<void> {
    await page.goto(`http://${host}:${port()}/login-page`);
    await page.getByRole('button', { name: 'Passkey' }).click();
  }

  /** Changes what the page sends to be verified, on its way. */
  async function alterAnswer(page: Page, change: (answer: { response: Record<string, string> }) => void) {
    await page.route('**/webauthn/authentication/verify', (route) => {
      const answer = route.request().postDataJSON();
      change(answer);
      return route.continue({ postData: JSON.stringify(answer) });
    });
  }

  /** Changes what the page is asked to sign, on its way. The server is the same by whatever name the page calls it. */
  async function alterOptions(page: Page, change: (options: { challenge: string }) => object) {
    await page.route(optionsPath, async (route) => {
      const answer = await route.fetch({ url: `${running().server.url}${new URL(route.request().url()).pathname}` });
      await route.fulfill({ json: change(await answer.json()) });
    });
  }

  const decode = (text = '') => Buffer.from(text, 'base64url');

  test('are registered, renamed, used to log in, and deleted', async () => {
    const person = await arrive();
    const { page, status, tokens, userId, device, url } = person;
    await register(person);
    assert.equal((await device.passkeys()).length, 1);
    await page.getByRole('button', { name: 'Rename Phone' }).click();
    await page.getByLabel('New name of Phone').fill('Red phone');
    await page.getByRole('button', { name: 'Save' }).click();
    await status.filter({ hasText: 'It is called Red phone now.' }).waitFor();

    await logIn(page);
    await page.getByRole('heading', { name: 'Back at the application' }).waitFor();
    const actor = await verifyAeToken(running().server.services, tokens[0] ?? '');
    assert.equal(actor.kind === 'user' && actor.userId, userId);

    await page.goto(url);
    await page.getByRole('button', { name: 'Delete Red phone' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await status.filter({ hasText: 'Red phone is deleted.' }).waitFor();
    await logIn(page);
    await status.filter({ hasText: 'The passkey is unknown' }).waitFor();
    assert.equal(tokens.length, 1);
    await page.context().close();
  });

  test('sign a browser in to the console if they were made there, and say so if they were not', async () => {
    const person = await arrive();
    const { page } = person;
    await register(person);
    const wallet = await giveEvmWallet(page);
    await page.goto(`http://localhost:${port()}/console/me`);
    await page.getByRole('button', { name: 'Passkey' }).click();
    await page.getByRole('alert').getByText('This does not sign in to the console').waitFor();

    await person.device.clear();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('Laptop', { exact: true }).waitFor();
    await page.getByRole('button', { name: wallet.address }).first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    // The page that is left has a button whose name contains this one's.
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    await page.getByRole('button', { name: 'Passkey' }).click();
    await page.getByText(`Signed in as ${wallet.address}.`).waitFor();
    await page.context().close();
  });

  test('are not made twice on one device, nor without its owner', async () => {
    const person = await arrive();
    const { page, status, device } = person;
    await register(person);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await status.filter({ hasText: 'This device already has a passkey for this account.' }).waitFor();
    await device.clear();
    await device.setUnlocked(false);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await status.filter({ hasText: 'That was cancelled or took too long.' }).waitFor();
    await page.context().close();
  });

  test('are refused for a challenge that the server did not set, and for one that was used', async () => {
    const person = await arrive();
    const { page, status, tokens } = person;
    await register(person);
    const challenge = Buffer.from('a challenge of another account').toString('base64url');
    await alterOptions(page, (options) => ({ ...options, challenge }));
    await logIn(page);
    await status.filter({ hasText: 'The challenge was not issued by this server' }).waitFor();
    await page.unroute(optionsPath);

    let used = '';
    await alterOptions(page, (options) => {
      used ||= options.challenge;
      return { ...options, challenge: used };
    });
    await logIn(page);
    await page.getByRole('heading', { name: 'Back at the application' }).waitFor();
    await logIn(page);
    await status.filter({ hasText: 'was already used' }).waitFor();
    assert.equal(tokens.length, 1);
    await page.context().close();
  });

  test('are refused at another origin, though the browser and the device agree to it', async () => {
    const person = await arrive();
    const { page, device, status, tokens } = person;
    await register(person);
    const [passkey] = await device.passkeys();
    assert.ok(passkey !== undefined);
    await device.clear();
    await device.put({ ...passkey, rpId: 'other.localhost' });
    await alterOptions(page, (options) => ({ ...options, rpId: 'other.localhost' }));
    await logIn(page, 'other.localhost');
    await status.filter({ hasText: 'This page cannot use the passkeys of this domain.' }).waitFor();
    assert.deepEqual(tokens, []);
    await page.context().close();
  });

  test('are refused for another relying party, by the browser and by the server', async () => {
    const person = await arrive();
    const { page, status, tokens } = person;
    await register(person);
    await alterOptions(page, (options) => ({ ...options, rpId: 'bank.example' }));
    await logIn(page);
    await status.filter({ hasText: 'Passkeys do not work at this address.' }).waitFor();
    await page.unroute(optionsPath);

    await alterAnswer(page, ({ response }) => {
      const bytes = decode(response.authenticatorData);
      bytes.fill(7, 0, 32);
      response.authenticatorData = bytes.toString('base64url');
    });
    await logIn(page);
    await status.filter({ hasText: 'its response does not match the options' }).waitFor();
    assert.deepEqual(tokens, []);
    await page.context().close();
  });

  test('are refused, and barred from then on, when their counter goes back', async () => {
    const person = await arrive();
    const { page, device, status, tokens, url } = person;
    await register(person);
    const [copy] = await device.passkeys();
    assert.ok(copy !== undefined);
    await logIn(page);
    await page.getByRole('heading', { name: 'Back at the application' }).waitFor();
    await device.clear();
    await device.put({ ...copy, rpId: 'localhost', signCount: 0 });
    await logIn(page);
    await status.filter({ hasText: 'This passkey seems to have been copied' }).waitFor();
    await logIn(page);
    await status.filter({ hasText: 'This passkey seems to have been copied' }).waitFor();
    assert.equal(tokens.length, 1);
    await page.goto(url);
    await page.getByText('Blocked: it may have been copied.').waitFor();
    await page.context().close();
  });
}
