import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createEnsNames } from '@latchkey/chains/evm-names';
import { type EvmWorld, offchainLookupContract, startEvmWorld } from '@latchkey/chains/testing';
import { concatHex, pad } from 'viem';
import { createEgress, fetchTo } from './index.ts';
import { listenForIntruders } from './testing/canary.ts';

const registry = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e';
const resolver = '0x1111111111111111111111111111111111111111';

describe('a name whose resolver points into this server’s network', () => {
  let world: EvmWorld;
  let canary: Awaited<ReturnType<typeof listenForIntruders>>;
  before(async () => {
    [world, canary] = await Promise.all([startEvmWorld(), listenForIntruders()]);
    // MSTORE(0, resolver), RETURN(0, 32)
    const answersAll = concatHex(['0x7f', pad(resolver), '0x60005260206000f3']);
    await world.client.setCode({ address: registry, bytecode: answersAll });
  });
  after(async () => {
    await Promise.all([world.stop(), canary.close()]);
  });

  it('is unknown, and nothing there is called', async () => {
    const gateways = ['https://127.0.0.1:', 'https://localhost:', 'https://inside.example:', 'http://127.0.0.1:'];
    for (const gateway of gateways) {
      const url = `${gateway}${canary.port}/{sender}/{data}.json`;
      await world.client.setCode({ address: resolver, bytecode: offchainLookupContract(resolver, [url]) });
      await world.client.mine({ blocks: 1 });
      const names = createEnsNames({
        chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
        chain: world.chainName,
        clock: () => new Date(),
        fetch: fetchTo([world.url]),
        egress: createEgress({ resolve: async () => ['127.0.0.1'] }),
      });
      assert.match(JSON.stringify(await names?.resolve('vitalik.eth')), /"unknown".*cannot be used/, gateway);
    }
    assert.equal(canary.connections(), 0);
  });
});
