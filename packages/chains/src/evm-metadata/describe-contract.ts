import type { ContractMetadata } from '@latchkey/core/ports';
import type { ChainView } from '../evm-holdings/chain-view.ts';
import { textAt, toNumber } from '../evm-holdings/decode-words.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { callData, findDecimals, tryWords } from '../evm-holdings/reading.ts';

// ERC-165 ids, as the bytes4 that fills the left of a word.
const interfaces = { erc721: 0x80ac58cdn << 224n, erc1155: 0xd9b67a26n << 224n } as const;
const maxNameLength = 200;

/** What a contract says of itself. Everything it is asked travels together with what other contracts are asked. */
export async function describeContract(view: ChainView, contract: Hex): Promise<ContractMetadata> {
  const [name, symbol, decimals, supply, isErc721, isErc1155] = await Promise.all([
    readText(view, contract, 'name()'),
    readText(view, contract, 'symbol()'),
    findDecimals(view, contract),
    tryWords(view, contract, callData('totalSupply()')),
    supports(view, contract, interfaces.erc721),
    supports(view, contract, interfaces.erc1155),
  ]);
  const isErc20 = decimals !== undefined && supply !== undefined;
  const standard = isErc721 ? 'erc721' : isErc1155 ? 'erc1155' : isErc20 ? 'erc20' : undefined;
  return {
    ...(standard !== undefined && { standard }),
    ...(name !== undefined && { name }),
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals }),
  };
}

export async function supports(view: ChainView, contract: Hex, interfaceId: bigint): Promise<boolean> {
  const [first] = (await tryWords(view, contract, callData('supportsInterface(bytes4)', interfaceId))) ?? [];
  return first !== undefined && toNumber(first) === 1n;
}

export function isErc721(view: ChainView, contract: Hex): Promise<boolean> {
  return supports(view, contract, interfaces.erc721);
}

export function isErc1155(view: ChainView, contract: Hex): Promise<boolean> {
  return supports(view, contract, interfaces.erc1155);
}

async function readText(view: ChainView, contract: Hex, getter: string): Promise<string | undefined> {
  const words = await tryWords(view, contract, callData(getter));
  if (words === undefined) return undefined;
  // Some early tokens answer with 32 bytes instead of a text.
  const text = words.length === 1 ? Buffer.from(words[0] ?? '', 'hex').toString('utf8') : textAt(words, 0);
  // A name is shown to people, so what cannot be shown is not part of it.
  const shown = text?.replace(/[\p{C}�]/gu, '').trim();
  return shown === undefined || shown === '' ? undefined : shown.slice(0, maxNameLength);
}
