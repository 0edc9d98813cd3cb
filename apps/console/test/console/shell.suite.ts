import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { giveEvmWallet } from '../harness/evm-wallet.ts';

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

  test('keeps the page when the session ends, and goes on after the next sign-in', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#901'),
      path: '/nowhere',
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.request.delete(`${world().server.url}/latchkey/session`, { headers: { 'x-latchkey-console': '1' } });
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await page.reload();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
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
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    assert.deepEqual(faults, []);
  });
}
