import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './harness/browser.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import type { Running } from './harness/running.ts';

/** The page where people see and end every way in to their account. */
export function accountSuite(running: () => Running, newUserId: () => string): void {
  let links = 0;

  async function arrive() {
    const { server, browser } = running();
    const { page, faults } = await openPage(browser);
    const wallet = await giveEvmWallet(page);
    const open = () => page.goto(`${server.url}/account`);
    await open();
    return { page, faults, wallet, open, status: page.getByRole('status').filter({ hasText: /\S/ }) };
  }

  /** Links a wallet to somebody, as it was proven before. */
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

  test('signs in, lets a wallet sign in and no longer, and logs out everywhere', async () => {
    const { page, faults, wallet, status } = await arrive();
    const linked = '0x00000000000000000000000000000000000000Aa';
    await link(`ETH#USER#${wallet.address}`, linked, false);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByText('(this one)').waitFor();
    await page.getByText('No app has access to your account.').waitFor();
    await page.getByRole('button', { name: `Allow sign-in with ${linked}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow sign-in' }).click();
    await status.filter({ hasText: 'can sign in now.' }).waitFor();
    await page.getByRole('button', { name: `Stop sign-in with ${linked}` }).click();
    await status.filter({ hasText: 'can no longer sign in.' }).waitFor();
    await page.getByRole('button', { name: 'Log out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Log out everywhere' }).click();
    await page.getByRole('button', { name: 'Test Fox' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/account');
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
    await page.getByText('(this one)').waitFor();
    assert.match(wallet.messages.at(-1) ?? '', new RegExp(`urn:latchkey:account:${encodeURIComponent(second)}`));
    await page.context().close();
  });

  test('links an X account in a tab of its own, shows it, and unlinks it', async () => {
    const { page, faults, status } = await arrive();
    const { server, x } = running();
    x.state.app.redirectUris.add(`${server.url}/account/x`);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    const open = async (decision: string) => {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('button', { name: 'Link X account' }).click();
      const tab = await opened;
      await tab.getByRole('button', { name: decision }).click();
      return tab;
    };
    await open('Cancel');
    await status.filter({ hasText: 'You did not allow it on X.' }).waitFor();
    const tab = await open('Authorize app');
    await status.filter({ hasText: 'Your X account is linked.' }).waitFor();
    await page.getByText('@ann_x').waitFor();
    if (!tab.isClosed()) assert.equal(new URL(tab.url()).search, '', 'the code is in no history');
    await page.getByRole('button', { name: 'Unlink' }).click();
    await status.filter({ hasText: 'Your X account is unlinked.' }).waitFor();
    await page.getByRole('button', { name: 'Link X account' }).waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('says what to do when X sends a browser back to nobody', async () => {
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
    await page.getByRole('heading', { name: 'Log out?' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
