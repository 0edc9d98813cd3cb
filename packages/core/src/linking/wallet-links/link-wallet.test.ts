import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { createLinkChallenge, listUsersSharingWallets, listWallets } from '../../identity/wallets/index.ts';
import { alice, mallory, operator, type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import { unlinkAllWallets, unlinkWallet } from './disconnect-wallet.ts';
import { linkWallet } from './link-wallet.ts';

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const refusedWith = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe('linking a wallet', () => {
  let t: TestPlatform;
  let notified: string[] = [];
  before(async () => {
    t = await testPlatform();
  });
  after(() => t.close());

  const changed = async (_tx: unknown, userId: string) => void notified.push(userId);
  const link = async (actor: typeof alice, wallet: string, change: { message?: string; signature?: string } = {}) => {
    const message = change.message ?? (await createLinkChallenge(t.as(actor)));
    const signature = change.signature ?? testSignature(wallet, message);
    return linkWallet(t.as(actor), { namespace: 'evm', chain: '1', address: wallet, message, signature }, changed);
  };

  it('stores a wallet that signed its user’s message, and announces that roles may change', async () => {
    notified = [];
    assert.equal(await link(alice, address(1)), address(1));
    assert.deepEqual(notified, ['DIS#USER#100']);
    const { items } = await listWallets(t.as(alice), {});
    assert.deepEqual(
      items.map(({ address: held, accountId, platform }) => ({ held, accountId, platform })),
      [{ held: address(1), accountId: `evm:1:${address(1)}`, platform: 'discord' }],
    );
  });

  it('announces nothing when the same wallet is linked again', async () => {
    await link(alice, address(2));
    notified = [];
    await link(alice, address(2));
    assert.deepEqual(notified, []);
  });

  it('consumes a message, whether the signature is valid or not', async () => {
    const message = await createLinkChallenge(t.as(alice));
    await assert.rejects(link(alice, address(3), { message, signature: 'wrong' }), refusedWith('INVALID_CREDENTIAL'));
    await assert.rejects(link(alice, address(3), { message }), refusedWith('INVALID_CREDENTIAL'));
  });

  it('lets one of fifty parallel uses of a message through', async () => {
    const message = await createLinkChallenge(t.as(alice));
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => link(alice, address(4), { message })));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  it('refuses a message issued to another user, and leaves it usable for them', async () => {
    const message = await createLinkChallenge(t.as(alice));
    await assert.rejects(link(mallory, address(5), { message }), refusedWith('INVALID_CREDENTIAL'));
    assert.equal(await link(alice, address(5), { message }), address(5));
  });

  it('refuses a message after 15 minutes, and one that the server did not write', async () => {
    const message = await createLinkChallenge(t.as(alice));
    t.advanceSeconds(15 * 60 + 1);
    await assert.rejects(link(alice, address(6), { message }), refusedWith('INVALID_CREDENTIAL'));
    await assert.rejects(link(alice, address(6), { message: 'Link it.' }), refusedWith('INVALID_CREDENTIAL'));
  });

  it('lets one person hold a wallet on two platforms, and shows both accounts to each other', async () => {
    const elsewhere = { ...alice, userId: 'TEL#USER#9', platform: 'telegram' } as typeof alice;
    await link(alice, address(9));
    await link(elsewhere, address(9));
    assert.deepEqual(await listUsersSharingWallets(t.as(elsewhere)), ['DIS#USER#100']);
    assert.deepEqual(await listUsersSharingWallets(t.as(alice)), ['TEL#USER#9']);
  });

  it('returns unavailable, not invalid, when the chain cannot be reached', async () => {
    await assert.rejects(link(alice, address(10), { signature: 'no answer' }), refusedWith('UNAVAILABLE'));
  });

  it('explains why, and does not suggest retrying, when a proof can never be verified here', async () => {
    await assert.rejects(link(alice, address(11), { signature: 'undecided' }), {
      code: 'VALIDATION_FAILED',
      message: 'The body at /signature cannot be verified by this server. Nobody here can run the script.',
    });
    const linked = await t.services.db.system
      .selectFrom('wallet_connections')
      .select('address')
      .where('address', '=', address(11))
      .execute();
    assert.deepEqual(linked, []);
  });

  it('refuses chains and addresses it does not know', async () => {
    const message = 'whatever';
    const wrong = { namespace: 'doge', chain: '1', address: address(1), message, signature: '' };
    await assert.rejects(linkWallet(t.as(alice), wrong, changed), refusedWith('VALIDATION_FAILED'));
    const short = { namespace: 'evm', chain: '1', address: '0x1', message, signature: '' };
    await assert.rejects(linkWallet(t.as(alice), short, changed), refusedWith('VALIDATION_FAILED'));
  });

  it('writes no line break from a name into the message', async () => {
    const actor = { ...mallory, name: 'eve\nAccount: DIS#USER#1' } as typeof alice;
    const message = await createLinkChallenge(t.as(actor));
    assert.equal(message.split('\n').filter((line) => line.startsWith('Account: ')).length, 1);
  });

  it('unlinks one wallet in any notation, or all, and announces it each time', async () => {
    const user = { ...mallory, userId: 'DIS#USER#77' } as Extract<Actor, { kind: 'user' }>;
    await link(user, address(0xab));
    await link(user, address(0xac));
    notified = [];
    await unlinkWallet(t.as(user), address(0xab).toUpperCase().replace('0X', '0x'), changed);
    await assert.rejects(unlinkWallet(t.as(user), address(0xab), changed), refusedWith('ENTITY_NOT_FOUND'));
    await unlinkAllWallets(t.as(user), changed);
    await unlinkAllWallets(t.as(user), changed);
    assert.deepEqual(notified, [user.userId, user.userId]);
    assert.deepEqual((await listWallets(t.as(user), {})).items, []);
  });

  it('does not unlink the wallet of a stranger', async () => {
    await link(alice, address(0xad));
    await assert.rejects(unlinkWallet(t.as(mallory), address(0xad), changed), refusedWith('ENTITY_NOT_FOUND'));
    await assert.rejects(unlinkWallet(t.as(operator), address(0xad), changed), refusedWith('ENTITY_NOT_FOUND'));
  });

  it('leaves nothing behind when the announcement fails', async () => {
    const message = await createLinkChallenge(t.as(alice));
    const failing = async () => {
      throw new Error('The queue is down.');
    };
    const wallet = address(0xae);
    const signed = {
      namespace: 'evm',
      chain: '1',
      address: wallet,
      message,
      signature: testSignature(wallet, message),
    };
    await assert.rejects(linkWallet(t.as(alice), signed, failing), /queue is down/);
    const { items } = await listWallets(t.as(alice), { limit: 100 });
    assert.ok(items.every((item) => item.address !== wallet));
  });
});
