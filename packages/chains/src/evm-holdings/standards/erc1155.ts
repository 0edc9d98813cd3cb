import { listTokenIds, matchesTokenIds } from '@latchkey/kernel';
import { orRefuseOther } from '../contract-kind.ts';
import { listAt, toNumber, wordsOf } from '../decode-words.ts';
import { transferBatchTopic, transferSingleTopic } from '../events.ts';
import type { EvmLog, Hex } from '../node-rpc.ts';
import { callData, contractOf, type Reading, readNumber, type Standard } from '../reading.ts';
import { Unreadable } from '../unreadable.ts';
import { historyStart } from './history-start.ts';

const fewIds = 200;

export const readErc1155: Standard = async (reading) => {
  const { view, account, question, describe } = reading;
  const contract = contractOf(reading);
  const ids = (await findIds(reading, contract)).filter((id) => /^\d+$/.test(id) && BigInt(id) < 2n ** 256n);
  const amounts = await orRefuseOther(
    Promise.all(
      ids.map((id) =>
        readNumber(view, contract, callData('balanceOf(address,uint256)', account, BigInt(id)), 'balanceOf'),
      ),
    ),
    view,
    contract,
    'erc1155',
  );
  const amount = amounts.reduce((sum, part) => sum + part, 0n).toString();
  if (question.needs === 'amount') return { amount };
  const tokens = ids
    .map((id, index) => ({ id, amount: (amounts[index] ?? 0n).toString() }))
    .filter((token) => token.amount !== '0');
  if (question.needs === 'tokens') return { amount, tokens };
  return { amount, tokens: await Promise.all(tokens.map((token) => describe(reading, token, 'uri(uint256)'))) };
};

/** Returns the ids to read: the selected ones, if they are few, otherwise every id that was ever received. */
async function findIds(reading: Reading, contract: Hex): Promise<string[]> {
  const { ids, account, searchLogs } = reading;
  const few = ids && listTokenIds(ids, fewIds);
  if (few) return few;
  try {
    const events = [transferSingleTopic, transferBatchTopic];
    const fromBlock = historyStart(reading);
    const logs = await searchLogs({ contract, events, place: 3, account, fromBlock });
    const received = [...new Set(logs.flatMap((log) => movedTokens(log).map(([id]) => id.toString())))];
    return ids ? received.filter((id) => matchesTokenIds(ids, id)) : received;
  } catch (error) {
    const many = ids && listTokenIds(ids);
    if (error instanceof Unreadable && many) return many;
    throw error;
  }
}

/** Returns which tokens a transfer moved, and how many of each. */
export function movedTokens({ topics: [event], data, address }: EvmLog): [id: bigint, amount: bigint][] {
  const words = wordsOf(data.slice(2));
  if (event === transferSingleTopic) {
    const [id, amount] = words;
    return id && amount ? [[toNumber(id), toNumber(amount)]] : [];
  }
  const [ids, amounts] = [listAt(words, 0), listAt(words, 1)];
  if (!ids || !amounts || ids.length !== amounts.length) throw new Unreadable(`A log of ${address} cannot be read.`);
  return ids.map((id, index) => [toNumber(id), toNumber(amounts[index] ?? '')]);
}
