import { digitsOf, fieldsOf, listOf, ServiceFailed, textOf } from '@latchkey/adapter-kit';
import { base64 } from '@scure/base';
import type { Session } from '../../http-holdings/index.ts';
import { type LookUp, lookUp } from '../../look-up.ts';

export const service = 'The Solana node';

export type Commitment = 'confirmed' | 'finalized';

export interface Account {
  /** The program that the account belongs to. */
  program: string;
  lamports: bigint;
  data: Uint8Array;
}

/** Returns accounts by address; undefined for those that do not exist. */
export type AccountLookUp = LookUp<Account | undefined>;

/** The requests to one node. All but the first are made at or above a slot that it has reached. */
export interface SolanaRpc {
  readSlot(atLeast: bigint): Promise<bigint>;
  readGenesisHash(): Promise<string>;
  /** Reads the first `length` bytes of each account, 100 accounts per request. */
  readAccounts(addresses: Iterable<string>, minSlot: bigint, length?: number): Promise<AccountLookUp>;
  /** Reads the token accounts of an owner: those of one mint, or all those of a token program. */
  readTokenAccounts(
    owner: string,
    of: { mint: string } | { programId: string },
    minSlot: bigint,
  ): Promise<readonly Account[]>;
}

// The node's own limit.
const accountsPerQuestion = 100;

export function createRpc({ ask }: Pick<Session, 'ask'>, commitment: Commitment): SolanaRpc {
  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const { body } = await ask('', { body: { jsonrpc: '2.0', id: 1, method, params } });
    const reply = fieldsOf(body, 'the answer');
    if (reply.error !== undefined) throw new ServiceFailed(`${service} ${reasonOf(reply.error)}.`);
    return reply.result;
  };
  const callAt = async (minSlot: bigint, method: string, params: readonly unknown[], options: object) => {
    const config = { commitment, minContextSlot: Number(minSlot), encoding: 'base64', ...options };
    const { context, value } = fieldsOf(await call(method, [...params, config]), 'the answer');
    const slot = BigInt(digitsOf(fieldsOf(context, 'the context').slot, 'the slot'));
    if (slot < minSlot) throw new ServiceFailed(`${service} answered for an older slot than requested.`);
    return value;
  };
  const readChunk = async (addresses: readonly string[], minSlot: bigint, length: number | undefined) => {
    const slice = length === undefined ? {} : { dataSlice: { offset: 0, length } };
    const value = listOf(await callAt(minSlot, 'getMultipleAccounts', [addresses], slice), 'the accounts');
    if (value.length !== addresses.length) throw new ServiceFailed(`${service} left accounts out.`);
    return new Map(
      addresses.map((address, place) => [address, value[place] === null ? undefined : readAccount(value[place])]),
    );
  };
  return {
    readSlot: async (atLeast) => {
      const config = { commitment, ...(atLeast > 0n && { minContextSlot: Number(atLeast) }) };
      const slot = BigInt(digitsOf(await call('getSlot', [config]), 'the slot'));
      if (slot < atLeast) throw new ServiceFailed(`${service} has not reached slot ${atLeast} yet.`);
      return slot;
    },
    readGenesisHash: async () => textOf(await call('getGenesisHash', []), 'the genesis hash'),
    readAccounts: async (addresses, minSlot, length) => {
      const chunks = inChunks([...new Set(addresses)]);
      const chunkOf = new Map(chunks.flatMap((chunk, at) => chunk.map((address) => [address, String(at)])));
      const read = await lookUp(chunkOf.values(), (at) => readChunk(chunks[Number(at)] ?? [], minSlot, length));
      return (address) => read(chunkOf.get(address) ?? '').get(address);
    },
    readTokenAccounts: async (owner, of, minSlot) => {
      const value = await callAt(minSlot, 'getTokenAccountsByOwner', [owner, of], {});
      return listOf(value, 'the token accounts').map((row) => readAccount(fieldsOf(row, 'a token account').account));
    },
  };
}

function inChunks(addresses: readonly string[]): string[][] {
  const count = Math.ceil(addresses.length / accountsPerQuestion);
  return Array.from({ length: count }, (_, chunk) =>
    addresses.slice(chunk * accountsPerQuestion, (chunk + 1) * accountsPerQuestion),
  );
}

function readAccount(value: unknown): Account {
  const { owner, lamports, data } = fieldsOf(value, 'an account');
  const [text] = listOf(data, 'the data of an account');
  return {
    program: textOf(owner, 'the program of an account'),
    lamports: BigInt(digitsOf(lamports, 'the lamports')),
    data: decodeData(textOf(text, 'the data of an account')),
  };
}

function decodeData(text: string): Uint8Array {
  try {
    return base64.decode(text);
  } catch {
    throw new ServiceFailed(`${service} sent data that is not base64.`);
  }
}

// Only codes are quoted: a message may contain anything, including the key of the endpoint.
function reasonOf(error: unknown): string {
  const { code } = fieldsOf(error, 'the error');
  if (code === -32016) return 'has not reached the slot to read at yet';
  if (code === -32005) return 'is behind the cluster';
  return `rejected the request (${digitsOf(Math.abs(Number(code)), 'the code')})`;
}
