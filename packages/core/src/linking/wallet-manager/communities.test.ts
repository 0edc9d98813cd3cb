import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { addMembers, newCommunity, newUser, type TestUser } from '../../communities/community/testing.ts';
import { walletsInCommunity } from '../../communities/memberships/index.ts';
import { createLinkChallenge } from '../../identity/wallets/index.ts';
import { mallory, nobody, testSignature } from '../../testing/index.ts';
import { linkWallet, unlinkWallet } from '../wallet-links/index.ts';
import { connectWallet } from './connect-wallet.ts';
import type { WalletConnectionResponse } from './connection.ts';
import { disconnectWallet, resetWallets } from './operations.ts';
import { openWalletPeople, refusedWith, type WalletPeople, wallet } from './testing.ts';

describe('a wallet in several communities', () => {
  let people: WalletPeople;
  let t: WalletPeople['t'];
  let wallets = 0x1000;
  before(async () => {
    people = await openWalletPeople('wallet-communities');
    t = people.t;
  });
  after(() => t.close());
  beforeEach(() => t.services.db.system.deleteFrom('reconcile_queue').execute());

  const newAddress = () => {
    wallets += 1;
    return wallet(wallets);
  };
  const community = async (...members: TestUser[]) => {
    const { id } = await newCommunity(t);
    await addMembers(
      t,
      id,
      members.map(({ userId }) => ({ userId })),
    );
    return id;
  };
  const countsFor = async ({ userId }: TestUser, ...ids: string[]) =>
    Promise.all(
      ids.map(async (id) => {
        const found = await walletsInCommunity(t.services.db.system, id, [userId], t.services.settings);
        return (found.get(userId) ?? []).length;
      }),
    );
  const affected = async () => {
    const rows = await t.services.db.system
      .selectFrom('reconcile_queue')
      .select(['community_id', 'user_id'])
      .orderBy('user_id')
      .execute();
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    return rows.map((row) => [row.community_id, row.user_id]);
  };
  const sks = async (user: TestUser) => (await people.listed(user)).map(({ sk }) => sk);

  /** Connects a wallet to a community, and signs if required. */
  const connectTo = async (user: TestUser, address: string, communityId: string): Promise<WalletConnectionResponse> => {
    t.advanceSeconds(1);
    const request = await people.put(user, { walletSk: `evm:1:${address}`, communityId });
    if (request.code !== 'SIGNATURE_REQUIRED') return request;
    return people.put(user, { state: request.state ?? '', signature: testSignature(address, request.message ?? '') });
  };
  const leave = async (user: TestUser, address: string, communityId?: string) =>
    disconnectWallet(t.as(nobody), {
      walletSk: `WALLET#${communityId === undefined ? '' : `${communityId}#`}${address}`,
      id: await people.tokenOf(user),
    });

  it('is connected to each separately, and leaving one re-checks that one only', async () => {
    const user = newUser();
    const [first, second, third] = [await community(user), await community(user), await community(user)];
    const address = newAddress();
    assert.equal((await connectTo(user, address, first)).code, 'CONNECTED');
    assert.deepEqual(await affected(), [[first, user.userId]]);
    assert.deepEqual(await countsFor(user, first, second, third), [1, 0, 0]);

    assert.equal((await connectTo(user, address, second)).code, undefined, 'a linked wallet signs nothing more');
    assert.deepEqual(await affected(), [[second, user.userId]]);
    assert.deepEqual(await countsFor(user, first, second, third), [1, 1, 0]);
    assert.deepEqual(await sks(user), [`WALLET#${first}#${address}`, `WALLET#${second}#${address}`]);
    assert.equal(new Set((await people.listed(user)).map(({ id }) => id)).size, 2);

    await connectTo(user, address, second);
    assert.deepEqual(await affected(), [], 'what counts already changes nothing');
    await leave(user, address, first);
    assert.deepEqual(await affected(), [[first, user.userId]]);
    assert.deepEqual(await countsFor(user, first, second, third), [0, 1, 0]);
    assert.deepEqual(await sks(user), [`WALLET#${second}#${address}`]);
    await assert.rejects(leave(user, address, first), refusedWith('ENTITY_NOT_FOUND'));
  });

  it('that was linked without one counts in all, and can leave and come back to each', async () => {
    const user = newUser();
    const [first, second] = [await community(user), await community(user)];
    const address = newAddress();
    await people.connect(user, { address });
    assert.deepEqual(await countsFor(user, first, second), [1, 1]);
    await affected();

    await leave(user, address, first);
    assert.deepEqual(await affected(), [[first, user.userId]]);
    assert.deepEqual(await countsFor(user, first, second), [0, 1]);
    assert.deepEqual(await sks(user), [`WALLET#${address}`]);
    await connectTo(user, address, first);
    assert.deepEqual(await affected(), [[first, user.userId]]);
    assert.deepEqual(await countsFor(user, first, second), [1, 1]);
    assert.deepEqual(await sks(user), [`WALLET#${address}`, `WALLET#${first}#${address}`]);

    await leave(user, address, first);
    await leave(user, address, second);
    assert.deepEqual(await countsFor(user, first, second), [0, 0]);
    assert.equal((await people.connect(user, { address })).code, 'CONNECTED');
    assert.deepEqual(await countsFor(user, first, second), [1, 1], 'linking it again connects it everywhere');
  });

  it('is unlinked with its last connection, unless it signs in to the account', async () => {
    const user = newUser();
    const id = await community(user);
    const [address, key] = [newAddress(), newAddress()];
    await connectTo(user, address, id);
    await connectTo(user, key, id);
    await t.services.db.system
      .updateTable('wallet_connections')
      .set({ signs_in_since: t.services.clock() })
      .where('address', '=', key)
      .execute();
    await leave(user, address, id);
    await leave(user, key, id);
    assert.deepEqual(await sks(user), [`WALLET#${key}`]);
    assert.deepEqual(await countsFor(user, id, await community(user)), [0, 0]);
  });

  it('is unlinked everywhere by a separate action', async () => {
    const user = newUser();
    const [first, second] = [await community(user), await community(user)];
    for (const byAccount of [true, false]) {
      const address = newAddress();
      await connectTo(user, address, first);
      await connectTo(user, address, second);
      await affected();
      if (byAccount) await unlinkWallet(t.as(user), address, async () => undefined);
      else {
        await leave(user, address);
        assert.deepEqual(
          new Set((await affected()).map(([id]) => id)),
          new Set([first, second]),
          'roles are re-checked everywhere',
        );
      }
      assert.deepEqual(await sks(user), []);
    }
    const left = await t.services.db.system
      .selectFrom('wallet_communities')
      .select('id')
      .where('user_id', '=', user.userId)
      .execute();
    assert.deepEqual(left, []);
  });

  it('belongs to one member of each, and moving it there takes it nowhere else', async () => {
    const [first, second] = [newUser(), newUser()];
    const [here, there] = [await community(first, second), await community(first, second)];
    const address = newAddress();
    await connectTo(first, address, here);
    await connectTo(first, address, there);
    await leave(first, address, there);
    assert.equal((await connectTo(second, address, there)).code, 'CONNECTED', 'it does not count for the other there');
    await affected();

    const taken = await connectTo(second, address, here);
    assert.equal(taken.code, 'WALLET_TAKEN');
    assert.deepEqual(
      [await countsFor(first, here, there), await countsFor(second, here, there)],
      [
        [1, 0],
        [0, 1],
      ],
    );
    await connectTo(first, address, await community(first));
    await affected();
    const moved = await resetWallets(t.as(nobody), { resetToken: taken.resetToken ?? '' });
    assert.equal(moved.movedFrom, 1);
    assert.deepEqual(
      [await countsFor(first, here, there), await countsFor(second, here, there)],
      [
        [0, 0],
        [1, 1],
      ],
    );
    assert.deepEqual(
      (await affected()).toSorted(),
      [
        [here, first.userId],
        [here, second.userId],
      ].toSorted(),
    );
    assert.equal((await sks(first)).length, 1, 'the third community of the other one keeps it');
  });

  it('counts for the next member who has it, once the first leaves the community', async () => {
    const [first, second] = [newUser(), newUser()];
    const address = newAddress();
    for (const user of [first, second]) {
      t.advanceSeconds(1);
      const message = await createLinkChallenge(t.as(user));
      const signed = { namespace: 'evm', chain: '1', address, message, signature: testSignature(address, message) };
      await linkWallet(t.as(user), signed, async () => undefined);
    }
    const id = await community(first, second);
    assert.deepEqual([await countsFor(first, id), await countsFor(second, id)], [[1], [0]]);
    await leave(first, address, id);
    assert.deepEqual([await countsFor(first, id), await countsFor(second, id)], [[0], [1]]);
    assert.deepEqual(await affected(), [
      [id, first.userId],
      [id, second.userId],
    ]);
  });

  it('signs for the community that a request names, also by its URL', async () => {
    const user = newUser();
    const [id, other] = [await community(user), await community(user)];
    const address = newAddress();
    const { message = '', state = '' } = await people.put(user, {
      address,
      communityId: id.split('#')[2] ?? '',
      platform: 'discord',
    });
    assert.match(message, new RegExp(`/communities/${encodeURIComponent(id)}$`));
    await people.put(user, { state, signature: testSignature(address, message) });
    assert.deepEqual(await countsFor(user, id, other), [1, 0]);
  });

  it('cannot be connected to or leave a community unknown to its owner, or by another user', async () => {
    const [user, stranger] = [newUser(), newUser()];
    const [own, foreign] = [await community(user), await community(stranger)];
    const address = newAddress();
    await people.connect(user, { address });
    const notFound = refusedWith('ENTITY_NOT_FOUND');
    for (const id of [foreign, 'DIS#COMM#1', 'nonsense', "' or 1=1 --"]) {
      await assert.rejects(connectTo(user, address, id), notFound, id);
      await assert.rejects(people.put(user, { address: newAddress(), communityId: id }), notFound, id);
      await assert.rejects(leave(user, address, id), notFound, id);
    }
    await assert.rejects(leave(stranger, address, own), notFound);
    await assert.rejects(leave(mallory as TestUser, address, own), notFound);
    await assert.rejects(
      disconnectWallet(t.as(nobody), { walletSk: `WALLET#${own}#${address}` }),
      refusedWith('AUTHENTICATION_REQUIRED'),
    );
    const reader = await people.tokenOf(user, ['user:wallet:read']);
    await assert.rejects(
      disconnectWallet(t.as(nobody), { walletSk: `WALLET#${own}#${address}`, id: reader }),
      refusedWith('SCOPE_NOT_ALLOWED'),
    );
    await assert.rejects(
      connectWallet(t.as(nobody), { body: { walletSk: address, communityId: own } }),
      refusedWith('AUTHENTICATION_REQUIRED'),
    );
    assert.deepEqual(await countsFor(user, own), [1]);
  });
});
