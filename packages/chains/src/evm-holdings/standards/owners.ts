import { toHex } from 'viem/utils';
import { normalizeEvmAddress } from '../../evm/address.ts';
import { listAt, toAddress, toNumber } from '../decode-words.ts';
import type { Hex } from '../node-rpc.ts';
import { callData, contractOf, readNumber, readWords, type Standard, toHexAddress } from '../reading.ts';
import { ContractRefused, Unreadable } from '../unreadable.ts';

/**
 * Returns 1 for an owner of a Safe, otherwise 0. The token's id is the owner's position, from 0, and its metadata has the owners and the
 * threshold, so that a rule can require the first, any or several.
 */
export const readSafe: Standard = async (reading) => {
  const { view, account } = reading;
  const safe = contractOf(reading);
  const [words, threshold] = await Promise.all([
    readWords(view, safe, callData('getOwners()'), 'getOwners'),
    readNumber(view, safe, callData('getThreshold()'), 'getThreshold'),
  ]);
  const owners = listAt(words, 0)?.flatMap((owner) => toAddress(owner) ?? []) ?? [];
  if (owners.length === 0) throw new ContractRefused(`No Safe at ${safe}.`);
  const place = owners.indexOf(account);
  if (place < 0) return { amount: '0', tokens: [] };
  const metadata = { owners: owners.map(spell), threshold: Number(threshold) };
  return { amount: '1', tokens: [{ id: String(place), amount: '1', metadata }] };
};

export const delegateRegistry: Hex = '0x00000000000000447e69651d841bd8d104bed493';
const delegationKinds = ['none', 'all', 'contract', 'erc721', 'erc20', 'erc1155'];
const wordsPerDelegation = 7;

/**
 * Returns the vaults that delegated to the account at delegate.xyz, each with what it delegated. A delegation for a specific right counts
 * only if the question names that right. If the question names a contract, only vaults that delegated all of it are listed: a delegation of
 * one token must not count for the others.
 */
export const readDelegations: Standard = async ({ view, account, question }) => {
  const registry = toHexAddress(question.reference) ?? delegateRegistry;
  const words = await readWords(view, registry, callData('getIncomingDelegations(address)', account), 'delegations');
  const count = Number(toNumber(words[1] ?? '0'));
  const tokens = Array.from({ length: count }, (_, index) => {
    const from = 2 + wordsPerDelegation * index;
    return toDelegation(words.slice(from, from + wordsPerDelegation));
  });
  const right = rightOf(question.details?.rights);
  const contract = toHexAddress(question.details?.contract ?? '');
  const valid = tokens.filter(({ metadata }) => {
    if (metadata.rights !== noRight && metadata.rights !== right) return false;
    if (contract === undefined || metadata.type === 'all') return true;
    return metadata.type === 'contract' && metadata.contract.toLowerCase() === contract;
  });
  return { amount: String(valid.length), tokens: valid };
};

const noRight = `0x${'0'.repeat(64)}`;

function rightOf(text: string | undefined): string {
  if (text === undefined) return noRight;
  return /^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : toHex(text, { size: 32 });
}

function toDelegation([kind, , vault = '', rights, contract = '', tokenId, amount]: string[]) {
  const [from, where] = [toAddress(vault), toAddress(contract)];
  const type = delegationKinds[Number(toNumber(kind ?? '0'))];
  if (!from || !where || type === undefined || rights === undefined || tokenId === undefined || amount === undefined) {
    throw new Unreadable('The delegation registry sent an invalid response.');
  }
  return {
    id: spell(from),
    amount: '1',
    metadata: {
      type,
      contract: spell(where),
      tokenId: toNumber(tokenId).toString(),
      amount: toNumber(amount).toString(),
      rights: `0x${rights}`,
    },
  };
}

function spell(address: Hex): string {
  return normalizeEvmAddress(address) ?? address;
}
