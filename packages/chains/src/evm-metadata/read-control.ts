import type { ControlAnswer } from '@latchkey/core/ports';
import { getContractAddress } from 'viem/utils';
import type { ChainView } from '../evm-holdings/chain-view.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { callData, toHexAddress, tryWords } from '../evm-holdings/reading.ts';
import { giveWay } from '../give-way.ts';

const maxAccounts = 20;
const deploymentsTried = 1_000n;
const defaultAdminRole = 0n;

/**
 * Whether one of the accounts controls a contract: its owner (ERC-173), a holder of its default admin role, or, where it
 * names no owner, its deployer. A deployer is recognised by the contract's address, which is a hash over the account that
 * created it and that account's nonce.
 */
export async function readControl(view: ChainView, contract: Hex, accounts: readonly string[]): Promise<ControlAnswer> {
  const candidates = accounts.slice(0, maxAccounts).flatMap((account) => toHexAddress(account) ?? []);
  const [owner, admin] = await Promise.all([readOwner(view, contract), findAdmin(view, contract, candidates)]);
  const by = owner === undefined ? (admin ?? (await findDeployer(contract, candidates))) : admin;
  if (owner !== undefined && candidates.includes(owner)) return { kind: 'controlled', by: owner };
  if (by !== undefined) return { kind: 'controlled', by };
  return { kind: 'not-controlled', ...(owner !== undefined && { owner }) };
}

/** Undefined when the contract names nobody, or has given its owner up. */
async function readOwner(view: ChainView, contract: Hex): Promise<Hex | undefined> {
  const [first, ...rest] = (await tryWords(view, contract, callData('owner()'))) ?? [];
  if (first === undefined || rest.length > 0 || !first.startsWith('0'.repeat(24))) return undefined;
  const owner = toHexAddress(`0x${first.slice(24)}`);
  return owner === undefined || BigInt(owner) === 0n ? undefined : owner;
}

async function findAdmin(view: ChainView, contract: Hex, candidates: readonly Hex[]): Promise<Hex | undefined> {
  const answers = await Promise.all(
    candidates.map((account) =>
      tryWords(view, contract, callData('hasRole(bytes32,address)', defaultAdminRole, account)),
    ),
  );
  return candidates.find((_, index) => {
    const words = answers[index];
    return words?.length === 1 && BigInt(`0x${words[0]}`) === 1n;
  });
}

async function findDeployer(contract: Hex, candidates: readonly Hex[]): Promise<Hex | undefined> {
  for (const from of candidates) {
    for (let nonce = 0n; nonce < deploymentsTried; nonce++)
      if (getContractAddress({ from, nonce }).toLowerCase() === contract) return from;
    await giveWay();
  }
  return undefined;
}
