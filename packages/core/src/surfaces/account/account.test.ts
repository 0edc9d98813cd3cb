import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { addMembers, newCommunity, newUser, type TestUser } from '../../communities/community/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import { listWallets } from '../../identity/wallets/index.ts';
import { unlinkAllWallets, unlinkWallet } from '../../linking/wallet-links/index.ts';
import { operator, type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import {
  addWalletAddress,
  findLinkedUsers,
  getAdministratedCommunities,
  getAuthChallenge,
  getUserCommunities,
  getUserProfile,
} from './operations.ts';

describe('the account of the caller', () => {
  let t: TestPlatform;
  let wallets = 0;
  before(async () => {
    t = await testPlatform('account');
  });
  after(() => t.close());

  const newAddress = () => {
    wallets += 1;
    return `0x${wallets.toString(16).padStart(40, '0')}`;
  };
  const refusal = (code: ErrorCode, path?: string) => (error: unknown) => {
    assert.ok(error instanceof AppError && error.code === code, String(error));
    if (path !== undefined) assert.match(error.message, new RegExp(path));
    return true;
  };
  const link = async (user: Actor, address: string, change: { chainId?: string; signedMessage?: string } = {}) => {
    const { message = '' } = await getAuthChallenge(t.as(user));
    const body = { address, message, signedMessage: testSignature(address, message), ...change };
    return addWalletAddress(t.as(user), { body });
  };
  const onTelegram = (user: TestUser & { nativeId: string }): TestUser => ({
    ...user,
    userId: `TEL#USER#${user.nativeId}`,
    platform: 'telegram',
  });
  const queuedOf = async (user: TestUser) =>
    t.services.db.system
      .selectFrom('reconcile_queue')
      .select(['community_id', 'cause'])
      .where('user_id', '=', user.userId)
      .orderBy('community_id')
      .execute();
  const forgetQueued = () => t.services.db.system.deleteFrom('reconcile_queue').execute();

  it('shows who the caller is, and since when with a wallet', async () => {
    const user = { ...newUser(), name: 'ann' };
    const profile = {
      id: user.userId,
      pk: user.userId,
      sk: 'USER',
      classifier: 'USER',
      classifierGroup: 'USER',
      platform: 'discord',
      userName: 'ann',
    };
    assert.deepEqual(await getUserProfile(t.as(user)), profile);
    const createdTime = t.services.clock().toISOString();
    await link(user, newAddress());
    t.advanceSeconds(60);
    await link(user, newAddress());
    assert.deepEqual(await getUserProfile(t.as(user)), { ...profile, createdTime });
  });

  it('lists communities the caller manages with their rules, and memberships without admin secrets', async () => {
    const { owner, id } = await newCommunity(t);
    const other = await newCommunity(t);
    const member = newUser();
    const rule = { type: 'ERC20', chainId: 1, contractAddress: newAddress(), minToken: '1', roleId: 'gold' };
    await createRule(t.as(owner), { id, body: rule });
    await addMembers(t, id, [{ userId: member.userId }]);
    await addMembers(t, other.id, [{ userId: owner.userId }]);

    const administered = await getAdministratedCommunities(t.as(owner));
    assert.deepEqual(
      administered.items.map((community) => [community.id, community.admins, community.tpcs?.length]),
      [[id, [owner.userId], 1]],
    );
    const [first] = administered.items;
    assert.ok(first?.roles?.some((role) => role.id === 'gold' && role.name === first.tpcs?.[0]?.roleName));
    t.host.fail('Discord is down.');
    const [silent] = (await getAdministratedCommunities(t.as(owner))).items;
    t.host.fail(undefined);
    assert.deepEqual([silent?.id, silent?.roles, silent?.tpcs?.[0]?.roleId], [id, undefined, 'gold']);
    assert.deepEqual((await getAdministratedCommunities(t.as(member))).items, []);
    const joined = await getUserCommunities(t.as(member));
    assert.deepEqual(
      joined.items.map((community) => [community.id, community.admins, community.activePlans]),
      [[id, undefined, undefined]],
    );
    await addMembers(t, other.id, [{ userId: member.userId }]);
    const one = await getUserCommunities(t.as(member), { limit: 1 });
    const next = { limit: 1, paginationToken: one.paginationToken };
    const two = await getUserCommunities(t.as(member), next);
    assert.deepEqual(
      [...one.items, ...two.items].map((community) => community.id),
      [id, other.id].toSorted(),
    );
    assert.equal(two.paginationToken, undefined);
    await assert.rejects(getAdministratedCommunities(t.as(member), next), refusal('INVALID_PAGINATION_TOKEN'));
    assert.deepEqual(
      (await getUserCommunities(t.as(owner))).items.map((community) => community.id),
      [other.id],
    );
    assert.deepEqual((await getUserCommunities(t.as(newUser()))).items, []);
  });

  it('names the other accounts that hold one of its wallets, on any platform', async () => {
    const user = newUser();
    const [here, there, stranger] = [user, onTelegram(user), newUser()];
    const address = newAddress();
    for (const account of [here, there]) await link(account, address);
    await link(stranger, newAddress());
    assert.deepEqual(await findLinkedUsers(t.as(here)), { items: [there.userId] });
    assert.deepEqual(await findLinkedUsers(t.as(there)), { items: [here.userId] });
    assert.deepEqual(await findLinkedUsers(t.as(stranger)), { items: [] });
  });

  it('pages through wallets, oldest first', async () => {
    const user = newUser();
    const addresses = [newAddress(), newAddress(), newAddress()];
    for (const address of addresses) {
      await link(user, address);
      t.advanceSeconds(1);
    }
    const first = await listWallets(t.as(user), { limit: 2 });
    const { paginationToken } = first;
    const second = await listWallets(t.as(user), { limit: 2, paginationToken });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ address }) => address),
      addresses,
    );
    assert.equal(second.paginationToken, undefined);
    await assert.rejects(listWallets(t.as(newUser()), { paginationToken }), AppError);
  });

  it('re-checks the caller’s roles in their communities when a wallet is linked or unlinked', async () => {
    const [{ id }, elsewhere, user] = [await newCommunity(t), await newCommunity(t), newUser()];
    await addMembers(t, id, [{ userId: user.userId }]);
    await addMembers(t, elsewhere.id, [{ userId: newUser().userId }]);
    const due = [{ community_id: id, cause: 'wallet' }];
    const [first, second] = [newAddress(), newAddress()];
    await forgetQueued();
    await link(user, first);
    assert.deepEqual(await queuedOf(user), due);

    await forgetQueued();
    await link(user, first);
    assert.deepEqual(await queuedOf(user), [], 'nothing changed');

    await link(user, second);
    await forgetQueued();
    await unlinkWallet(t.as(user), first, reconcileUser);
    assert.deepEqual(await queuedOf(user), due);
    await forgetQueued();
    await unlinkAllWallets(t.as(user), reconcileUser);
    assert.deepEqual(await queuedOf(user), due);
    const { rows } = await t.services.db.pool.query('select distinct user_id from reconcile_queue');
    assert.deepEqual(rows, [{ user_id: user.userId }], 'no other member is checked');
  });

  it('shows a new wallet’s native balance, if it can be read', async () => {
    const user = newUser();
    const coin = { standard: 'native', reference: 'currency' };
    const [rich, other, unread] = [newAddress(), newAddress(), newAddress()];
    t.holdings.set({ ...coin, chain: 'evm:1', account: rich }, '12.5');
    assert.deepEqual(await link(user, rich), { address: rich, accounts: [{ chainId: 'evm:1', balance: '12.5' }] });
    t.holdings.set({ ...coin, chain: 'evm:137', account: other }, '3');
    const accounts = [{ chainId: 'evm:137', balance: '3' }];
    assert.deepEqual(await link(user, other, { chainId: 'eip155:137' }), { address: other, accounts });
    t.holdings.fail('evm:1', 'The node is down.');
    assert.deepEqual(await link(user, unread), { address: unread, accounts: [] });
    t.holdings.fail('evm:1', undefined);
    const { reads } = t.holdings;
    t.holdings.reads = () => false;
    const last = newAddress();
    assert.deepEqual(await link(user, last, { chainId: '42' }), { address: last, accounts: [] });
    t.holdings.reads = reads;
    assert.equal((await listWallets(t.as(user), {})).items.length, 4, 'all of them are linked');
  });

  it('refuses unknown chains, wrong signatures and wallets of others, and links nothing', async () => {
    const [user, other] = [newUser(), newUser()];
    const address = newAddress();
    for (const chainId of ['', 'evm:', 'a b', `evm:${'9'.repeat(40)}`])
      await assert.rejects(link(user, address, { chainId }), refusal('VALIDATION_FAILED', '/chainId'));
    await assert.rejects(link(user, address, { chainId: 'doge:1' }), refusal('VALIDATION_FAILED', '/chainId'));
    await assert.rejects(link(user, '0x1'), refusal('VALIDATION_FAILED', '/address'));
    await assert.rejects(link(user, address, { signedMessage: 'forged' }), refusal('INVALID_CREDENTIAL'));
    const { id } = await newCommunity(t);
    await addMembers(t, id, [{ userId: user.userId }, { userId: other.userId }]);
    await link(other, address);
    await assert.rejects(link(user, address), refusal('STATE_CONFLICT'));
    await assert.rejects(unlinkWallet(t.as(user), address, reconcileUser), refusal('ENTITY_NOT_FOUND'));
    assert.deepEqual((await listWallets(t.as(user), {})).items, []);
    assert.deepEqual(await queuedOf(user), []);
  });

  it('stores no wallet whose re-check could not be queued', async () => {
    const [{ id }, user] = [await newCommunity(t), newUser()];
    await addMembers(t, id, [{ userId: user.userId }]);
    await t.services.db.pool.query('alter table reconcile_queue rename to reconcile_queue_away');
    await assert.rejects(link(user, newAddress()));
    await t.services.db.pool.query('alter table reconcile_queue_away rename to reconcile_queue');
    assert.deepEqual((await listWallets(t.as(user), {})).items, []);
  });

  it('exists for the operator too, who has no platform', async () => {
    const { platform, id } = await getUserProfile(t.as(operator));
    assert.equal(platform, 'collabland');
    assert.notEqual(id, undefined);
  });
});
