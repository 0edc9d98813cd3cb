import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { giveEvmWallet } from '../harness/evm-wallet.ts';
import { pressAtOnce } from '../harness/openers.ts';

export function shellSuite(world: () => ConsoleWorld): void {
  test('asks whoever is not signed in how they sign in, and goes on with a wallet', async () => {
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
    assert.equal(await page.getByText(/Your wallet says|session is over/).count(), 0);
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
    const over = page.getByRole('dialog', { name: 'Your session is over' });
    await over.getByRole('button', { name: 'Test Fox' }).click();
    await over.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed before the end');
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.getByText('it is shown only once').waitFor();
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
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL('**/console');
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    const wasInert = await page.evaluate(() => sessionStorage.getItem('wasInert'));
    assert.equal(wasInert, 'true', 'a click on the page that is left would be lost');
    assert.equal(await page.evaluate(() => document.body.inert), false);
    assert.deepEqual(faults, []);
  });
}
