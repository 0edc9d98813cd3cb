import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { addMembers, newCommunity, newUser, type TestUser } from '../../communities/community/testing.ts';
import { noteMember } from '../../communities/members/index.ts';
import { walletsInCommunity } from '../../communities/memberships/index.ts';
import { enqueueUser } from '../../gating/followers/index.ts';
import { createLinkChallenge, type WalletsChanged } from '../../identity/wallets/index.ts';
import { type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import { unlinkAllWallets, unlinkWallet } from './disconnect-wallet.ts';
import { linkWallet, moveLink } from './link-wallet.ts';

describe('a wallet in a community', () => {
  let t: TestPlatform;
  let wallets = 0;
  before(async () => {
    t = await testPlatform('holders');
  });
  after(() => t.close());
  beforeEach(() => t.services.db.system.deleteFrom('reconcile_queue').execute());

  const newAddress = () => {
    wallets += 1;
    return `0x${wallets.toString(16).padStart(40, '0')}`;
  };
  const changed: WalletsChanged = (tx, userId) => enqueueUser(tx, userId, 'wallet');
  const link = async (user: TestUser, address: string) => {
    t.advanceSeconds(1);
    const message = await createLinkChallenge(t.as(user));
    const signed = { namespace: 'evm', chain: '1', address, message, signature: testSignature(address, message) };
    return linkWallet(t.as(user), signed, changed);
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
  const countsFor = async (id: string, ...users: TestUser[]) => {
    const ids = users.map(({ userId }) => userId);
    const found = await walletsInCommunity(t.services.db.system, id, ids, t.services.settings);
    return users.map(({ userId }) => (found.get(userId) ?? []).length);
  };
  const affected = async (id: string) =>
    (
      await sql<{ user_id: string }>`
        select user_id from reconcile_queue where community_id = ${id} order by user_id`.execute(t.services.db.system)
    ).rows.map((row) => row.user_id);
  const inOrder = (...users: TestUser[]) => users.map(({ userId }) => userId).toSorted();
  const refused = { code: 'STATE_CONFLICT' };

  it('belongs to one of its members: the second is refused, also when both request it concurrently', async () => {
    const [first, second] = [newUser(), newUser()];
    await community(first, second);
    const address = newAddress();
    await link(first, address);
    await assert.rejects(link(second, address), refused);
    const contested = newAddress();
    const both = await Promise.allSettled([link(first, contested), link(second, contested)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });

  it('may belong to another user elsewhere, and in a shared community counts for the user who linked it first', async () => {
    const [first, second] = [newUser(), newUser()];
    const [here, there] = [await community(first), await community(second)];
    const address = newAddress();
    await link(first, address);
    await link(second, address);
    assert.deepEqual([await countsFor(here, first), await countsFor(there, second)], [[1], [1]]);
    await addMembers(t, here, [{ userId: second.userId }]);
    assert.deepEqual(await countsFor(here, first, second), [1, 0]);
    assert.deepEqual(await countsFor(there, second), [1], 'nothing changes where they share no community');
    await assert.rejects(link(second, address), refused, 'a new proof offers to move it, and does not duplicate it');
  });

  it('counts for several when the operator allows it', async () => {
    const [first, second] = [newUser(), newUser()];
    const id = await community(first, second);
    const address = newAddress();
    t.services.settings.allowSharedWallets = true;
    try {
      await link(first, address);
      await link(second, address);
      assert.deepEqual(await countsFor(id, first, second), [1, 1]);
    } finally {
      t.services.settings.allowSharedWallets = false;
    }
  });

  it('is the same for a key and for a contract at its address, on that chain', async () => {
    const [first, second, third] = [newUser(), newUser(), newUser()];
    const id = await community(first, second, third);
    const address = newAddress();
    const save = (user: TestUser, contractChain: string | null) => {
      t.advanceSeconds(1);
      return moveLink(t.as(user), { namespace: 'evm', address, contractChain }, changed);
    };
    await save(first, '1');
    assert.equal(await save(second, '10'), 0, 'another chain, another contract');
    assert.deepEqual(await countsFor(id, first, second), [1, 1]);
    assert.equal(await save(third, null), 2, 'the key is the address on every chain');
    assert.deepEqual(await countsFor(id, first, second, third), [0, 0, 1]);
  });

  it('re-checks every member affected when it is linked or unlinked', async () => {
    const [first, second] = [newUser(), newUser()];
    const id = await community(first);
    const guildId = id.split('#')[2] ?? '';
    const address = newAddress();
    await link(first, address);
    await link(second, address);
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    await noteMember(t.services, 'discord', guildId, second.userId.split('#')[2] ?? '', {
      kind: 'joined',
      roleIds: [],
    });
    assert.deepEqual(await affected(id), inOrder(first, second));
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    await unlinkWallet(t.as(first), address, changed);
    assert.deepEqual(await affected(id), inOrder(first, second));
    assert.deepEqual(await countsFor(id, first, second), [0, 1]);
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    await moveLink(t.as(first), { namespace: 'evm', address, contractChain: null }, changed);
    assert.deepEqual(await affected(id), inOrder(first, second));
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    await unlinkAllWallets(t.as(first), changed);
    assert.deepEqual(await affected(id), [first.userId]);
  });

  it('becomes available to the remaining members when its holder leaves', async () => {
    const [first, second] = [newUser(), newUser()];
    const id = await community(first);
    const address = newAddress();
    await link(first, address);
    await link(second, address);
    await addMembers(t, id, [{ userId: second.userId }]);
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    const guildId = id.split('#')[2] ?? '';
    await noteMember(t.services, 'discord', guildId, first.userId.split('#')[2] ?? '', { kind: 'left' });
    assert.deepEqual(await affected(id), [second.userId]);
    assert.deepEqual(await countsFor(id, second), [1]);
  });
});
