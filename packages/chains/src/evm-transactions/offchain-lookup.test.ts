import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SafesRefusal } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { createLocks } from '../evm-locks/index.ts';
import { createWalletRegistry } from '../evm-registry/index.ts';
import { createSafes } from '../evm-safes/index.ts';
import { type EvmWorld, startEvmWorld } from '../testing/evm-world.ts';
import { type Gateway, offchainLookupContract, startGateway } from '../testing/offchain-lookup.ts';

const contract = '0x2222222222222222222222222222222222222222';
const safe = '0x00000000000000000000000000000000000C0FfE';

describe('a contract that reverts with OffchainLookup', () => {
  let world: EvmWorld;
  let gateway: Gateway;
  before(async () => {
    [world, gateway] = await Promise.all([startEvmWorld(), startGateway()]);
    const urls = [`${gateway.url}{sender}/{data}`, gateway.url];
    await world.client.setCode({ address: contract, bytecode: offchainLookupContract(contract, urls) });
  });
  after(async () => {
    await Promise.all([world.stop(), gateway.stop()]);
  });

  const options = () => ({ fetch, urls: [world.url], chainId: world.chainId, timeoutMs: patientMs });

  it('makes a transfer from a treasury fail, and its URLs are not called', async () => {
    const safes = createSafes(options());
    const transfer = { kind: 'erc20', token: contract, to: safe, amount: 1n } as const;
    const rehearsal = safes.rehearse(safe, safes.encodeTransfer(safe, transfer));
    await assert.rejects(rehearsal, (error) => error instanceof SafesRefusal && error.wouldFail);
    assert.deepEqual(gateway.requests, []);
  });

  it('makes a read and a write of the registry fail, and its URLs are not called', async () => {
    const registry = createWalletRegistry({ ...options(), address: contract });
    await assert.rejects(registry.findClaim(safe));
    const claim = { wallet: safe, ownerHash: `0x${'01'.repeat(32)}` };
    await assert.rejects(registry.prepareClaim(claim, Buffer.alloc(32, 7)));
    assert.deepEqual(gateway.requests, []);
  });

  it('is not a lock, and its URLs are not called', async () => {
    const locks = createLocks({
      fetch,
      checkoutUrl: 'https://checkout.example/',
      rpcUrlsOf: () => [world.url],
      timeoutMs: patientMs,
    });
    await assert.rejects(locks.keyUntil({ lock: contract, chainId: world.chainId, account: safe }));
    assert.deepEqual(gateway.requests, []);
  });
});
