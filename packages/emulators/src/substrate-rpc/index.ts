import { type EmulatorAddress, type HttpEmulator, startHttpEmulator } from '../http-emulator/index.ts';

export interface SubstrateBlock {
  hash: string;
  /** The value of each storage key, both in hex. */
  storage: ReadonlyMap<string, string>;
}

export interface SubstrateEmulatorOptions extends EmulatorAddress {
  genesisHash?: string;
  tokenDecimals?: number;
  tokenSymbol?: string;
}

/** A Substrate node without a runtime: it responds from the storage it was given, block by block. */
export interface SubstrateEmulator extends HttpEmulator {
  /** Every block, all final. The index is the number. The first one exists from the start. */
  blocks: SubstrateBlock[];
  /** Adds a block in which these storage keys changed. A value of undefined deletes the key. */
  addBlock(changes: Iterable<readonly [place: string, value: string | undefined]>): SubstrateBlock;
}

const kusamaGenesis = '0xb0a8d493285c2df73290dfb7e61f870f17b41801197a149ca93654499ea3dafe';
const maxPlacesPerPage = 1_000;

export async function startSubstrateEmulator(options: SubstrateEmulatorOptions = {}): Promise<SubstrateEmulator> {
  const { genesisHash = kusamaGenesis, tokenDecimals = 12, tokenSymbol = 'KSM', ...address } = options;
  const blocks: SubstrateBlock[] = [{ hash: genesisHash, storage: new Map() }];
  const properties = { tokenDecimals, tokenSymbol };
  const emulator = await startHttpEmulator(({ body }) => ({ body: answer(body, blocks, properties) }), address);
  return {
    ...emulator,
    blocks,
    addBlock: (changes) => {
      const storage = new Map(blocks.at(-1)?.storage);
      for (const [place, value] of changes) {
        if (value === undefined) storage.delete(place);
        else storage.set(place, value);
      }
      const block = { hash: `0x${blocks.length.toString(16).padStart(64, 'b')}`, storage };
      blocks.push(block);
      return block;
    },
  };
}

class Refused extends Error {}

function answer(request: unknown, blocks: readonly SubstrateBlock[], properties: object): unknown {
  const { id = null, method, params = [] } = Object(request);
  try {
    return { jsonrpc: '2.0', id, result: run(String(method), Array.isArray(params) ? params : [], blocks, properties) };
  } catch (error) {
    const message = error instanceof Refused ? error.message : 'Internal error';
    return { jsonrpc: '2.0', id, error: { code: message === 'Method not found' ? -32601 : 4003, message } };
  }
}

function run(method: string, params: readonly unknown[], blocks: readonly SubstrateBlock[], properties: object) {
  const [first, second, third, fourth] = params;
  if (method === 'system_properties') return properties;
  if (method === 'chain_getFinalizedHead') return blocks.at(-1)?.hash;
  if (method === 'chain_getBlockHash')
    return blocks[first === undefined ? blocks.length - 1 : Number(first)]?.hash ?? null;
  if (method === 'chain_getHeader') return header(blockOf(first, blocks), blocks);
  if (method === 'state_getStorage') return blockOf(second, blocks).storage.get(String(first)) ?? null;
  if (method === 'state_queryStorageAt') {
    const { hash, storage } = blockOf(second, blocks);
    const places = Array.isArray(first) ? first.map(String) : [];
    return [{ block: hash, changes: places.map((place) => [place, storage.get(place) ?? null]) }];
  }
  if (method === 'state_getKeysPaged') return page(String(first), Number(second), third, blockOf(fourth, blocks));
  throw new Refused('Method not found');
}

function page(start: string, count: number, after: unknown, { storage }: SubstrateBlock): string[] {
  if (count > maxPlacesPerPage)
    throw new Refused(`count exceeds maximum value. value: ${count}, max: ${maxPlacesPerPage}`);
  const places = [...storage.keys()].filter((place) => place.startsWith(start)).toSorted();
  return places.filter((place) => typeof after !== 'string' || place > after).slice(0, count);
}

function header(block: SubstrateBlock, blocks: readonly SubstrateBlock[]) {
  const number = blocks.indexOf(block);
  const parentHash = blocks[number - 1]?.hash ?? `0x${'0'.repeat(64)}`;
  const root = `0x${'0'.repeat(64)}`;
  return {
    parentHash,
    number: `0x${number.toString(16)}`,
    stateRoot: root,
    extrinsicsRoot: root,
    digest: { logs: [] },
  };
}

function blockOf(hash: unknown, blocks: readonly SubstrateBlock[]): SubstrateBlock {
  const block = typeof hash === 'string' ? blocks.find((each) => each.hash === hash) : blocks.at(-1);
  if (block === undefined) throw new Refused(`Client error: UnknownBlock: State already discarded for ${String(hash)}`);
  return block;
}
