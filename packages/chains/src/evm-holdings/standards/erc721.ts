import type { HeldToken } from '@latchkey/core/ports';
import { listTokenIds, matchesTokenIds } from '@latchkey/kernel';
import { refuseNoErc721 } from '../contract-kind.ts';
import { toAddress, toNumber } from '../decode-words.ts';
import { transferTopic } from '../events.ts';
import type { Hex } from '../node-rpc.ts';
import { callData, contractOf, type Holding, type Reading, readNumber, type Standard, tryWords } from '../reading.ts';
import { Unreadable } from '../unreadable.ts';
import { historyStart } from './history-start.ts';

// Up to this many selected tokens are read one by one. Above it, reading what the account holds is cheaper.
const fewIds = 200;
const maxHeldTokens = 2_000n;

export const readErc721: Standard = async (reading) => {
  const { view, account, question, ids } = reading;
  const contract = contractOf(reading);
  const [count] = await Promise.all([
    readNumber(view, contract, callData('balanceOf(address)', account), 'balanceOf'),
    refuseNoErc721(view, contract),
  ]);
  if (question.needs === 'amount' && ids === undefined) return { amount: count.toString() };
  if (count === 0n) return withTokens(reading, []);
  const held = await findHeld(reading, contract, count);
  return withTokens(reading, ids ? held.filter((id) => matchesTokenIds(ids, id)) : held);
};

async function withTokens(reading: Reading, ids: readonly string[]): Promise<Holding> {
  const { question, describe } = reading;
  const amount = String(ids.length);
  if (question.needs === 'amount') return { amount };
  const tokens = ids.map((id): HeldToken => ({ id, amount: '1' }));
  if (question.needs === 'tokens') return { amount, tokens };
  return { amount, tokens: await Promise.all(tokens.map((token) => describe(reading, token, 'tokenURI(uint256)'))) };
}

/** Returns the tokens that the account holds, limited to those that the question selects. */
async function findHeld(reading: Reading, contract: Hex, count: bigint): Promise<string[]> {
  const { ids } = reading;
  const few = ids && listTokenIds(ids, fewIds);
  if (few) return owned(reading, contract, few);
  const enumerated = await enumerate(reading, contract, count);
  if (enumerated) return enumerated;
  try {
    return await findReceived(reading, contract, count);
  } catch (error) {
    const many = ids && listTokenIds(ids);
    if (!(error instanceof Unreadable) || !many) throw error;
    return owned(reading, contract, many);
  }
}

/** Lists the tokens of an enumerable contract one by one; undefined if it is not enumerable. */
async function enumerate({ view, account }: Reading, contract: Hex, count: bigint): Promise<string[] | undefined> {
  const at = (index: bigint) =>
    tryWords(view, contract, callData('tokenOfOwnerByIndex(address,uint256)', account, index));
  if ((await at(0n)) === undefined) return undefined;
  if (count > maxHeldTokens)
    throw new Unreadable(`The account holds more than ${maxHeldTokens} tokens of ${contract}.`);
  const answers = await Promise.all(Array.from({ length: Number(count) }, (_, index) => at(BigInt(index))));
  return answers.map((words) => {
    if (words === undefined) throw new Unreadable(`The contract ${contract} does not enumerate all its tokens.`);
    return toNumber(words[0] ?? '').toString();
  });
}

/** Returns every token that was received and is still held. Their number must match the contract's count. */
async function findReceived(reading: Reading, contract: Hex, count: bigint): Promise<string[]> {
  const { account, searchLogs } = reading;
  const fromBlock = historyStart(reading);
  const logs = await searchLogs({ contract, events: [transferTopic], place: 2, account, fromBlock });
  const received = new Set(logs.flatMap(({ topics: [, , , id] }) => (id ? [BigInt(id).toString()] : [])));
  const held = await owned(reading, contract, [...received]);
  if (BigInt(held.length) === count) return held;
  throw new Unreadable(`The logs of ${contract} do not show which tokens the account holds.`);
}

// A contract refuses to return the owner of a token that does not exist, so a refusal means that it has no owner.
async function owned({ view, account }: Reading, contract: Hex, ids: readonly string[]): Promise<string[]> {
  const isOwner = await Promise.all(
    ids.map(async (id) => {
      if (!/^\d+$/.test(id) || BigInt(id) >= 2n ** 256n) return false;
      const words = await tryWords(view, contract, callData('ownerOf(uint256)', BigInt(id)));
      return words !== undefined && toAddress(words[0] ?? '') === account;
    }),
  );
  return ids.filter((_, index) => isOwner[index]);
}
