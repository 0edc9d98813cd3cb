import type { EvmWorld } from '@latchkey/chains/testing';
import { sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import { type Abi, type Address, toHex } from 'viem';

const muchWei = toHex(10n ** 24n);

/** Lets the chain sign for accounts without known keys, and funds them. */
export async function takeOver(chain: EvmWorld, accounts: readonly Address[]): Promise<void> {
  for (const account of accounts) {
    await chain.rpc('hardhat_impersonateAccount', [account]);
    await chain.rpc('hardhat_setBalance', [account, muchWei]);
  }
}

/** Transfers a key in its own block. */
export async function moveKey(chain: EvmWorld, keyId: number, from: Address, to: Address): Promise<void> {
  const call = { abi: sampleKeysAbi as Abi, functionName: 'transferFrom', args: [from, to, BigInt(keyId)] };
  await chain.send(chain.contracts.erc721, call, from);
}

/** Counts the keys of each account at the head of the chain, or at a block, with another library. */
export function countKeys(chain: EvmWorld, accounts: readonly Address[], blockNumber?: bigint): Promise<bigint[]> {
  const { erc721: address, multicall3: multicallAddress } = chain.contracts;
  const contracts = accounts.map(
    (account) => ({ address, abi: sampleKeysAbi, functionName: 'balanceOf', args: [account] }) as const,
  );
  const at = blockNumber === undefined ? {} : { blockNumber };
  return chain.client.multicall({ contracts, multicallAddress, allowFailure: false, batchSize: 0, ...at });
}

/** A chain whose last blocks can be replaced with others. */
export interface Forks {
  /** Takes a snapshot of the chain, to return to this block. */
  remember(): Promise<void>;
  /** Removes this many of the remembered blocks from the end. New blocks differ from those that were there. */
  cut(blocks: number): Promise<void>;
}

export function createForks(chain: EvmWorld): Forks {
  const snapshots: unknown[] = [];
  let cuts = 0;
  return {
    remember: async () => void snapshots.push(await chain.rpc('evm_snapshot', [])),
    cut: async (blocks) => {
      const [base] = snapshots.splice(-blocks - 1);
      if (base === undefined) throw new Error('So many blocks are not remembered.');
      await chain.rpc('evm_revert', [base]);
      // Reverting consumes a snapshot.
      snapshots.push(await chain.rpc('evm_snapshot', []));
      cuts += 1;
      await chain.rpc('hardhat_setCoinbase', [toHex(cuts, { size: 20 })]);
    },
  };
}
