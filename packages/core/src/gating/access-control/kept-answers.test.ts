import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { newUser } from '../../communities/community/testing.ts';
import type { NameAnswer } from '../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { checkRoles } from './check-roles.ts';
import { caller, coin, erc20, link, newAccount, other } from './testing.ts';

describe('cached check results', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('kept-answers');
  });
  after(() => t.close());

  const hold = (account: string, reference: string, amount: string) =>
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference, account }, amount);
  const granted = async (account: string | undefined, rules: object[], actor: Actor = caller) => {
    const body = { rules, ...(account !== undefined && { account }) };
    const { roles = [] } = await checkRoles(t.as(actor), { body });
    return roles.filter((role) => role.granted).map(({ id }) => id);
  };

  test('a result is used no longer than the oldest reading behind it', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    hold(account, other, '1');
    assert.deepEqual(await granted(account, [erc20(coin, 'a')]), ['a']);
    t.advanceSeconds(10);
    const both = [erc20(coin, 'a'), erc20(other, 'b')];
    assert.deepEqual(await granted(account, both), ['a', 'b']);
    hold(account, coin, '0');
    hold(account, other, '0');
    t.advanceSeconds(4);
    assert.deepEqual(await granted(account, both), ['a', 'b']);
    // The first is read again, the second is five seconds old.
    t.advanceSeconds(2);
    assert.deepEqual(await granted(account, both), ['b']);
    t.advanceSeconds(10);
    assert.deepEqual(await granted(account, both), []);
  });

  test('other rules and accounts have separate results', async () => {
    const [holder, stranger] = [newAccount(), newAccount()];
    hold(holder, coin, '1');
    assert.deepEqual(await granted(holder, [erc20(coin, 'a')]), ['a']);
    assert.deepEqual(await granted(stranger, [erc20(coin, 'a')]), []);
    assert.deepEqual(await granted(holder, [erc20(coin, 'b')]), ['b']);
    assert.deepEqual(await granted(holder, [erc20(coin, 'a', { minToken: '2' })]), []);
  });

  test('an unlinked wallet stops counting at once', async () => {
    const actor = newUser();
    const account = newAccount();
    hold(account, coin, '1');
    await link(t, actor.userId, account);
    assert.deepEqual(await granted(undefined, [erc20(coin, 'a')], actor), ['a']);
    await t.services.db.system.deleteFrom('wallet_connections').where('user_id', '=', actor.userId).execute();
    assert.deepEqual(await granted(undefined, [erc20(coin, 'a')], actor), []);
  });

  test('a name that was reassigned resolves to its new account at once', async () => {
    const [holder, stranger] = [newAccount(), newAccount()];
    hold(holder, coin, '1');
    let address = holder;
    const names = { namespace: 'evm', resolve: async (): Promise<NameAnswer> => ({ kind: 'found', address }) };
    const ask = (account: string) =>
      checkRoles({ ...t.as(caller), names }, { body: { account, rules: [erc20(coin, 'a')] } });
    assert.deepEqual((await ask('alice.eth')).roles, [{ id: 'a', granted: true }]);
    address = stranger;
    for (const spelling of ['alice.eth', ' Alice.ETH ', 'evm:1:alice.eth'])
      assert.deepEqual((await ask(spelling)).roles, [{ id: 'a', granted: false }], spelling);
  });
});
