import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Context, contextFor, putMembers, resources } from '@latchkey/core';
import { alice, mallory, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { type Actor, type Operation, principalId, type Resource } from '@latchkey/kernel';
import { startWalletNode, type WalletNode } from './test-node.ts';
import { testWallets } from './test-wallets.ts';
import { composeWallets } from './wallets.ts';

interface Answer {
  code?: string;
  message?: string;
  state?: string;
}

const host = 'latchkey.test';
const communities = ['DIS#COMM#1', 'DIS#COMM#2'] as const;

/** The values that a message binds, each with a function that replaces it. */
const words: Readonly<Record<string, (text: string, other: string) => string>> = {
  domain: (text) => text.replace(host, 'evil.example'),
  account: (text, other) => text.split('\n').with(1, other).join('\n'),
  user: (text) => text.replace('DIS#USER#100', 'DIS#USER#666'),
  URI: (text) => text.replace(`URI: http://${host}`, 'URI: http://evil.example'),
  chain: (text) => text.replace(/Chain ID: .+/, 'Chain ID: 424242'),
  nonce: (text) => text.replace(/Nonce: \w+/, `Nonce: ${'a'.repeat(24)}`),
  'time of issue': (text) => text.replace(/Issued At: .+/, 'Issued At: 2020-01-01T00:00:00.000Z'),
  'time of expiry': (text) => text.replace(/Expiration Time: .+/, 'Expiration Time: 2099-01-01T00:00:00.000Z'),
  community: (text) => text.replace('COMM%231', 'COMM%232'),
  'list of resources': (text) => `${text}\n- http://${host}/communities/x`,
};
/** A TON wallet shows its own text: it signs the site, its address and the time in addition to the server's message. */
const tonWords: typeof words = {
  user: (text) => text.replace('DIS#USER#100', 'DIS#USER#666'),
  nonce: (text) => text.replace(/: \w+$/, `: ${'a'.repeat(24)}`),
};

const otherChains: Readonly<Record<keyof typeof testWallets, string>> = {
  evm: '10',
  magic: '10',
  solana: 'devnet',
  tezos: 'ghostnet',
  polkadot: 'kusama',
  flow: 'testnet',
  near: 'testnet',
  bitcoin: 'testnet',
  xrpl: 'testnet',
  ton: 'testnet',
};

describe('signature bindings', () => {
  let t: TestPlatform;
  let node: WalletNode;
  let connect: (body: Record<string, unknown>, actor?: Actor) => Promise<Answer>;

  before(async () => {
    t = await testPlatform('bindings');
    node = await startWalletNode();
    const { clock, db } = t.services;
    const config = { evmRpcUrls: new Map(), chainUrls: node.chainUrls, serviceKeys: new Map() };
    Object.assign(t.services, composeWallets(config, { clock, baseUrl: `http://${host}` }));
    const operation = (resources as readonly Resource[])
      .flatMap(({ operations }) => operations as readonly Operation<never, never, unknown, unknown, Context>[])
      .find(({ route }) => route === ('PUT /wallet-manager/wallet-connections' as never));
    connect = async (body, actor = alice) =>
      (await operation?.verb(contextFor(t.services, actor), { body } as never)) as Answer;
    for (const id of communities) {
      await db.pool.query(
        `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
           created_at, updated_at) values ($1, 'discord', $2, 'Cats', 'active', 'DIS#USER#1', '{}', false, $3, $3)`,
        [id, id.split('#')[2], clock()],
      );
      await putMembers(db.system, id, [{ userId: principalId(alice), roleIds: [] }], clock());
    }
  });
  after(async () => {
    await node.stop();
    await t.close();
  });

  const site = () => ({ host, nowSeconds: Math.floor(t.services.clock().getTime() / 1000) });
  const count = async () => (await t.services.db.system.selectFrom('wallet_connections').select('id').execute()).length;
  const refusal = async (attempt: Promise<Answer>) =>
    attempt.then(
      ({ code }) => code,
      (error: { code?: string }) => error.code,
    );

  for (const [namespace, make] of Object.entries(testWallets)) {
    const wallet = make(1);
    const accountId = `${namespace}:${namespace === 'evm' || namespace === 'magic' ? '1' : 'mainnet'}:${wallet.address}`;
    const ask = (communityId: string, actor?: Actor) => connect({ walletSk: accountId, communityId }, actor);

    test(`${namespace}: a changed word makes a different message`, async () => {
      const spoils = Object.entries(namespace === 'ton' ? tonWords : words);
      for (const [word, spoil] of spoils) {
        const { message = '', state } = await ask(communities[0]);
        const spoilt = spoil(message, make(2).address === wallet.address ? '0x1654653399040a61' : make(2).address);
        assert.notEqual(spoilt, message, word);
        const signed = await wallet.sign(spoilt, site());
        assert.equal((await connect({ state, ...signed })).code, 'SIGNATURE_INVALID', word);
      }
      assert.equal(await count(), 0);
    });

    test(`${namespace}: a signature for one community or user is refused for another, and each is consumed`, async () => {
      const [first, second] = [await ask(communities[0]), await ask(communities[1])];
      const signed = await wallet.sign(first.message ?? '', site());
      assert.equal((await connect({ state: second.state, ...signed })).code, 'SIGNATURE_INVALID');
      assert.equal((await connect({ state: second.state, ...signed })).code, 'CHALLENGE_UNKNOWN');
      const ofMallory = await connect({ accountId }, mallory);
      assert.equal((await connect({ state: ofMallory.state, ...signed }, mallory)).code, 'SIGNATURE_INVALID');
      assert.equal((await connect({ accountId, state: first.state, ...signed }, mallory)).code, 'CHALLENGE_UNKNOWN');
      const good = { state: first.state, ...signed };
      assert.equal((await connect({ ...good, verifyOnly: true })).code, 'VERIFIED');
      assert.equal((await connect(good)).code, 'CHALLENGE_UNKNOWN', 'checking consumes the message as well');
      assert.equal(await count(), 0);
    });

    test(`${namespace}: a signature for one chain is refused for another`, async () => {
      const { message = '', state } = await ask(communities[0]);
      const signed = await wallet.sign(message, site());
      const chain = otherChains[namespace as keyof typeof testWallets];
      const elsewhere = connect({ accountId: `${namespace}:${chain}:${wallet.address}`, state, ...signed });
      assert.match((await refusal(elsewhere)) ?? '', /^(SIGNATURE_INVALID|VALIDATION_FAILED)$/);
      assert.equal(await count(), 0);
    });
  }

  test('ton: a proof for another site, of another time or of another account is refused', async () => {
    const wallet = testWallets.ton(1);
    for (const wrong of [
      { ...site(), host: 'evil.example' },
      { ...site(), nowSeconds: site().nowSeconds - 3600 },
      { ...site(), nowSeconds: site().nowSeconds + 3600 },
    ]) {
      const { message = '', state } = await connect({ address: wallet.address });
      assert.equal((await connect({ state, ...(await wallet.sign(message, wrong)) })).code, 'SIGNATURE_INVALID');
    }
    const { message = '', state } = await connect({ address: wallet.address });
    const ofOther = await testWallets.ton(2).sign(message, site());
    assert.equal((await connect({ state, ...ofOther })).code, 'SIGNATURE_INVALID');
  });

  test('near: a signature for another recipient is refused', async () => {
    const wallet = testWallets.near(1);
    const { message = '', state } = await connect({ address: wallet.address });
    const signed = await wallet.sign(message, { ...site(), host: 'evil.example' });
    assert.equal((await connect({ state, ...signed })).code, 'SIGNATURE_INVALID');
  });

  test('every message is valid for 15 minutes and no longer', async () => {
    const requests: [body: Record<string, unknown>, namespace: string][] = [];
    for (const [namespace, make] of Object.entries(testWallets)) {
      const wallet = make(1);
      const { message = '', state } = await connect({
        address: wallet.address,
        ...(namespace === 'magic' && { walletType: 'magiclink' }),
      });
      requests.push([{ state, ...(await wallet.sign(message, site())) }, namespace]);
    }
    t.advanceSeconds(15 * 60);
    for (const [body, namespace] of requests) assert.equal((await connect(body)).code, 'CHALLENGE_UNKNOWN', namespace);
    assert.equal(await count(), 0);
  });
});
