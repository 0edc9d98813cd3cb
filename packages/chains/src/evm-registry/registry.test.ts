import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { RegistryRefusal, RegistryUnavailable, type WalletRegistry } from '@latchkey/core/ports';
import {
  type DevChain,
  deployWalletRegistry,
  devChain,
  devTransport,
  startDevChain,
  walletRegistryAbi,
  walletRegistryDeployment,
} from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import { createPublicClient, createWalletClient, hexToBytes, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { evmAddressOf } from '../evm/address-of-key.ts';
import { createWalletRegistry, deployContract, registryDeployment } from './index.ts';

describe('the registry of hosted wallets', () => {
  const key = hexToBytes(keccak256(toHex('registrar')));
  const stranger = hexToBytes(keccak256(toHex('stranger')));
  const owner = keccak256(toHex('owner'));
  const walletOf = (name: string) => privateKeyToAccount(keccak256(toHex(name))).address;
  let chain: DevChain;
  let options: Parameters<typeof createWalletRegistry>[0];
  let registry: WalletRegistry;

  before(async () => {
    chain = await startDevChain();
    const registrar = privateKeyToAccount(toHex(key)).address;
    const address = await deployWalletRegistry(chain, registrar);
    options = { fetch, urls: [chain.url], chainId: chain.chainId, address, timeoutMs: patientMs };
    registry = createWalletRegistry(options);
    assert.equal(registry.registrarAddress(key), registrar);
  });
  after(() => chain.stop());

  async function register(name: string) {
    const transaction = await registry.prepareClaim({ wallet: walletOf(name), ownerHash: owner }, key);
    await registry.send(transaction);
    return transaction;
  }

  test('its deployment code is what the compiler produces from its source', () => {
    assert.equal(registryDeployment(walletOf('one')), walletRegistryDeployment(walletOf('one')));
  });

  test('a wallet is registered by the prepared transaction, and anyone can read it back', async () => {
    assert.equal(await registry.findClaim(walletOf('one')), undefined);
    const transaction = await registry.prepareClaim({ wallet: walletOf('one'), ownerHash: owner }, key);
    assert.ok(transaction.maxCost > 0n);
    assert.equal(await registry.stateOf(transaction.hash), 'unknown');
    assert.equal(await registry.findClaim(walletOf('one')), undefined, 'preparing sends nothing');
    await registry.send(transaction);
    assert.equal(await registry.stateOf(transaction.hash), 'mined');
    assert.deepEqual(await registry.findClaim(walletOf('one')), { ownerHash: owner, txHash: transaction.hash });
    const client = createPublicClient({ transport: devTransport(chain.url) });
    const [ownerHash] = await client.readContract({
      address: registry.address as `0x${string}`,
      abi: walletRegistryAbi,
      functionName: 'claimOf',
      args: [walletOf('one')],
    });
    assert.equal(ownerHash, owner);
  });

  test('a wallet is claimed once, and only by the registrar', async () => {
    await register('two');
    const again = registry.prepareClaim({ wallet: walletOf('two'), ownerHash: owner }, key);
    await assert.rejects(
      again,
      (error: Error) => error instanceof RegistryRefusal && /AlreadyClaimed/.test(error.message),
    );
    const foreign = registry.prepareClaim({ wallet: walletOf('three'), ownerHash: owner }, stranger);
    await assert.rejects(
      foreign,
      (error: Error) => error instanceof RegistryRefusal && /NotTheRegistrar/.test(error.message),
    );
    const nobody = registry.prepareClaim({ wallet: walletOf('three'), ownerHash: `0x${'0'.repeat(64)}` }, key);
    await assert.rejects(nobody, /ZeroValue/);
    // A caller that bypasses our own checks is refused by the contract itself.
    const [account] = chain.accounts;
    const client = createWalletClient({
      chain: devChain(chain.url, chain.chainId),
      transport: devTransport(chain.url),
    });
    const direct = client.writeContract({
      account: account?.address ?? null,
      address: registry.address as `0x${string}`,
      abi: walletRegistryAbi,
      functionName: 'claim',
      args: [walletOf('three'), owner],
    });
    await assert.rejects(direct, /NotTheRegistrar/);
    assert.equal(await registry.findClaim(walletOf('three')), undefined);
  });

  test('sending the same transaction again changes nothing', async () => {
    const transaction = await register('four');
    await registry.send(transaction).catch((error: unknown) => assert.ok(error instanceof RegistryUnavailable));
    assert.deepEqual(await registry.findClaim(walletOf('four')), { ownerHash: owner, txHash: transaction.hash });
  });

  test('the registry can be handed to another key, and the old one is then refused', async () => {
    const address = await deployWalletRegistry(chain, privateKeyToAccount(toHex(key)).address);
    const client = createWalletClient({
      account: privateKeyToAccount(toHex(key)),
      chain: devChain(chain.url, chain.chainId),
      transport: devTransport(chain.url),
    });
    const to = privateKeyToAccount(toHex(stranger)).address;
    await client.writeContract({ address, abi: walletRegistryAbi, functionName: 'changeRegistrar', args: [to] });
    const moved = createWalletRegistry({ ...options, address });
    await assert.rejects(moved.prepareClaim({ wallet: walletOf('five'), ownerHash: owner }, key), /NotTheRegistrar/);
  });

  test('an operator’s own registry is deployed by its registrar', async () => {
    const { address } = await deployContract(options, { key, data: registryDeployment(evmAddressOf(key)) });
    const own = createWalletRegistry({ ...options, address });
    const transaction = await own.prepareClaim({ wallet: walletOf('seven'), ownerHash: owner }, key);
    await own.send(transaction);
    assert.equal((await own.findClaim(walletOf('seven')))?.txHash, transaction.hash);
    const poor = deployContract(options, { key: stranger, data: registryDeployment(evmAddressOf(stranger)) });
    await assert.rejects(
      poor,
      (error: Error) => error instanceof RegistryRefusal && /insufficient funds/.test(error.message),
    );
  });

  test('a node that is down, on another chain or without the contract yields no claim and leaks no secret', async () => {
    const secretUrl = 'http://127.0.0.1:9/key-of-the-node';
    const down = createWalletRegistry({ ...options, urls: [secretUrl] });
    for (const request of [
      down.findClaim(walletOf('one')),
      down.prepareClaim({ wallet: walletOf('six'), ownerHash: owner }, key),
      down.send({ hash: '0x', raw: '0x02', maxCost: 0n }),
      down.stateOf(owner),
    ])
      await assert.rejects(request, (error: Error) => {
        assert.ok(error instanceof RegistryUnavailable);
        return !`${error.message}${error.stack}${String(error.cause)}`.includes('key-of-the-node');
      });
    const second = createWalletRegistry({ ...options, urls: [secretUrl, chain.url] });
    assert.equal((await second.findClaim(walletOf('one')))?.ownerHash, owner);
    const other = createWalletRegistry({ ...options, chainId: 1 });
    await assert.rejects(
      other.prepareClaim({ wallet: walletOf('six'), ownerHash: owner }, key),
      (error: Error) => error instanceof RegistryRefusal && /different chain/.test(error.message),
    );
    const empty = createWalletRegistry({ ...options, address: walletOf('no contract') });
    await assert.rejects(empty.findClaim(walletOf('one')), RegistryUnavailable);
  });
});
