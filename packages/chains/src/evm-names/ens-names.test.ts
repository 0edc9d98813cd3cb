import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Egress, EgressFailed, EgressRefused, type EgressRequest } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { concatHex, type Hex, pad } from 'viem';
import { type EvmWorld, startEvmWorld } from '../testing/evm-world.ts';
import { offchainLookupContract } from '../testing/offchain-lookup.ts';
import { createEnsNames } from './index.ts';

const registry = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e';
const resolver = '0x1111111111111111111111111111111111111111';
const account = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
// The hash of vitalik.eth, as ENS publishes it.
const node = '0xee6c4522aab0003e8d14cd40a6af439055fd2577951148c14b6cea9a53475835';

/** Returns the code of a contract that returns an address if its first argument is the node, and zero otherwise. */
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

  const noWayOut: Egress = { send: () => assert.fail('nothing is called') };
  const namesAt = (url: string, egress = noWayOut) =>
    createEnsNames({
      fetch,
      egress,
      chains: new Map([[String(world.chainId), { urls: [url] }]]),
      chain: world.chainName,
      clock: () => new Date(),
      timeoutMs: patientMs,
    });
  const resolve = async (name: string, url = world.url, egress?: Egress) =>
    (await namesAt(url, egress)?.resolve(name)) ?? assert.fail();

  it('are resolved in any equivalent spelling', async () => {
    for (const name of ['vitalik.eth', 'Vitalik.ETH'])
      assert.deepEqual(await resolve(name), { kind: 'found', address: account });
  });

  it('that are unregistered or invalid resolve to nothing', async () => {
    assert.match(JSON.stringify(await resolve('nobody.eth')), /"none".*no address/);
    assert.match(JSON.stringify(await resolve('vita lik.eth')), /"none".*not a valid ENS name/);
    assert.match(JSON.stringify(await resolve('..eth')), /"none"/);
  });

  it('whose resolver refuses resolve to nothing, and nothing else is called', async () => {
    await setCode(resolver, '0x60006000fd');
    try {
      assert.match(JSON.stringify(await resolve('vitalik.eth')), /"none"/);
    } finally {
      await setCode(resolver, answersOnlyTo(account));
    }
  });

  it('are unknown while no node responds, or where ENS is not available', async () => {
    const down = await resolve('vitalik.eth', 'http://127.0.0.1:9/secret');
    assert.equal(down.kind, 'unknown');
    assert.doesNotMatch(JSON.stringify(down), /secret|127\.0\.0\.1/);
    await setCode(registry, '0x');
    try {
      assert.match(JSON.stringify(await resolve('vitalik.eth')), /"unknown".*ENS is not available/);
    } finally {
      await setCode(registry, answersOnlyTo(resolver));
    }
  });

  it('are not resolved at all without a node of the chain', () => {
    const none = { chains: new Map(), clock: () => new Date(), egress: noWayOut, fetch };
    assert.equal(createEnsNames(none), undefined);
  });

  describe('whose resolver redirects to a gateway', () => {
    const other = '0x3333333333333333333333333333333333333333';
    const requests: EgressRequest[] = [];
    const saying = (answer: () => { status?: number; body: string }): Egress => ({
      send: async (request) => {
        requests.push(request);
        const { status = 200, body } = answer();
        return { status, headers: {}, body: Buffer.from(body) };
      },
    });
    const answering = saying(() => ({ body: '{"data":"0x1234"}' }));

    async function lookUp(urls: string[], egress: Egress, answer?: Hex) {
      requests.length = 0;
      await setCode(resolver, offchainLookupContract(resolver, urls, answer));
      try {
        return await resolve('vitalik.eth', world.url, egress);
      } finally {
        await setCode(resolver, answersOnlyTo(account));
      }
    }

    it('are resolved through it, by GET or POST as its URL requires', async () => {
      const urls = ['https://a.example/{sender}/{data}.json', 'https://b.example/'];
      assert.deepEqual(await lookUp(urls, answering, other), { kind: 'found', address: other });
      assert.deepEqual(
        requests.map(({ method, url, maxResponseBytes }) => [method, url, maxResponseBytes]),
        [['GET', `https://a.example/${resolver}/0xabcd.json`, 65_536]],
      );
      await lookUp(['https://b.example/'], answering, other);
      assert.deepEqual([requests[0]?.method, requests[0]?.body], ['POST', `{"data":"0xabcd","sender":"${resolver}"}`]);
    });

    it('are unknown when it keeps redirecting: four rounds are made', async () => {
      assert.match(
        JSON.stringify(await lookUp(['https://a.example/{data}'], answering)),
        /"unknown".*more than 4 lookups/,
      );
      assert.equal(requests.length, 4);
    });

    it('are unknown when it fails, is blocked, returns nothing usable or is not encrypted', async () => {
      const urls = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3', 'https://a.example/4'];
      const failing = (error: Error) =>
        saying(() => {
          throw error;
        });
      for (const egress of [
        failing(new EgressRefused('address', 'x')),
        failing(new EgressFailed('too_large', 'x')),
        saying(() => ({ status: 500, body: '{"data":"0x12"}' })),
        saying(() => ({ body: '{"data":"12"}' })),
        saying(() => ({ body: 'no JSON' })),
      ]) {
        assert.match(JSON.stringify(await lookUp(urls, egress, other)), /"unknown".*cannot be used/);
        assert.equal(requests.length, 3, 'three URLs are tried in one round');
      }
      assert.equal((await lookUp(['http://a.example/', 'ipfs://a/', 'no address'], answering, other)).kind, 'unknown');
      assert.equal(requests.length, 0);
    });
  });
});
