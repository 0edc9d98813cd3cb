import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type SeededRandom, seededRandom } from '@latchkey/chains/vectors';
import { type Context, contextFor, resources } from '@latchkey/core';
import { alice, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import type { Operation, Resource } from '@latchkey/kernel';
import { seed, volume } from '@latchkey/test-kit';
import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';
import { Address } from '@ton/core';
import { startWalletNode, type WalletNode } from './test-node.ts';
import { type SignedFields, testWallets } from './test-wallets.ts';
import { composeWallets } from './wallets.ts';

interface Answer {
  code?: string;
  message?: string;
}

const proofsEach = volume(10, 50);

/** One Polkadot key has a different address on each network. */
function ss58(address: string, network: number): string {
  const body = Uint8Array.of(network, ...base58.decode(address).subarray(1, 33));
  const checksum = blake2b(Buffer.concat([Buffer.from('SS58PRE'), body])).subarray(0, 2);
  return base58.encode(Uint8Array.of(...body, ...checksum));
}

const evmForms = (address: string) => [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`];

/** Different notations of the same address, as people and wallets write them. */
const spellings: Partial<Record<keyof typeof testWallets, (address: string) => string[]>> = {
  evm: evmForms,
  magic: evmForms,
  polkadot: (address) => [address, ss58(address, 0), ss58(address, 2), ss58(address, 42)],
  flow: (address) => [address, address.slice(2), address.toUpperCase().replace('0X', '0x')],
  bitcoin: (address) => [address, address.toUpperCase()],
  ton: (address) => {
    const parsed = Address.parse(address);
    const forms = [true, false].flatMap((bounceable) =>
      [true, false].map((urlSafe) => parsed.toString({ bounceable, urlSafe })),
    );
    return [address, address.toUpperCase(), ...forms];
  },
};

/** Different encodings of the same signature, as wallets produce them. */
const rewritings: Partial<
  Record<keyof typeof testWallets, (random: SeededRandom, signed: SignedFields) => SignedFields>
> = {
  evm: (random, { signature = '' }) => {
    const text = String(signature);
    const zeroBased = text.replace(/1([bc])$/, (_all, v) => (v === 'b' ? '00' : '01'));
    const parts = { r: `0x${text.slice(2, 66)}`, s: `0x${text.slice(66, 130)}`, v: `0x${text.slice(130)}` };
    const venly = JSON.stringify({ type: 'HEX_SIGNATURE', signature: text, ...parts });
    return { signature: random.pick([text, `0x${text.slice(2).toUpperCase()}`, zeroBased, venly]) };
  },
  polkadot: (random, { signature = '' }) => {
    const digits = String(signature).slice(2);
    return { signature: random.pick([`0x${digits}`, `0x${digits.toUpperCase()}`, `0x01${digits}`]) };
  },
  near: (random, signed) => ({
    ...signed,
    signature: random.pick([
      String(signed.signature),
      JSON.stringify({ signature: signed.signature, publicKey: signed.public_key }),
    ]),
  }),
  xrpl: (random, signed) => ({
    ...signed,
    signature: random.pick([String(signed.signature).toUpperCase(), String(signed.signature).toLowerCase()]),
  }),
};

describe('signatures of genuine wallets', () => {
  let t: TestPlatform;
  let node: WalletNode;
  let connect: (body: Record<string, unknown>) => Promise<Answer>;
  before(async () => {
    t = await testPlatform('benign');
    node = await startWalletNode();
    const config = { evmRpcUrls: new Map(), chainUrls: node.chainUrls, serviceKeys: new Map() };
    const { clock } = t.services;
    Object.assign(t.services, composeWallets(config, { clock, baseUrl: 'http://latchkey.test' }));
    const operation = (resources as readonly Resource[])
      .flatMap(({ operations }) => operations as readonly Operation<never, never, unknown, unknown, Context>[])
      .find(({ route }) => route === ('PUT /wallet-manager/wallet-connections' as never));
    connect = async (body) => (await operation?.verb(contextFor(t.services, alice), { body } as never)) as Answer;
  });
  after(async () => {
    await node.stop();
    await t.close();
  });

  for (const [name, make] of Object.entries(testWallets)) {
    const namespace = name as keyof typeof testWallets;
    test(`${namespace}: none of ${proofsEach} proofs is refused, in any spelling of address and signature`, async (report) => {
      const random = seededRandom(seed(`benign ${namespace}`));
      const isOne = ['flow', 'near', 'ton'].includes(namespace);
      const seen = new Set<string>();
      for (let count = 0; count < proofsEach; count += 1) {
        const wallet = make(isOne ? 1 : 1 + random.below(1e9));
        const address = random.pick(spellings[namespace]?.(wallet.address) ?? [wallet.address]);
        const named = { address, ...(namespace === 'magic' && { walletType: 'magiclink' }) };
        const { message = '' } = await connect(named);
        const site = { host: 'latchkey.test', nowSeconds: Math.floor(t.services.clock().getTime() / 1000) };
        const signed = await wallet.sign(message, site);
        const sent = rewritings[namespace]?.(random, signed) ?? signed;
        const answer = await connect({ ...named, ...sent, verifyOnly: true });
        assert.equal(
          answer.code,
          'VERIFIED',
          `seed ${seed(`benign ${namespace}`)}: ${JSON.stringify({ address, sent })}`,
        );
        seen.add(`${address}${JSON.stringify(sent)}`);
      }
      report.diagnostic(`${seen.size} proofs taken`);
    });
  }

  test('each list of notations is one address', () => {
    for (const [name, spell] of Object.entries(spellings)) {
      const namespace = name as keyof typeof testWallets;
      const { address } = testWallets[namespace](1);
      const chain = { evm: '1', magic: '1', ton: '-239' }[name] ?? (name === 'polkadot' ? 'polkadot' : 'mainnet');
      const normalize = (text: string) => t.services.wallets[namespace]?.normalizeAddress(text, chain);
      const ofChain = spell(address).filter((text) => name !== 'polkadot' || text !== ss58(address, 2));
      assert.deepEqual([...new Set(ofChain.map(normalize))], [normalize(address)], name);
    }
  });
});
