import { baseOf, fieldsOf, listOf, requestJson, textOf } from '@latchkey/adapter-kit';
import type { HttpHoldingsOptions } from '../http-holdings/index.ts';
import { openSeaChains } from './chain-names.ts';

export interface CollectionContract {
  /** In CAIP-2 form: `evm:1`. */
  chain: string;
  address: string;
}

/** Finds the contracts behind the slug of a collection, so that its tokens can be read from the chain itself. */
export type FindCollectionContracts = (slug: string, signal?: AbortSignal) => Promise<readonly CollectionContract[]>;

/** Reads the contracts of a collection from OpenSea. Throws a readable reason if OpenSea is unavailable or does not know the slug. */
export function createCollectionFinder(options: HttpHoldingsOptions): FindCollectionContracts {
  const { url, apiKey, timeoutMs, fetch } = options;
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  const chainOf = (name: unknown) => [...openSeaChains].find(([, known]) => known === name)?.[0];
  return async (slug, signal) => {
    const address = `${baseOf(url)}/api/v2/collections/${encodeURIComponent(slug)}`;
    const question = { service: 'OpenSea', fetch, timeoutMs, signal, headers };
    const { body } = await requestJson(address, question);
    return listOf(fieldsOf(body, 'the collection').contracts, 'the list of contracts').flatMap((value) => {
      const contract = fieldsOf(value, 'a contract');
      const chain = chainOf(contract.chain);
      return chain === undefined ? [] : [{ chain, address: textOf(contract.address, 'an address') }];
    });
  };
}
