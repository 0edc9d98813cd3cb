import { type ChainView, remember } from './chain-view.ts';
import { toNumber } from './decode-words.ts';
import type { Hex } from './node-rpc.ts';
import { callData, findDecimals, tryWords } from './reading.ts';
import { ContractRefused } from './unreadable.ts';

export type ContractKind = 'erc20' | 'erc721' | 'erc1155';

const titles: Readonly<Record<ContractKind, string>> = {
  erc20: 'an ERC20 token',
  erc721: 'an ERC721 collection',
  erc1155: 'an ERC1155 collection',
};

// ERC-165 ids, as the bytes4 that fills the left of a word.
const interfaces = { erc721: 0x80ac58cdn << 224n, erc1155: 0xd9b67a26n << 224n } as const;
const nobody: Hex = `0x${'0'.repeat(40)}`;

async function supports(view: ChainView, contract: Hex, interfaceId: bigint): Promise<boolean> {
  const [first] = (await tryWords(view, contract, callData('supportsInterface(bytes4)', interfaceId))) ?? [];
  return first !== undefined && toNumber(first) === 1n;
}

export function isErc721(view: ChainView, contract: Hex): Promise<boolean> {
  return supports(view, contract, interfaces.erc721);
}

export function isErc1155(view: ChainView, contract: Hex): Promise<boolean> {
  return supports(view, contract, interfaces.erc1155);
}

/** Decimals alone prove nothing, because some collections have them too. Only ERC20 has allowances in amounts. */
async function isErc20(view: ChainView, contract: Hex): Promise<boolean> {
  const [decimals, allowance] = await Promise.all([
    findDecimals(view, contract),
    tryWords(view, contract, callData('allowance(address,address)', nobody, nobody)),
  ]);
  return decimals !== undefined && allowance !== undefined;
}

/** Returns what a contract says it is; undefined if it does not say, like collections older than ERC-165. */
export async function kindOf(view: ChainView, contract: Hex): Promise<ContractKind | undefined> {
  const [is721, is1155, is20] = await Promise.all([
    isErc721(view, contract),
    isErc1155(view, contract),
    isErc20(view, contract),
  ]);
  if (is721) return 'erc721';
  if (is1155) return 'erc1155';
  return is20 ? 'erc20' : undefined;
}

/**
 * Throws `Unreadable` for a contract that says it is not an ERC721 collection: the balance of an ERC20 token is a number too, and would be
 * read as a token count. Contracts do not change their type, so the result is cached.
 */
export function refuseNoErc721(view: ChainView, contract: Hex): Promise<void> {
  return remember(view.chain.constants, `${view.quorum} no erc721 ${contract}`, async () => {
    if (!(await isErc721(view, contract))) await refuseOther(view, contract, 'erc721');
  });
}

/** Returns what `read` returns. If the read failed because the contract is of another type, throws an error that says so. */
export async function orRefuseOther<T>(
  read: Promise<T>,
  view: ChainView,
  contract: Hex,
  wanted: ContractKind,
): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ContractRefused) await refuseOther(view, contract, wanted);
    throw error;
  }
}

async function refuseOther(view: ChainView, contract: Hex, wanted: ContractKind): Promise<void> {
  const kind = await kindOf(view, contract);
  if (kind !== undefined && kind !== wanted)
    throw new ContractRefused(`The contract ${contract} is ${titles[kind]}, not ${titles[wanted]}.`);
}
