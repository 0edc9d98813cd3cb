import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  createTestClient,
  type Hex,
  maxUint256,
  pad,
  parseEther,
  publicActions,
  toHex,
  walletActions,
  zeroHash,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type DevChain,
  delegateRegistryAbi,
  devChain,
  devTransport,
  multicall3Abi,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
  sampleSafeAbi,
  sampleStakingAbi,
  startDevChain,
} from './index.ts';

const clientOf = ({ url, chainId }: DevChain) =>
  createTestClient({ mode: 'hardhat', chain: devChain(url, chainId), transport: devTransport(url) })
    .extend(publicActions)
    .extend(walletActions);

function jsonOf(address: string): unknown {
  const [, text = ''] = address.split('base64,');
  return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
}

describe('the development chain', () => {
  let chain: DevChain;
  let client: ReturnType<typeof clientOf>;
  let minter: Address;
  let holder: Address;
  let stranger: Address;
  let snapshot: Hex;

  before(async () => {
    chain = await startDevChain();
    client = clientOf(chain);
    const [first, second, third] = chain.accounts;
    assert.ok(first && second && third);
    [minter, holder, stranger] = [first.address, second.address, third.address];
    snapshot = await client.snapshot();
  });
  after(() => chain.stop());
  const fresh = async () => {
    await client.revert({ id: snapshot });
    snapshot = await client.snapshot();
  };
  const coin = () => ({ address: chain.contracts.erc20, abi: sampleCoinAbi }) as const;
  const keys = () => ({ address: chain.contracts.erc721, abi: sampleKeysAbi }) as const;
  const badges = () => ({ address: chain.contracts.erc1155, abi: sampleBadgesAbi }) as const;
  const staking = () => ({ address: chain.contracts.staking, abi: sampleStakingAbi }) as const;
  const safe = () => ({ address: chain.contracts.safe, abi: sampleSafeAbi }) as const;
  const registry = () => ({ address: chain.contracts.delegateRegistry, abi: delegateRegistryAbi }) as const;

  it('has every contract at the same address on every start, and the requested chain id', async (t) => {
    const other = await startDevChain({ chainId: 137 });
    t.after(other.stop);
    assert.deepEqual(other.contracts, chain.contracts);
    assert.equal(await clientOf(other).getChainId(), 137);
    for (const address of Object.values(other.contracts)) {
      assert.notEqual(await clientOf(other).getCode({ address }), undefined, address);
    }
  });

  it('responds to local host names only', async () => {
    const { hostname, port } = new URL(chain.url);
    const ask = async (host: string) => {
      const sent = request({ hostname, port, method: 'POST', headers: { host, 'content-type': 'application/json' } });
      sent.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}');
      const [answer] = await once(sent, 'response');
      answer.resume();
      return answer.statusCode;
    };
    assert.equal(await ask(`localhost:${port}`), 200);
    assert.equal(await ask('evil.example'), 421);
  });

  it('accepts transactions signed with its published keys, and mines each at once', async () => {
    await fresh();
    const height = await client.getBlockNumber();
    const account = privateKeyToAccount(chain.accounts[1]?.privateKey ?? '0x');
    assert.equal(account.address, holder);
    const sent = await client.sendTransaction({ account, to: stranger, value: parseEther('1') });
    const { blockNumber, status } = await client.getTransactionReceipt({ hash: sent });
    assert.deepEqual([blockNumber, status], [height + 1n, 'success']);
  });

  it('transfers coins, and refuses to exceed balance or allowance', async () => {
    await fresh();
    await client.writeContract({ ...coin(), account: minter, functionName: 'mint', args: [holder, 100n] });
    await client.writeContract({ ...coin(), account: holder, functionName: 'transfer', args: [stranger, 30n] });
    const balanceOf = (account: Address) =>
      client.readContract({ ...coin(), functionName: 'balanceOf', args: [account] });
    assert.deepEqual(await Promise.all([holder, stranger].map(balanceOf)), [70n, 30n]);
    const tooMuch = { ...coin(), account: holder, functionName: 'transfer', args: [stranger, 71n] } as const;
    await assert.rejects(client.writeContract(tooMuch), /BalanceTooLow/);
    const notAllowed = {
      ...coin(),
      account: stranger,
      functionName: 'transferFrom',
      args: [holder, stranger, 1n],
    } as const;
    await assert.rejects(client.writeContract(notAllowed), /AllowanceTooLow/);
    const notMinter = { ...coin(), account: holder, functionName: 'mint', args: [holder, 1n] } as const;
    await assert.rejects(client.writeContract(notMinter), /NotTheMinter/);
  });

  it('keeps the lists of keys right through transfers and burns', async () => {
    await fresh();
    const receivers = [holder, holder, stranger, holder];
    await client.writeContract({ ...keys(), account: minter, functionName: 'mintMany', args: [receivers] });
    await client.writeContract({
      ...keys(),
      account: holder,
      functionName: 'transferFrom',
      args: [holder, stranger, 1n],
    });
    await client.writeContract({ ...keys(), account: holder, functionName: 'burn', args: [2n] });
    const idsOf = async (owner: Address) => {
      const count = await client.readContract({ ...keys(), functionName: 'balanceOf', args: [owner] });
      const read = (index: number) =>
        client.readContract({ ...keys(), functionName: 'tokenOfOwnerByIndex', args: [owner, BigInt(index)] });
      return Promise.all(Array.from({ length: Number(count) }, (_, index) => read(index)));
    };
    assert.deepEqual([await idsOf(holder), await idsOf(stranger)], [[4n], [3n, 1n]]);
    assert.equal(await client.readContract({ ...keys(), functionName: 'totalSupply' }), 3n);
    const all = [0n, 1n, 2n].map((index) =>
      client.readContract({ ...keys(), functionName: 'tokenByIndex', args: [index] }),
    );
    assert.deepEqual((await Promise.all(all)).toSorted(), [1n, 3n, 4n]);
    await assert.rejects(client.readContract({ ...keys(), functionName: 'ownerOf', args: [2n] }), /NoSuchToken/);
    const theft = { ...keys(), account: holder, functionName: 'transferFrom', args: [stranger, holder, 1n] } as const;
    await assert.rejects(client.writeContract(theft), /NotAllowed/);
  });

  it('has on-chain metadata for each token', async () => {
    await fresh();
    await client.writeContract({ ...keys(), account: minter, functionName: 'mintMany', args: [Array(7).fill(holder)] });
    assert.deepEqual(jsonOf(await client.readContract({ ...keys(), functionName: 'tokenURI', args: [7n] })), {
      name: 'Sample Key #7',
      description: 'A key that opens nothing but doors to try.',
      attributes: [
        { trait_type: 'Metal', value: 'Gold' },
        { trait_type: 'Teeth', display_type: 'number', value: 5 },
        { trait_type: 'Engraved', value: true },
      ],
    });
    assert.deepEqual(jsonOf(await client.readContract({ ...badges(), functionName: 'uri', args: [maxUint256] })), {
      name: `Sample Badge #${maxUint256}`,
      attributes: [{ trait_type: 'Tier', value: 'Visitor' }],
    });
  });

  it('transfers badges singly and in batches, and asks receiving contracts', async () => {
    await fresh();
    await client.writeContract({
      ...badges(),
      account: minter,
      functionName: 'mintMany',
      args: [[holder, stranger], 7n, 5n],
    });
    await client.writeContract({ ...badges(), account: minter, functionName: 'mint', args: [holder, 8n, 1n] });
    const batch = [holder, stranger, [7n, 8n], [2n, 1n], '0x'] as const;
    await client.writeContract({ ...badges(), account: holder, functionName: 'safeBatchTransferFrom', args: batch });
    const read = { ...badges(), functionName: 'balanceOfBatch' } as const;
    const held = await client.readContract({
      ...read,
      args: [
        [holder, holder, stranger, stranger],
        [7n, 8n, 7n, 8n],
      ],
    });
    assert.deepEqual(held, [3n, 0n, 7n, 1n]);
    const toContract = [holder, chain.contracts.erc20, 7n, 1n, '0x'] as const;
    await assert.rejects(
      client.writeContract({ ...badges(), account: holder, functionName: 'safeTransferFrom', args: toContract }),
      /reverted/,
    );
  });

  it('keeps staked keys and coins for their owners, and returns them to no one else', async () => {
    await fresh();
    await client.writeContract({ ...keys(), account: minter, functionName: 'mintMany', args: [Array(3).fill(holder)] });
    await client.writeContract({ ...coin(), account: minter, functionName: 'mint', args: [holder, 10n] });
    const spender = chain.contracts.staking;
    await client.writeContract({
      ...keys(),
      account: holder,
      functionName: 'setApprovalForAll',
      args: [spender, true],
    });
    await client.writeContract({ ...coin(), account: holder, functionName: 'approve', args: [spender, 10n] });
    await client.writeContract({ ...staking(), account: holder, functionName: 'deposit', args: [[1n, 2n, 3n]] });
    await client.writeContract({ ...staking(), account: holder, functionName: 'stake', args: [10n] });
    const theft = { ...staking(), account: stranger, functionName: 'withdraw', args: [[1n]] } as const;
    await assert.rejects(client.writeContract(theft), /NotDeposited/);
    await client.writeContract({ ...staking(), account: holder, functionName: 'withdraw', args: [[1n]] });
    await client.writeContract({ ...staking(), account: holder, functionName: 'unstake', args: [4n] });
    assert.deepEqual(await client.readContract({ ...staking(), functionName: 'depositsOf', args: [holder] }), [3n, 2n]);
    assert.equal(await client.readContract({ ...staking(), functionName: 'stakedOf', args: [holder] }), 6n);
    assert.equal(await client.readContract({ ...keys(), functionName: 'ownerOf', args: [1n] }), holder);
    assert.equal(await client.readContract({ ...coin(), functionName: 'balanceOf', args: [holder] }), 4n);
  });

  it("names a Safe's owners, and follows changes of them", async () => {
    await fresh();
    const owners = () => client.readContract({ ...safe(), functionName: 'getOwners' });
    assert.deepEqual(
      await owners(),
      chain.accounts.slice(1, 4).map(({ address }) => address),
    );
    await client.writeContract({ ...safe(), account: minter, functionName: 'removeOwner', args: [holder] });
    assert.equal((await owners()).includes(holder), false);
    const stuck = { ...safe(), account: minter, functionName: 'removeOwner', args: [stranger] } as const;
    await assert.rejects(client.writeContract(stuck), /NotPossible/);
  });

  it('answers viem’s multicall in one call, failures next to results', async () => {
    await fresh();
    await client.writeContract({ ...keys(), account: minter, functionName: 'mint', args: [holder] });
    const [owner, missing] = await client.multicall({
      contracts: [
        { ...keys(), functionName: 'ownerOf', args: [1n] },
        { ...keys(), functionName: 'ownerOf', args: [2n] },
      ],
    });
    assert.equal(owner.result, holder);
    assert.equal(missing.status, 'failure');
    const multicall3 = { address: chain.contracts.multicall3, abi: multicall3Abi } as const;
    const { result } = await client.simulateContract({
      ...multicall3,
      functionName: 'tryBlockAndAggregate',
      args: [false, [{ target: keys().address, callData: '0x' }]],
    });
    assert.equal(result[2][0]?.success, false);
    assert.equal(await client.readContract({ ...multicall3, functionName: 'getChainId' }), 31337n);
    assert.equal(
      await client.readContract({
        ...multicall3,
        functionName: 'getEthBalance',
        args: [chain.accounts[9]?.address ?? '0x'],
      }),
      parseEther('10000'),
    );
  });

  it('knows delegates of everything, of a contract, of a token and of an amount, with rights', async () => {
    await fresh();
    const { erc20, erc721, erc1155 } = chain.contracts;
    const vote = pad(toHex('vote'), { dir: 'right', size: 32 });
    const from = { ...registry(), account: holder } as const;
    const isFor = (contract: Address, tokenId: bigint, rights: Hex = zeroHash) => {
      const args = [stranger, holder, contract, tokenId, rights] as const;
      return client.readContract({ ...registry(), functionName: 'checkDelegateForERC721', args });
    };
    await client.writeContract({ ...from, functionName: 'delegateERC721', args: [stranger, erc721, 5n, vote, true] });
    assert.deepEqual(
      [await isFor(erc721, 5n, vote), await isFor(erc721, 5n), await isFor(erc721, 6n, vote)],
      [true, false, false],
    );
    await client.writeContract({ ...from, functionName: 'delegateERC20', args: [stranger, erc20, zeroHash, 12n] });
    const amount = {
      ...registry(),
      functionName: 'checkDelegateForERC20',
      args: [stranger, holder, erc20, vote],
    } as const;
    assert.equal(await client.readContract(amount), 12n);
    await client.writeContract({
      ...from,
      functionName: 'delegateContract',
      args: [stranger, erc1155, zeroHash, true],
    });
    const incoming = { ...registry(), functionName: 'getIncomingDelegations', args: [stranger] } as const;
    assert.deepEqual(
      (await client.readContract(incoming)).map(({ type_, contract_ }) => [type_, contract_]),
      [
        [3, erc721],
        [4, erc20],
        [2, erc1155],
      ],
    );
    await client.writeContract({ ...from, functionName: 'delegateAll', args: [stranger, zeroHash, true] });
    assert.deepEqual([await client.readContract(amount), await isFor(erc721, 6n, vote)], [maxUint256, true]);
    await client.writeContract({ ...from, functionName: 'delegateAll', args: [stranger, zeroHash, false] });
    assert.deepEqual([await client.readContract(amount), (await client.readContract(incoming)).length], [12n, 3]);
  });

  it('seeds 2,000 holders in one transaction', async () => {
    await fresh();
    const receivers = Array.from({ length: 2_000 }, (_, index) => pad(toHex(index + 1_000_000), { size: 20 }));
    await client.writeContract({ ...keys(), account: minter, functionName: 'mintMany', args: [receivers] });
    await client.writeContract({ ...coin(), account: minter, functionName: 'mintMany', args: [receivers, 3n] });
    await client.writeContract({ ...badges(), account: minter, functionName: 'mintMany', args: [receivers, 1n, 1n] });
    assert.equal(await client.readContract({ ...keys(), functionName: 'totalSupply' }), 2_000n);
    assert.equal(await client.readContract({ ...coin(), functionName: 'totalSupply' }), 6_000n);
  });
});
