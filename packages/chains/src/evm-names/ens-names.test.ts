import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { patientMs } from '@latchkey/twins/testing';
import { concatHex, type Hex, pad } from 'viem';
import { type EvmWorld, startEvmWorld } from '../testing/evm-world.ts';
import { createEnsNames } from './index.ts';

const registry = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e';
const resolver = '0x1111111111111111111111111111111111111111';
const account = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
// The hash of vitalik.eth, as ENS publishes it.
const node = '0xee6c4522aab0003e8d14cd40a6af439055fd2577951148c14b6cea9a53475835';

/** The code of a contract that answers with an address where its first argument is the node, and with zero elsewhere. */
function answersOnlyTo(answer: Hex): Hex {
  // CALLDATALOAD(4) EQ node, MUL answer, MSTORE(0), RETURN(0, 32)
  return concatHex(['0x6004357f', node, '0x147f', pad(answer), '0x0260005260206000f3']);
}

describe('names of ENS', () => {
  let world: EvmWorld;
  before(async () => {
    world = await startEvmWorld();
    await setCode(registry, answersOnlyTo(resolver));
    await setCode(resolver, answersOnlyTo(account));
  });
  after(() => world.stop());

  async function setCode(address: Hex, bytecode: Hex): Promise<void> {
    await world.client.setCode({ address, bytecode });
    await world.client.mine({ blocks: 1 });
  }

  const namesAt = (url: string) =>
    createEnsNames({
      chains: new Map([[String(world.chainId), { urls: [url] }]]),
      chain: world.chainName,
      clock: () => new Date(),
      timeoutMs: patientMs,
    });
  const resolve = async (name: string, url = world.url) => (await namesAt(url)?.resolve(name)) ?? assert.fail();

  it('are resolved in any spelling that means the same', async () => {
    for (const name of ['vitalik.eth', 'Vitalik.ETH'])
      assert.deepEqual(await resolve(name), { kind: 'found', address: account });
  });

  it('that nobody has, or that are none, stand for nothing', async () => {
    assert.match(JSON.stringify(await resolve('nobody.eth')), /"none".*no address on the chain itself/);
    assert.match(JSON.stringify(await resolve('vita lik.eth')), /"none".*no name of ENS/);
    assert.match(JSON.stringify(await resolve('..eth')), /"none"/);
  });

  it('whose resolver refuses or sends elsewhere stand for nothing here, and nothing else is called', async () => {
    await setCode(resolver, '0x60006000fd');
    try {
      assert.match(JSON.stringify(await resolve('vitalik.eth')), /"none"/);
    } finally {
      await setCode(resolver, answersOnlyTo(account));
    }
  });

  it('are unknown while no node answers, or where there is no ENS', async () => {
    const down = await resolve('vitalik.eth', 'http://127.0.0.1:9/secret');
    assert.equal(down.kind, 'unknown');
    assert.doesNotMatch(JSON.stringify(down), /secret|127\.0\.0\.1/);
    await setCode(registry, '0x');
    try {
      assert.match(JSON.stringify(await resolve('vitalik.eth')), /"unknown".*no ENS/);
    } finally {
      await setCode(registry, answersOnlyTo(resolver));
    }
  });

  it('are not resolved at all without a node of the chain', () => {
    assert.equal(createEnsNames({ chains: new Map(), clock: () => new Date() }), undefined);
  });
});
