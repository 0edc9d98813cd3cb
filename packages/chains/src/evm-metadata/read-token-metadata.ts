import type { CollectionAnswer, ContractAnswer, TokenMetadataReader } from '@latchkey/core/ports';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView } from '../evm-holdings/chain-view.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from '../evm-holdings/evm-chain.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { pinNewest } from '../evm-holdings/pin-block.ts';
import { createLogSearch } from '../evm-holdings/read-logs.ts';
import { createDescribeToken, type MetadataOptions } from '../evm-holdings/read-metadata.ts';
import { type DescribeToken, toHexAddress } from '../evm-holdings/reading.ts';
import { Unreadable } from '../evm-holdings/unreadable.ts';
import { describeContract } from './describe-contract.ts';
import { listTokens } from './list-tokens.ts';
import { readControl } from './read-control.ts';

export interface EvmTokenMetadataOptions extends EvmChainsOptions {
  /** How documents behind token URIs are fetched; without it only those within the URI are read. */
  metadata?: MetadataOptions | undefined;
}

type Unknown = { kind: 'unknown'; reason: string };

/** Reads what token contracts and their tokens say of themselves, at the newest block of their chain. */
export function createEvmTokenMetadata(options: EvmTokenMetadataOptions): TokenMetadataReader {
  const findChain = createEvmChains(options);
  const describe = createDescribeToken(options.metadata ?? {});
  return {
    reads: (chain) => findChain(chain) !== undefined,
    read: async (chain, contracts, signal) => {
      const answers = await look(findChain(chain), signal, (view) =>
        Promise.all(contracts.map((contract) => readContract(view, contract))),
      );
      return Array.isArray(answers) ? answers : contracts.map(() => answers);
    },
    readCollection: async (chain, contract, { limit, signal }) =>
      look(findChain(chain), signal, (view) => readCollection(view, describe, contract, limit)),
    readControl: async (chain, contract, accounts, signal) => {
      const address = toHexAddress(contract);
      if (address === undefined) return { kind: 'not-controlled' };
      return look(findChain(chain), signal, (view) => readControl(view, address, accounts));
    },
  };
}

async function look<T>(
  chain: EvmChain | undefined,
  signal: AbortSignal | undefined,
  read: (view: ChainView) => Promise<T>,
): Promise<T | Unknown> {
  if (chain === undefined) return { kind: 'unknown', reason: 'No node of this chain is set.' };
  try {
    const block = await pinNewest(chain, { quorum: 1, signal });
    return await read(createChainView(chain, block, { quorum: 1, signal }));
  } catch (error) {
    return unknownBecause(error);
  }
}

async function readContract(view: ChainView, contract: string): Promise<ContractAnswer> {
  const address = toHexAddress(contract);
  if (address === undefined) return { kind: 'read', metadata: {} };
  try {
    return { kind: 'read', metadata: await describeContract(view, address) };
  } catch (error) {
    return unknownBecause(error);
  }
}

async function readCollection(
  view: ChainView,
  describe: DescribeToken,
  contract: string,
  limit: number,
): Promise<CollectionAnswer> {
  const address = toHexAddress(contract);
  const list = address && (await listTokens(view, address, limit));
  if (address === undefined || list === undefined) return { kind: 'none' };
  const reading = readingOf(view, address, describe);
  const tokens = await Promise.all(
    list.ids.map((id) => describe(reading, { id: id.toString(), amount: '1' }, list.uriFunction)),
  );
  const documents = tokens.flatMap(({ metadata }) => metadata ?? []);
  return { kind: 'read', documents, missing: tokens.length - documents.length, left: list.left };
}

/** Describing tokens is part of reading what somebody holds; here nobody in particular is asked about. */
function readingOf(view: ChainView, contract: Hex, describe: DescribeToken): Parameters<DescribeToken>[0] {
  const nobody = '0x0000000000000000000000000000000000000000';
  const question = {
    chain: view.chain.name,
    standard: '',
    reference: contract,
    account: nobody,
    needs: 'metadata',
  } as const;
  return { view, question, account: nobody, ids: undefined, searchLogs: createLogSearch(view), describe };
}

// Errors nobody foresaw are not quoted: they may hold an address with a key in it.
function unknownBecause(error: unknown): Unknown {
  const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
  return { kind: 'unknown', reason: isForeseen ? error.message : 'The answer of the node could not be used.' };
}
