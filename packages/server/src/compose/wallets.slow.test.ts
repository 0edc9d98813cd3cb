import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Context, contextFor, resources } from '@latchkey/core';
import { alice, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import type { Operation, Resource } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { startWalletNode, type WalletNode } from './test-node.ts';
import { bytesOf, walletAnswers } from './test-wallet-answers.ts';
import { friendlyTon, ss58, type TestWallet, testWallets, tonPublicKey } from './test-wallets.ts';
import { composeWallets } from './wallets.ts';

interface Answer {
  success?: boolean;
  code?: string;
  message?: string;
  state?: string;
  address?: string;
  connection?: { accountId?: string };
}

describe('wallets of every chain', () => {
  let t: TestPlatform;
  let node: WalletNode;
  let connect: (body: Record<string, unknown>) => Promise<Answer>;
  const host = 'latchkey.test';

  before(async () => {
    t = await testPlatform('every-chain');
    node = await startWalletNode();
    const config = { evmRpcUrls: new Map(), chainUrls: node.chainUrls, serviceKeys: new Map() };
    Object.assign(t.services, composeWallets(config, { clock: t.services.clock, baseUrl: `http://${host}` }));
    connect = async (body) => (await call('PUT /wallet-manager/wallet-connections', { body })) as Answer;
  });
  after(async () => {
    await node.stop();
    await t.close();
  });

  const call = async (route: string, input: object) => {
    const operation = (resources as readonly Resource[])
      .flatMap(({ operations }) => operations as readonly Operation<never, never, unknown, unknown, Context>[])
      .find((known) => known.route === (route as never));
    return operation?.verb(contextFor(t.services, alice), input as never);
  };
  const list = async () =>
    (await call('GET /wallet-manager/wallet-connections', {})) as {
      items: { address?: string; accountId?: string; sk?: string }[];
    };
  const disconnect = (walletSk: string) => call('DELETE /wallet-manager/wallet-connections/{walletSk}', { walletSk });
  const site = () => ({ host, nowSeconds: Math.floor(t.services.clock().getTime() / 1000) });
  const ask = (wallet: TestWallet, namespace: string) =>
    connect({ address: wallet.address, ...(namespace === 'magic' && { walletType: 'magiclink' }) });
  const isLinked = async (address: string) => {
    const rows = await t.services.db.system
      .selectFrom('wallet_connections')
      .select('id')
      .where('address', '=', address)
      .execute();
    return rows.length > 0;
  };

  for (const [namespace, make] of Object.entries(testWallets)) {
    const wallet = make(1);

    test(`${namespace}: a signature by another key, or for another message, is refused and consumes the message`, async () => {
      const forged = await ask(wallet, namespace);
      const byOther = await make(2).sign(forged.message ?? '', site());
      assert.equal((await connect({ address: wallet.address, ...byOther })).code, 'SIGNATURE_INVALID');
      const stale = await wallet.sign(forged.message ?? '', site());
      assert.equal((await connect({ address: wallet.address, ...stale })).code, 'CHALLENGE_UNKNOWN');
      await ask(wallet, namespace);
      assert.equal((await connect({ address: wallet.address, ...stale })).code, 'SIGNATURE_INVALID');
      assert.equal(await isLinked(wallet.address), false);
    });

    test(`${namespace}: a wallet that signs its message is connected, by one of fifty tries`, async () => {
      const request = await ask(wallet, namespace);
      assert.equal(request.code, 'SIGNATURE_REQUIRED');
      const signed = await wallet.sign(request.message ?? '', site());
      const body = { address: wallet.address, message: request.message, ...signed };
      const answers = await Promise.all(Array.from({ length: 50 }, () => connect(body)));
      assert.deepEqual(
        answers.map(({ code }) => code).filter((code) => code !== 'CHALLENGE_UNKNOWN'),
        ['CONNECTED'],
      );
      assert.ok(await isLinked(wallet.address));
      await t.services.db.system.deleteFrom('wallet_connections').execute();
    });
  }

  const cosmos = 'cosmos1qurswpc8qurswpc8qurswpc8qurswpc8nn86qp';
  for (const [what, body, path, words] of [
    ['an address of Cosmos alone', { address: 'COSMOS' }, '/address', /a supported chain.*evm.*solana.*near.*bitcoin/],
    ['an account of Cosmos', { accountId: 'cosmos:cosmoshub-4:COSMOS' }, '/accountId', /can be linked: .*evm.*near/],
    [
      'an address of Cosmos as one of NEAR',
      { accountId: 'near:mainnet:COSMOS' },
      '/address',
      /an address of near:mainnet/,
    ],
    ['a name without a chain', { address: 'aurora' }, '/address', /name its chain in accountId/],
    [
      'a chain of NEAR that there is none of',
      { accountId: 'near:betanet:a.near' },
      '/accountId',
      /NEAR: mainnet, testnet/,
    ],
    [
      'a network that there is none of',
      { address: 'alice.near', network: 'betanet' },
      '/network',
      /NEAR: mainnet, testnet/,
    ],
    ['a chain id that is none', { address: `0x${'1'.repeat(40)}`, chainId: 0 }, '/chainId', /an EVM chain/],
    ['a wallet of an unsupported chain', { walletType: 'keplr' }, '/walletType', /metamask.*phantom.*tonkeeper/],
  ] as const)
    test(`${what} is refused with the supported kinds`, async () => {
      const requested = JSON.parse(JSON.stringify(body).replace('COSMOS', cosmos));
      await assert.rejects(
        connect(requested),
        (error: { code: string; message: string; status: number; details: unknown }) => {
          assert.deepEqual([error.code, error.status], ['VALIDATION_FAILED', 422]);
          assert.match(error.message, words);
          assert.equal((error.details as { path: string }[])[0]?.path, path);
          return true;
        },
      );
    });

  for (const namespace of ['flow', 'near', 'ton'] as const) {
    test(`${namespace}: nothing is decided or stored while the chain is unavailable`, async () => {
      const wallet = testWallets[namespace](1);
      const { message = '' } = await ask(wallet, namespace);
      const signed = await wallet.sign(message, site());
      node.isDown = true;
      try {
        await assert.rejects(connect({ address: wallet.address, ...signed }), { code: 'UNAVAILABLE' });
      } finally {
        node.isDown = false;
      }
      assert.equal(await isLinked(wallet.address), false);
    });
  }

  for (const [namespace, shapes] of Object.entries(walletAnswers))
    for (const [title, shape] of Object.entries(shapes))
      test(`${namespace}: ${title} is accepted, and refused when another key signed it`, async () => {
        const wallet = testWallets[namespace as keyof typeof testWallets];
        const { address } = wallet(1);
        const send = async (signer: number, answers: number) => {
          const { message = '', state } = await ask(wallet(1), namespace);
          const fields = await wallet(signer).sign(message, site());
          const bytes = bytesOf(namespace, fields);
          return connect({ address, state, ...shape({ fields, bytes, address, n: answers }) });
        };
        // Only the signature of the forged response is wrong.
        const forged = await send(2, namespace === 'near' || namespace === 'ton' ? 1 : 2);
        assert.equal(forged.code, 'SIGNATURE_INVALID');
        assert.equal((await send(1, 1)).code, 'CONNECTED');
        await t.services.db.system.deleteFrom('wallet_connections').execute();
      });

  test('a TON proof with another key, site or time than signed is refused', async () => {
    const wallet = testWallets.ton(1);
    const spoils: ((proof: Record<string, unknown>) => Record<string, unknown>)[] = [
      (proof) => ({ proof, public_key: tonPublicKey(2).slice(2) }),
      (proof) => ({ proof: { ...proof, domain: { lengthBytes: 12, value: 'evil.example' } } }),
      (proof) => ({ proof: { ...proof, timestamp: Number(proof.timestamp) - 1 } }),
      (proof) => ({ proof: { proof } }),
      (proof) => ({ connectItems: { tonProof: { proof: { ...proof, signature: 'AAAA' } } } }),
    ];
    for (const spoil of spoils) {
      const { message = '', state } = await ask(wallet, 'ton');
      const { signature = '' } = await wallet.sign(message, site());
      const spoilt = JSON.stringify(spoil(JSON.parse(String(signature))));
      assert.equal((await connect({ address: wallet.address, state, signature: spoilt })).code, 'SIGNATURE_INVALID');
    }
    assert.equal(await isLinked(wallet.address), false);
  });

  test('an account with network-specific notations is returned as linked, and is one account', async () => {
    const { address: generic, sign } = testWallets.polkadot(1);
    const raw = testWallets.ton(1);
    const linked: [accountId: string, stored: string, sign: TestWallet['sign']][] = [
      [`polkadot:kusama:${ss58(generic, 2)}`, generic, sign],
      [`ton:mainnet:${friendlyTon(raw.address)}`, raw.address, raw.sign],
    ];
    for (const [accountId, stored, signWith] of linked) {
      const address = accountId.slice(accountId.indexOf(':', accountId.indexOf(':') + 1) + 1);
      const { message = '', state } = await connect({ accountId });
      const answer = await connect({ state, ...(await signWith(message, site())) });
      assert.deepEqual([answer.code, answer.address, answer.connection?.accountId], ['CONNECTED', address, accountId]);
      assert.ok(await isLinked(stored));
      const { items } = await list();
      assert.deepEqual(
        items.map((item) => [item.address, item.accountId, item.sk]),
        [[address, accountId, `WALLET#${address}`]],
      );
      await disconnect(items[0]?.sk ?? '');
      assert.equal(await isLinked(stored), false);
    }
    const { message = '', state } = await connect({ address: ss58(generic, 2) });
    const answer = await connect({ state, ...(await sign(message, site())) });
    assert.equal(
      answer.connection?.accountId,
      `polkadot:kusama:${ss58(generic, 2)}`,
      'its prefix identifies its network',
    );
    await t.services.db.system.deleteFrom('wallet_connections').execute();
  });

  test('Magic proves an Ethereum account', async () => {
    const wallet = testWallets.magic(3);
    const { message = '' } = await ask(wallet, 'magic');
    const answer = await connect({ address: wallet.address, ...(await wallet.sign(message, site())) });
    assert.equal(answer.connection?.accountId, `evm:1:${wallet.address}`);
  });

  test('a high-s Ethereum signature is refused', async () => {
    const wallet = testWallets.evm(4);
    const { message = '' } = await ask(wallet, 'evm');
    const { signature = '' } = await wallet.sign(message, site());
    const [r, s, v] = [String(signature).slice(2, 66), String(signature).slice(66, 130), String(signature).slice(130)];
    const highS = (secp256k1.Point.Fn.ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
    const malleated = `0x${r}${highS}${v === '1b' ? '1c' : '1b'}`;
    assert.equal((await connect({ address: wallet.address, signature: malleated })).code, 'SIGNATURE_INVALID');
  });

  test('a Venly response counts as its signature, and one for another chain or domain does not', async () => {
    const wallet = testWallets.evm(5);
    const venly = async (message: string) => {
      const { signature } = await wallet.sign(message, site());
      return JSON.stringify({ type: 'HEX_SIGNATURE', signature });
    };
    const { message = '' } = await ask(wallet, 'evm');
    const elsewhere = message.replace(host, 'evil.example');
    assert.equal(
      (await connect({ address: wallet.address, signature: await venly(elsewhere) })).code,
      'SIGNATURE_INVALID',
    );
    const second = await ask(wallet, 'evm');
    const signature = await venly(second.message ?? '');
    const onOther = { address: wallet.address, chainId: 10, signature, message: second.message };
    assert.equal((await connect(onOther)).code, 'SIGNATURE_INVALID');
    const third = await ask(wallet, 'evm');
    const good = { state: third.state, signature: await venly(third.message ?? '') };
    assert.equal((await connect(good)).code, 'CONNECTED');
  });

  test('malformed responses are refused, never a server error', async () => {
    const answers = [
      '',
      '0x',
      '{',
      '{"signature":{}}',
      '[]',
      '[256]',
      '1,2',
      '{"result":{"result":{}}}',
      '{"proof":{"proof":1}}',
      'ü'.repeat(1000),
      `0x${'f'.repeat(130)}`,
      'A'.repeat(88),
    ];
    for (const [namespace, make] of Object.entries(testWallets)) {
      const wallet = make(6);
      for (const signature of answers) {
        const { message = '' } = await ask(wallet, namespace);
        const proof = namespace === 'magic' ? { didToken: signature } : { signature };
        const answer = await connect({ address: wallet.address, message, ...proof });
        const expected = signature === '' ? 'SIGNATURE_REQUIRED' : 'SIGNATURE_INVALID';
        assert.equal(answer.code, expected, `${namespace} ${signature.slice(0, 20)}`);
      }
    }
  });
});
