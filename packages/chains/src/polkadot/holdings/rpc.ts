import { fieldsOf, listOf, Malformed, ServiceFailed, textOf } from '@latchkey/adapter-kit';
import type { BlockPoint } from '@latchkey/core/ports';
import { readPages, type Session } from '../../http-holdings/index.ts';
import { type LookUp, lookUp } from '../../look-up.ts';
import { ScaleReader } from './scale.ts';

export const service = 'The Substrate node';

/** One node, pinned to one block. */
export interface SubstrateRpc {
  block: Required<BlockPoint>;
  /** The decimals of the chain's own currency. */
  readDecimals(): Promise<number>;
  /** Returns the stored values of these keys; undefined for missing ones. Reads many keys per request. */
  readStorage(places: Iterable<string>): Promise<LookUp<ScaleReader | undefined>>;
  /** Returns all storage keys with this prefix. */
  listPlaces(start: string): Promise<readonly string[]>;
}

const placesPerQuestion = 500;
const placesPerPage = 1_000;
const maxPages = 20;

/** Pins a node to a block: the given one, or the newest finalized one. The node must be on the expected chain. */
export async function pinRpc({ ask, block }: Session, genesis: string | undefined): Promise<SubstrateRpc> {
  const call = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const { body } = await ask('', { body: { jsonrpc: '2.0', id: 1, method, params } });
    const reply = fieldsOf(body, 'the answer');
    if (reply.error !== undefined) throw new ServiceFailed(`${service} rejected the request.`);
    return reply.result;
  };
  if (genesis !== undefined) await checkGenesis(call, genesis);
  const pinned = await pinBlock(call, block);
  return {
    block: pinned,
    readDecimals: async () => readDecimals(await call('system_properties')),
    readStorage: (places) => readStorage(call, [...new Set(places)], pinned.hash),
    listPlaces: (start) => listPlaces(call, start, pinned.hash),
  };
}

type Call = (method: string, params?: readonly unknown[]) => Promise<unknown>;

async function checkGenesis(call: Call, genesis: string): Promise<void> {
  const hash = hashOf(await call('chain_getBlockHash', [0]), 'the first block');
  if (!hash.startsWith(`0x${genesis.replace(/^0x/, '')}`)) throw new ServiceFailed(`${service} is on another chain.`);
}

async function pinBlock(call: Call, block: BlockPoint | undefined): Promise<Required<BlockPoint>> {
  const head = hashOf(await call('chain_getFinalizedHead'), 'the newest block');
  const { number } = fieldsOf(await call('chain_getHeader', [head]), 'the header');
  const height = /^0x[0-9a-f]{1,16}$/i.test(String(number)) ? BigInt(String(number)) : undefined;
  if (height === undefined) throw new Malformed('the height is not a number');
  if (block === undefined) return { number: height.toString(), hash: head };
  if (BigInt(block.number) > height) throw new ServiceFailed(`${service} has not seen block ${block.number} yet.`);
  const hash = hashOf(await call('chain_getBlockHash', [Number(block.number)]), 'the block');
  if (block.hash !== undefined && block.hash !== hash) {
    throw new ServiceFailed(`${service} has another block ${block.number}.`);
  }
  return { number: block.number, hash };
}

async function readStorage(call: Call, places: readonly string[], at: string) {
  const count = Math.ceil(places.length / placesPerQuestion);
  const chunks = Array.from({ length: count }, (_, chunk) =>
    places.slice(chunk * placesPerQuestion, (chunk + 1) * placesPerQuestion),
  );
  const chunkOf = new Map(chunks.flatMap((chunk, index) => chunk.map((place) => [place, String(index)])));
  const read = await lookUp(chunkOf.values(), (index) => readChunk(call, chunks[Number(index)] ?? [], at));
  return (place: string) => {
    const value = read(chunkOf.get(place) ?? '').get(place);
    return value === undefined ? undefined : new ScaleReader(value);
  };
}

async function readChunk(call: Call, places: readonly string[], at: string): Promise<Map<string, string | undefined>> {
  const [set] = listOf(await call('state_queryStorageAt', [places, at]), 'the changes');
  const { block, changes } = fieldsOf(set, 'the changes');
  if (block !== at) throw new ServiceFailed(`${service} answered for another block.`);
  const rows = listOf(changes, 'the changes').map((row) => listOf(row, 'a change'));
  if (rows.some((row) => row.length !== 2)) throw new Malformed('a change is not a place and a value');
  const values = new Map(rows.map(([place, value]) => [textOf(place, 'a place'), value]));
  return new Map(
    places.map((place) => {
      // An omitted storage key is not the same as an empty one.
      if (!values.has(place)) throw new ServiceFailed(`${service} left values out.`);
      const value = values.get(place);
      return [place, value === null ? undefined : textOf(value, 'a stored value')];
    }),
  );
}

async function listPlaces(call: Call, start: string, at: string): Promise<string[]> {
  const tooMany = `${service} lists more entries than the read limit.`;
  const found = await readPages<string>({ maxPages, tooMany }, async (_page, before) => {
    const list = await call('state_getKeysPaged', [start, placesPerPage, before.at(-1) ?? start, at]);
    const rows = listOf(list, 'the places').map((place) => textOf(place, 'a place'));
    return { rows, isLast: rows.length < placesPerPage };
  });
  return [...new Set(found)];
}

function readDecimals(properties: unknown): number {
  const { tokenDecimals } = fieldsOf(properties, 'the properties');
  const [decimals] = [tokenDecimals].flat();
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 36) {
    throw new Malformed('the node does not say the decimals of its currency');
  }
  return decimals;
}

function hashOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/.test(value)) throw new Malformed(`${what} has no hash`);
  return value;
}
