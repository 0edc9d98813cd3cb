import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { ApiPromise, Keyring, WsProvider } from '@polkadot/api';
import { createPolkadotHoldings } from './index.ts';
import { type SubstrateNode, startSubstrateNode } from './testing/substrate-node.ts';

type Extrinsic = ReturnType<ApiPromise['tx']>;

const amounts = (answers: readonly Answer[]) =>
  answers.map((each) => (each.kind === 'read' ? each.amount : each.reason));

describe('holdings on a real Substrate runtime', () => {
  let node: SubstrateNode;
  let provider: WsProvider;
  let api: ApiPromise;
  let nonce = 0;
  const keyring = new Keyring({ type: 'sr25519', ss58Format: 42 });
  const document = { name: 'First' };

  const call = (pallet: string, name: string, ...args: readonly unknown[]): Extrinsic => {
    const make = api.tx[pallet]?.[name];
    assert.ok(make, `${pallet}.${name}`);
    return make(...args);
  };
  /** Puts extrinsics signed by Alice into one new block and returns its number. */
  const inBlock = async (...extrinsics: readonly Extrinsic[]): Promise<string> => {
    const alice = keyring.addFromUri('//Alice');
    for (const extrinsic of extrinsics) {
      await extrinsic.signAsync(alice, { nonce: nonce++ });
      await provider.send('author_submitExtrinsic', [extrinsic.toHex()]);
    }
    const hash = await provider.send('dev_newBlock', []);
    return BigInt((await provider.send('chain_getHeader', [hash])).number).toString();
  };
  const bob = () => keyring.addFromUri('//Bob').address;
  const charlie = () => keyring.addFromUri('//Charlie').address;
  const ask = (standard: string, reference: string, account = bob(), more: Partial<Question> = {}): Question => ({
    chain: 'polkadot:hub',
    standard,
    reference,
    account,
    needs: 'amount',
    ...more,
  });
  const readerFor = (genesisHash = `0x${'45'.repeat(16)}`) =>
    createPolkadotHoldings({
      fetch,
      networks: new Map([
        ['hub', { rpcUrls: [`http://${node.host}`], accounts: { accounts: 'ss58', prefix: 2 }, genesisHash }],
      ]),
      timeoutMs: patientMs,
    });

  before(async () => {
    node = await startSubstrateNode();
    provider = new WsProvider(`ws://${node.host}`);
    api = await ApiPromise.create({ provider, noInitWarn: true });
    const rich = [[keyring.addFromUri('//Alice').address], { providers: 1, data: { free: '1000000000000000000' } }];
    await provider.send('dev_setStorage', [{ System: { Account: [rich] } }]);
    const alice = keyring.addFromUri('//Alice').address;
    await inBlock(
      call('balances', 'transfer', bob(), 12_500_000_000_001n),
      call('assets', 'create', 7, alice, 1),
      call('assets', 'setMetadata', 7, 'Sample', 'SMP', 3),
      call('assets', 'mint', 7, bob(), 123_456n),
      call('uniques', 'create', 5, alice),
      call('uniques', 'mint', 5, 1, bob()),
      call('uniques', 'mint', 5, 4_000_000_000, bob()),
      call('uniques', 'setMetadata', 5, 1, `data:application/json,${JSON.stringify(document)}`, false),
    );
  });
  after(async () => {
    await api?.disconnect();
    await node?.stop();
  });

  it('reads currency, assets and collectibles from the runtime, all at one block', async () => {
    const answers = await readerFor().read([
      ask('native', 'native'),
      ask('native', 'native', charlie()),
      ask('assets', '7'),
      ask('assets', '7', charlie()),
      ask('uniques', '5'),
      ask('uniques', '5', charlie()),
    ]);
    assert.deepEqual(amounts(answers), ['12.500000000001', '0', '123.456', '0', '2', '0']);
    const hash = await provider.send('chain_getFinalizedHead', []);
    for (const answer of answers) assert.equal(answer.kind === 'read' && answer.block?.hash, hash);
  });

  it('names the tokens and reads their metadata', async () => {
    const [answer] = await readerFor().read([ask('uniques', '5', bob(), { needs: 'metadata' })]);
    const tokens = answer?.kind === 'read' ? answer.tokens?.toSorted((a, b) => Number(a.id) - Number(b.id)) : [];
    assert.deepEqual(
      tokens?.map(({ id, amount, metadata }) => ({ id, amount, metadata })),
      [
        { id: '1', amount: '1', metadata: document },
        { id: '4000000000', amount: '1', metadata: {} },
      ],
    );
  });

  it('follows a transfer, and still reads the block before it', async () => {
    const reader = readerFor();
    const earlier = await inBlock(call('uniques', 'mint', 5, 9, keyring.addFromUri('//Alice').address));
    await inBlock(call('uniques', 'transfer', 5, 9, charlie()));
    assert.deepEqual(amounts(await reader.read([ask('uniques', '5', charlie())])), ['1']);
    assert.deepEqual(amounts(await reader.read([ask('uniques', '5', charlie(), { atBlock: earlier })])), ['0']);
    const at = (number: string, hash: string) => ({ blocks: new Map([['polkadot:hub', { number, hash }]]) });
    const [other] = await reader.read([ask('uniques', '5', charlie())], at(earlier, `0x${'00'.repeat(32)}`));
    assert.match(other?.kind === 'unknown' ? other.reason : '', /has another block/);
    const [future] = await reader.read([ask('uniques', '5', charlie(), { atBlock: '99999' })]);
    assert.match(future?.kind === 'unknown' ? future.reason : '', /has not seen block 99999/);
  });

  it('does not mistake a missing pallet for a zero balance, nor another chain for this one', async () => {
    const answers = await readerFor().read([
      ask('assets', '8'),
      ask('uniques', '6'),
      ask('nfts', '5'),
      ask('assets', 'x'),
    ]);
    assert.deepEqual(amounts(answers), [
      'The Substrate node does not have asset 8.',
      'The Substrate node does not have collection 6.',
      'The Substrate node does not have collection 5.',
      'The account is not on this chain, or the asset is not a number.',
    ]);
    const [wrong] = await readerFor('b0a8d493285c2df73290dfb7e61f870f').read([ask('native', 'native')]);
    assert.deepEqual(wrong, { kind: 'unknown', reason: 'The Substrate node is on another chain.' });
  });
});
