import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './harness/browser.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import type { Running } from './harness/running.ts';

/** Old links to the page of an account, and what it does now in the console. */
export function accountSuite(running: () => Running, newUserId: () => string): void {
  let links = 0;

  async function arrive(query = '') {
    const { server, browser } = running();
    const { page, faults } = await openPage(browser, { expectsRefusals: true });
    const wallet = await giveEvmWallet(page);
    await page.goto(`${server.url}/account${query}`);
    return { page, faults, wallet };
  }

  /** Links a wallet to an account, as if it was proven before. */
  async function link(userId: string, address: string, signsIn: boolean): Promise<void> {
    const now = new Date();
    await running()
      .server.services.db.system.insertInto('wallet_connections')
      .values({
        id: `link${links++}`,
        user_id: userId,
        platform: userId.startsWith('ETH') ? 'ethereum' : 'discord',
        user_name: `Person ${userId}`,
        namespace: 'evm',
        address,
        scopes: ['$all'],
        signs_in_since: signsIn ? now : null,
        created_at: now,
      })
      .execute();
  }

  test('an old link to it leads to the console, where a wallet is allowed to sign in and no longer, and all sessions end', async () => {
    const { page, faults, wallet } = await arrive('?from=mail');
    const linked = '0x00000000000000000000000000000000000000Aa';
    await link(`ETH#USER#${wallet.address}`, linked, false);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByText('This one').waitFor();
    assert.deepEqual([new URL(page.url()).pathname, new URL(page.url()).search], ['/console/me', '?from=mail']);
    await page.getByText('No app has access to your account').waitFor();
    await page.getByRole('button', { name: `Allow sign-in with ${linked}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow sign-in' }).click();
    await page.getByRole('button', { name: `Stop sign-in with ${linked}` }).click();
    await page.getByRole('button', { name: `Allow sign-in with ${linked}` }).waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('asks which account is meant when a wallet signs in to several', async () => {
    const { server, browser } = running();
    const { page } = await openPage(browser, { expectsRefusals: true });
    const wallet = await giveEvmWallet(page);
    const [first, second] = [newUserId(), newUserId()];
    for (const userId of [first, second]) await link(userId, wallet.address, true);
    await page.goto(`${server.url}/account`);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('heading', { name: 'Which account?' }).waitFor();
    await page.getByRole('button', { name: `Person ${second}` }).click();
    await page.getByText('This one').waitFor();
    assert.match(wallet.messages.at(-1) ?? '', new RegExp(`urn:latchkey:account:${encodeURIComponent(second)}`));
    await page.context().close();
  });

  test('links an X account in a tab of its own, shows it, and unlinks it', async () => {
    const { page, faults } = await arrive();
    const { server, x } = running();
    x.state.app.redirectUris.add(`${server.url}/account/x`);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    const accounts = page.getByRole('button', { name: 'Link an account' });
    const open = async (decision: string) => {
      const opened = page.context().waitForEvent('page');
      await accounts.click();
      await page.getByRole('menuitem', { name: 'X', exact: true }).click();
      const tab = await opened;
      await tab.getByRole('button', { name: decision }).click();
      return tab;
    };
    await open('Cancel');
    await page.getByText('You did not allow it on X.').waitFor();
    const tab = await open('Authorize app');
    await page.getByText('Your X account is linked.').waitFor();
    if (!tab.isClosed()) assert.equal(new URL(tab.url()).search, '', 'the code is in no history');
    await page.getByRole('button', { name: 'Unlink @ann_x on X' }).click();
    const question = page.getByRole('dialog', { name: 'Unlink @ann_x?' });
    await question.getByText('Roles that depend on your X account are removed').waitFor();
    await question.getByRole('button', { name: 'Unlink X account' }).click();
    await page.getByText('Your X account is unlinked.').waitFor();
    assert.equal(await page.getByText('@ann_x').count(), 0);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('shows accounts that share a wallet, and says what it costs to separate them', async () => {
    const { server, browser } = running();
    const { page, faults } = await openPage(browser, { expectsRefusals: true });
    const wallet = await giveEvmWallet(page);
    const shared = '0x00000000000000000000000000000000000000Bb';
    const other = newUserId();
    await link(`ETH#USER#${wallet.address}`, shared, false);
    await link(other, shared, false);
    await page.goto(`${server.url}/console/me`);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByText('shares the wallet').waitFor();
    await page.getByRole('button', { name: `Unlink ${other.split('#').at(-1)} on Discord` }).click();
    const question = page.getByRole('dialog');
    await question.getByText('Your roles here that depend on it are removed').waitFor();
    await question.getByRole('button', { name: 'Unlink 1 wallet' }).click();
    await page.getByText('No chat account yet').waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('says what to do when X sends back a browser that did not start the linking', async () => {
    const { server, browser } = running();
    const { page, faults } = await openPage(browser);
    await page.goto(`${server.url}/account/x?state=unknown&code=code`);
    await page.getByRole('heading', { name: 'Nothing was linked' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('asks before a browser is logged out, and says when it is', async () => {
    const { server, browser } = running();
    const { page, faults } = await openPage(browser);
    await page.goto(`${server.url}/oauth2/logout`);
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
