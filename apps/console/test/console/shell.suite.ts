import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { giveEvmWallet } from '../harness/evm-wallet.ts';
import { setUpMembers } from '../harness/members-world.ts';
import { pressAtOnce } from '../harness/openers.ts';

export function shellSuite(world: () => ConsoleWorld): void {
  test('shows the ways to sign in to people who are not signed in, and continues with a wallet', async () => {
    await using opened = await openConsole(world(), { expectsRefusals: true });
    const { page, faults } = opened;
    await giveEvmWallet(page);
    await page.reload();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'My account' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('shows the operator’s places to the operator alone', async () => {
    const operators = (page: { getByRole(role: 'link', options: { name: string }): { count(): Promise<number> } }) =>
      page.getByRole('link', { name: 'Jobs' }).count();
    await using operator = await openConsole(world(), { as: asOperator(world()) });
    // The operator has no account, and begins with the health of the server.
    await operator.page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    assert.equal(await operator.page.getByRole('link', { name: 'My account' }).count(), 0);
    assert.equal(await operators(operator.page), 1);
    await using person = await openConsole(world(), { as: await asPerson(world(), 'DIS#USER#900'), path: '/nowhere' });
    assert.equal(await operators(person.page), 0);
    // Not even the buttons of such a place, whose every action would be refused.
    await person.goTo('/operator/keys');
    await person.page.getByRole('heading', { name: 'You don’t have access to this page' }).waitFor();
    await person.page.getByText('Only the operator of this server can open it').waitFor();
    assert.equal(await person.page.getByRole('button', { name: /key/ }).count(), 0);
    await person.page.getByRole('main').getByRole('link', { name: 'Go to Home' }).click();
    await person.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    assert.deepEqual([...operator.faults, ...person.faults], []);
  });

  test('says what is wrong with an operator key, keeps it, and takes the right one', async () => {
    await using opened = await openConsole(world(), { expectsRefusals: true });
    const { page, faults } = opened;
    await page.getByText('I run this server').click();
    const key = page.getByLabel('Operator key');
    await key.fill('admin000000000000.wrong');
    await key.press('Enter');
    await page.getByRole('alert').getByText('INVALID_CREDENTIAL').waitFor();
    assert.equal(await page.getByText(/Your wallet says|session has ended/).count(), 0);
    assert.equal(await key.inputValue(), 'admin000000000000.wrong');
    await key.fill(world().server.adminKey);
    await key.press('Enter');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('keeps a page with all that was typed when the session ends, and goes on after the next sign-in', async () => {
    await using opened = await openConsole(world(), { expectsRefusals: true });
    const { page, faults } = opened;
    await giveEvmWallet(page);
    await opened.goTo('/developers');
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Typed before the end');
    await page.request.delete(`${world().server.url}/latchkey/session`, { headers: { 'x-latchkey-console': '1' } });
    // The page may hear of it by itself before.
    await pressAtOnce(page.getByRole('button', { name: 'Create application' }));
    const over = page.getByRole('dialog', { name: 'Your session has ended' });
    await over.getByRole('button', { name: 'Test Fox' }).click();
    await over.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed before the end');
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.getByText('it is shown only once').waitFor();
    assert.deepEqual(faults, []);
  });

  test('says that it is offline, keeps what was typed, and saves it once it is online again', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#903'),
      path: '/developers',
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Typed offline');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Create application' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('You are offline. Check your internet connection').waitFor();
    await page.getByText('You are offline.', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed offline');
    await page.context().setOffline(false);
    await page.getByText('You are offline.', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.getByText('it is shown only once').waitFor();
    assert.deepEqual(faults, []);
  });

  test('blames a screen that cannot be loaded on the server, never on a wallet, and loads it once the server is back', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#904'),
      path: '/nowhere',
      expectsRefusals: true,
    });
    const { page } = opened;
    const away = (url: URL) => url.origin === world().server.url;
    await page.route(away, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'My account' }).first().click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await page.getByText('The server can’t be reached.', { exact: true }).waitFor();
    assert.equal(await page.getByText(/wallet/i).count(), 0);
    await page.unroute(away);
    await page.getByText('The server can’t be reached.', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'My account', level: 1 }).waitFor();
  });

  test('says that a server which accepts connections does not respond, and goes on by itself once it does', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#907'),
      path: '/developers',
      expectsRefusals: true,
    });
    const { page } = opened;
    await page.clock.install();
    const away = ({ origin }: URL) => origin === world().server.url;
    const hangs = Promise.withResolvers<void>();
    // Requests arrive, and none is ever answered.
    await page.route(away, () => hangs.resolve());
    await page.getByRole('link', { name: 'My account' }).first().click();
    const notice = page.getByText('The server is not responding.', { exact: true });
    await hangs.promise;
    assert.equal(await notice.count(), 0, 'an answer may take a moment');
    await page.clock.runFor(8_000);
    await page.clock.runFor(4_000);
    await notice.waitFor();
    assert.equal(await page.getByText('can’t be reached').count(), 0);
    await page.clock.runFor(30_000);
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    assert.equal(await page.getByText(/wallet/i).count(), 0);
    await page.unroute(away);
    await page.clock.runFor(40_000);
    await page.getByRole('heading', { name: 'My account', level: 1 }).waitFor();
    assert.equal(await notice.count(), 0);
  });

  test('does not call a server silent because one of its answers takes long', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#908'),
      path: '/developers',
      expectsRefusals: true,
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Takes long');
    await page.clock.install();
    const arrived = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await page.route('**/client-apps**', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      arrived.resolve();
      await answer.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create application' }).click();
    await arrived.promise;
    const probe = page.waitForResponse((response) => response.url().endsWith('/latchkey/session'));
    await page.clock.runFor(8_000);
    await probe;
    await page.clock.runFor(10_000);
    assert.equal(await page.getByText('The server is not responding.').count(), 0);
    answer.resolve();
    await page.getByText('it is shown only once').waitFor();
  });

  test('offers to reload a tab that is older than the server', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#905'),
      path: '/me',
      expectsRefusals: true,
    });
    const { page } = opened;
    // The server has been updated: it names another build, and no longer has the files of the old one.
    await page.route('**/latchkey/**', async (route) => {
      if (route.request().url().includes('/live')) return route.continue();
      const response = await route.fetch();
      return route.fulfill({ response, headers: { ...response.headers(), 'x-latchkey-build': 'newer' } });
    });
    await page.route('**/console/assets/**', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Developers' }).first().click();
    await page.getByText('A newer version of the console is available.').waitFor();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    assert.equal(await page.getByText(/wallet/i).count(), 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('main').getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Developers', level: 1 }).waitFor();
    assert.equal(await page.getByText('A newer version of the console is available.').count(), 0);
  });

  test('refuses a member at an admin’s address, without the buttons of admins and with a way home', async () => {
    const { communityId } = await setUpMembers(world(), 98);
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#906'),
      path: `/communities/${encodeURIComponent(communityId)}`,
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByRole('heading', { name: 'You don’t have access to this page' }).waitFor();
    assert.equal(await page.getByRole('link', { name: /New rule|Rules|Members|Settings/ }).count(), 0);
    await page.getByRole('main').getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('logs out from the menu of the account', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#902'),
      path: '/nowhere',
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'DIS#USER#902' }).click();
    await page.evaluate(() => {
      addEventListener('pagehide', () => sessionStorage.setItem('wasInert', String(document.body.inert)));
    });
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/console');
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    const wasInert = await page.evaluate(() => sessionStorage.getItem('wasInert'));
    assert.equal(wasInert, 'true', 'a click on the page that is left would be lost');
    assert.equal(await page.evaluate(() => document.body.inert), false);
    assert.deepEqual(faults, []);
  });
}
