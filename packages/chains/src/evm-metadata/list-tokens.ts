import type { ChainView } from '../evm-holdings/chain-view.ts';
import { isErc721, isErc1155 } from '../evm-holdings/contract-kind.ts';
import { toNumber } from '../evm-holdings/decode-words.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { callData, tryWords } from '../evm-holdings/reading.ts';

/** Some tokens of a collection, and the function that says where they are described. */
export interface TokenList {
  ids: readonly bigint[];
  uriFunction: 'tokenURI(uint256)' | 'uri(uint256)';
  /** How many tokens there are beyond those listed, as far as the collection says. */
  left: number;
}

/** The first tokens of a collection; undefined when it does not say which it has. */
export async function listTokens(view: ChainView, contract: Hex, limit: number): Promise<TokenList | undefined> {
  if (await isErc721(view, contract)) return listUnique(view, contract, limit);
  if (await isErc1155(view, contract)) return listMulti(view, contract, limit);
  return undefined;
}

async function listUnique(view: ChainView, contract: Hex, limit: number): Promise<TokenList | undefined> {
  const supply = await readNumber(view, contract, callData('totalSupply()'));
  const count = supply === undefined ? limit : Number(supply < BigInt(limit) ? supply : BigInt(limit));
  const left = supply === undefined ? 0 : Number(supply - BigInt(count));
  const uriFunction = 'tokenURI(uint256)';
  const enumerated = await Promise.all(
    numbers(count).map((index) => readNumber(view, contract, callData('tokenByIndex(uint256)', index))),
  );
  const listed = enumerated.filter((id) => id !== undefined);
  if (listed.length > 0 || count === 0) return { ids: listed, uriFunction, left };
  // Without enumeration nearly all collections number their tokens from 0 or 1; those that are not there are left out.
  const ids = await keepIf(numbers(count + 1), async (id) =>
    tryWords(view, contract, callData('ownerOf(uint256)', id)).then((words) => words !== undefined),
  );
  return ids.length === 0 ? undefined : { ids: ids.slice(0, limit), uriFunction, left };
}

/** Only collections that count their supply per token can be listed at all. */
async function listMulti(view: ChainView, contract: Hex, limit: number): Promise<TokenList | undefined> {
  const ids = await keepIf(numbers(limit), async (id) => {
    const supply = await readNumber(view, contract, callData('totalSupply(uint256)', id));
    return supply !== undefined && supply > 0n;
  });
  return ids.length === 0 ? undefined : { ids, uriFunction: 'uri(uint256)', left: 0 };
}

async function readNumber(view: ChainView, contract: Hex, data: Hex): Promise<bigint | undefined> {
  const [first] = (await tryWords(view, contract, data)) ?? [];
  return first === undefined ? undefined : toNumber(first);
}

function numbers(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(index));
}

async function keepIf(ids: readonly bigint[], isKept: (id: bigint) => Promise<boolean>): Promise<bigint[]> {
  const kept = await Promise.all(ids.map(isKept));
  return ids.filter((_, index) => kept[index]);
}
