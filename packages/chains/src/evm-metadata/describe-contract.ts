import type { ContractMetadata } from '@latchkey/core/ports';
import type { ChainView } from '../evm-holdings/chain-view.ts';
import { kindOf } from '../evm-holdings/contract-kind.ts';
import { textAt } from '../evm-holdings/decode-words.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { callData, findDecimals, tryWords } from '../evm-holdings/reading.ts';

const maxNameLength = 200;

/** What a contract says of itself. Everything it is asked travels together with what other contracts are asked. */
export async function describeContract(view: ChainView, contract: Hex): Promise<ContractMetadata> {
  const [name, symbol, decimals, standard] = await Promise.all([
    readText(view, contract, 'name()'),
    readText(view, contract, 'symbol()'),
    findDecimals(view, contract),
    kindOf(view, contract),
  ]);
  return {
    ...(standard !== undefined && { standard }),
    ...(name !== undefined && { name }),
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals }),
  };
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
