import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SafeCall, type Safes, SafesRefusal, SafesUnavailable } from '@latchkey/core/ports';
import {
  type DevChain,
  deploySafeContracts,
  devChain,
  devTransport,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
  startDevChain,
} from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import { type Address, createWalletClient, getAddress, type Hex, publicActions, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { safeAddress } from '../evm/safe-address.ts';
import { createSafes } from './index.ts';

const ownerKey: Hex = `0x${'17'.repeat(32)}`;
const owner = privateKeyToAccount(ownerKey);
const payerKey = Buffer.from('29'.repeat(32), 'hex');
const leastGas = 150_000n;

describe('Safes on an EVM chain', () => {
  let chain: DevChain;
  let safes: Safes;
  let client: ReturnType<typeof clientOf>;
  const clientOf = ({ url, chainId }: DevChain) =>
    createWalletClient({ chain: devChain(url, chainId), transport: devTransport(url) }).extend(publicActions);
  const safesAt = (...urls: string[]) => createSafes({ fetch, urls, chainId: chain.chainId, timeoutMs: patientMs });

  before(async () => {
    chain = await startDevChain();
    client = clientOf(chain);
    safes = safesAt(chain.url);
    await deploySafeContracts(chain, safes.payerAddress(payerKey));
  });
  after(() => chain.stop());

  let salts = 0n;
  const newSafe = () => {
    salts += 1n;
    return { saltNonce: salts, safe: safeAddress(owner.address, salts, chain.chainId) as Address };
  };
  const minter = () => chain.accounts[0]?.address ?? zeroAddress;
  const receiver = getAddress('0x00000000000000000000000000000000000c0ffe');

  async function deploy(saltNonce: bigint): Promise<string> {
    const transaction = await safes.prepareDeployment({ owner: owner.address, saltNonce }, payerKey);
    await safes.send(transaction);
    return transaction.hash;
  }

  const sign = (safe: Address, { to, value, data }: SafeCall, nonce: bigint) =>
    owner.signTypedData({
      domain: { chainId: chain.chainId, verifyingContract: safe },
      types: {
        SafeTx: [
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'data', type: 'bytes' },
          { name: 'operation', type: 'uint8' },
          { name: 'safeTxGas', type: 'uint256' },
          { name: 'baseGas', type: 'uint256' },
          { name: 'gasPrice', type: 'uint256' },
          { name: 'gasToken', type: 'address' },
          { name: 'refundReceiver', type: 'address' },
          { name: 'nonce', type: 'uint256' },
        ],
      },
      primaryType: 'SafeTx',
      message: {
        to: to as Address,
        value,
        data: data as Hex,
        operation: 0,
        safeTxGas: leastGas,
        baseGas: 0n,
        gasPrice: 0n,
        gasToken: zeroAddress,
        refundReceiver: zeroAddress,
        nonce,
      },
    });

  async function run(safe: Address, call: SafeCall): Promise<string> {
    const { nonce } = await safes.readState(safe);
    const signature = await sign(safe, call, nonce);
    const transaction = await safes.prepareTransaction({ safe, nonce, leastGas, ...call }, signature, payerKey);
    assert.ok(transaction.maxCost > 0n);
    await safes.send(transaction);
    return transaction.hash;
  }

  it('deploys a Safe to the predicted address, once', async () => {
    const { safe, saltNonce } = newSafe();
    await client.sendTransaction({ account: minter(), to: safe, value: 5n });
    assert.deepEqual(await safes.readState(safe), { isDeployed: false, balance: 5n, nonce: 0n, owners: [] });
    const hash = await deploy(saltNonce);
    assert.equal(await safes.outcomeOf(hash), 'done');
    assert.deepEqual(await safes.readState(safe), {
      isDeployed: true,
      balance: 5n,
      nonce: 0n,
      owners: [owner.address],
    });
    await assert.rejects(deploy(saltNonce), { name: 'SafesRefusal', wouldFail: true });
  });

  it('transfers coins and tokens of every standard, by the owner’s signature alone', async () => {
    const { safe, saltNonce } = newSafe();
    await deploy(saltNonce);
    const { erc20, erc721, erc1155 } = chain.contracts;
    const by = { account: minter(), chain: null } as const;
    await client.sendTransaction({ ...by, to: safe, value: 9n });
    await client.writeContract({ ...by, address: erc20, abi: sampleCoinAbi, functionName: 'mint', args: [safe, 7n] });
    const { request, result: tokenId } = await client.simulateContract({
      account: minter(),
      address: erc721,
      abi: sampleKeysAbi,
      functionName: 'mint',
      args: [safe],
    });
    await client.writeContract(request);
    await client.writeContract({
      ...by,
      address: erc1155,
      abi: sampleBadgesAbi,
      functionName: 'mint',
      args: [safe, 3n, 4n],
    });
    const transfers = [
      { kind: 'coin', to: receiver, amount: 9n },
      { kind: 'erc20', token: erc20, to: receiver, amount: 7n },
      { kind: 'erc721', token: erc721, to: receiver, tokenId },
      { kind: 'erc1155', token: erc1155, to: receiver, tokenId: 3n, amount: 4n },
    ] as const;
    for (const transfer of transfers) {
      const call = safes.encodeTransfer(safe, transfer);
      await safes.rehearse(safe, call);
      assert.equal(await safes.outcomeOf(await run(safe, call)), 'done', transfer.kind);
      if (transfer.kind !== 'coin')
        await assert.rejects(safes.rehearse(safe, call), { wouldFail: true }, 'there is none left to transfer');
    }
    assert.deepEqual(await safes.readState(safe), {
      isDeployed: true,
      balance: 0n,
      nonce: 4n,
      owners: [owner.address],
    });
    const held = { address: erc20, abi: sampleCoinAbi, functionName: 'balanceOf', args: [receiver] } as const;
    assert.equal(await client.readContract(held), 7n);
  });

  it('executes a signed call once: neither again, nor in another Safe, nor by another signature', async () => {
    const [one, other] = [newSafe(), newSafe()];
    for (const { safe, saltNonce } of [one, other]) {
      await deploy(saltNonce);
      await client.sendTransaction({ account: minter(), to: safe, value: 10n });
    }
    const call = safes.encodeTransfer(one.safe, { kind: 'coin', to: receiver, amount: 1n });
    const signature = await sign(one.safe, call, 0n);
    const prepare = (safe: string, nonce: bigint, by = signature) =>
      safes.prepareTransaction({ safe, nonce, leastGas, ...call }, by, payerKey);
    const first = await prepare(one.safe, 0n);
    await safes.send(first);
    await safes.send(first).catch((error: unknown) => assert.ok(error instanceof SafesUnavailable));
    await assert.rejects(prepare(one.safe, 0n), SafesRefusal);
    await assert.rejects(prepare(other.safe, 0n), SafesRefusal);
    await assert.rejects(prepare(one.safe, 1n, `0x${'11'.repeat(64)}1b`), SafesRefusal);
    assert.equal((await safes.readState(one.safe)).balance, 9n);
  });

  it('consumes the nonce of a call that fails, so that no one can execute it later', async () => {
    const { safe, saltNonce } = newSafe();
    await deploy(saltNonce);
    const hash = await run(safe, safes.encodeTransfer(safe, { kind: 'coin', to: receiver, amount: 1n }));
    assert.equal(await safes.outcomeOf(hash), 'failed');
    assert.equal((await safes.readState(safe)).nonce, 1n);
  });

  it('hands a Safe over to another owner', async () => {
    const { safe, saltNonce } = newSafe();
    await deploy(saltNonce);
    assert.equal(
      await safes.outcomeOf(await run(safe, safes.encodeOwnerChange(safe, owner.address, minter()))),
      'done',
    );
    assert.deepEqual((await safes.readState(safe)).owners, [minter()]);
  });

  it('reports missing funds, and names no node URL when none responds', async () => {
    const { saltNonce } = newSafe();
    const poor = Buffer.from('31'.repeat(32), 'hex');
    await assert.rejects(safes.prepareDeployment({ owner: owner.address, saltNonce }, poor), {
      name: 'SafesRefusal',
      message: /insufficient funds/,
      wouldFail: false,
    });
    await assert.rejects(safesAt('http://127.0.0.1:1/secret').readState(receiver), (error: Error) => {
      assert.ok(error instanceof SafesUnavailable);
      return !`${error.message}${error.stack}`.includes('secret');
    });
    assert.equal(await safes.outcomeOf(`0x${'ab'.repeat(32)}`), 'unknown');
  });
});
