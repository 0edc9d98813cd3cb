import {
  answerEach,
  baseOf,
  distinct,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  namesTokens,
  requestJson,
  ServiceFailed,
  textOf,
  unknown,
} from '@latchkey/adapter-kit';
import type { HeldToken, HoldingsReader, Marketplace, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'OpenSea';

const tokensPerPage = 200;

const maxPages = 25;

/**
 * Reads `opensea` on EVM chains: how many tokens of a collection (its slug) an account holds, through OpenSea's API version 2. Several
 * copies of a token count once, because OpenSea does not return their number. The key is sent as X-API-KEY.
 */
export function createOpenSeaHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const reads: HoldingsReader['reads'] = ({ chain, standard }) => openSeaChains.has(chain) && standard === 'opensea';
  const headers: Record<string, string> = options.apiKey === undefined ? {} : { 'x-api-key': options.apiKey };
  const read = (questions: readonly Question[], ask: Ask) =>
    answerEach(service, questions, async (question) => {
      if (!/^[\w.-]{1,200}$/.test(question.reference)) return unknown('Identify an OpenSea collection by its slug.');
      const tokens = await readTokens(question, ask);
      return { kind: 'read', amount: String(tokens.length), ...(namesTokens(question) && { tokens }) };
    });
  return createHttpReader({ service, reads, headers, read }, options);
}

async function readTokens({ chain, account, reference }: Question, ask: Ask): Promise<HeldToken[]> {
  const path = `/api/v2/chain/${openSeaChains.get(chain)}/account/${encodeURIComponent(account)}/nfts`;
  const found: { contract: string; token: HeldToken }[] = [];
  let next: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { body } = await ask(path, { query: { collection: reference, limit: String(tokensPerPage), next } });
    const { nfts, next: cursor } = fieldsOf(body, 'the answer');
    found.push(...listOf(nfts, 'the list of tokens').map((nft) => readToken(nft, reference)));
    if (cursor === undefined || cursor === null || cursor === '')
      return distinct(found, ({ contract, token }) => `${contract} ${token.id}`).map(({ token }) => token);
    next = textOf(cursor, 'the cursor');
  }
  throw new ServiceFailed('The account holds more tokens than the read limit.');
}

function readToken(value: unknown, slug: string): { contract: string; token: HeldToken } {
  const { identifier, collection, contract, metadata_url: uri } = fieldsOf(value, 'a token');
  if (collection !== slug) throw new Malformed('a token belongs to another collection');
  const id = nameOf(identifier, 'a token id');
  const token = { id, amount: '1', ...(typeof uri === 'string' && uri !== '' && { uri }) };
  return { contract: nameOf(contract, 'a contract'), token };
}

/** OpenSea's names of the EVM chains. */
export const openSeaChains: ReadonlyMap<string, string> = new Map([
  ['evm:1', 'ethereum'],
  ['evm:10', 'optimism'],
  ['evm:130', 'unichain'],
  ['evm:137', 'matic'],
  ['evm:1329', 'sei'],
  ['evm:1868', 'soneium'],
  ['evm:2020', 'ronin'],
  ['evm:2741', 'abstract'],
  ['evm:8453', 'base'],
  ['evm:33139', 'ape_chain'],
  ['evm:42161', 'arbitrum'],
  ['evm:43114', 'avalanche'],
  ['evm:80094', 'bera_chain'],
  ['evm:81457', 'blast'],
  ['evm:7777777', 'zora'],
]);

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

/** Reads the profiles of accounts on OpenSea through its API version 2. The key is sent as X-API-KEY. */
export function createOpenSeaMarketplace({ url, apiKey, timeoutMs, fetch }: HttpHoldingsOptions): Marketplace {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  return {
    readProfile: async (account, signal) => {
      const profileUrl = `${baseOf(url)}/api/v2/accounts/${encodeURIComponent(account)}`;
      try {
        const question = { service: 'OpenSea', fetch, timeoutMs, signal, headers, answers: [404] };
        const { status, body } = await requestJson(profileUrl, question);
        if (status === 404) return { kind: 'none' };
        const { address, bio } = fieldsOf(body, 'the account');
        // OpenSea also accepts user names; the profile of another account must not be used for this one.
        if (typeof address !== 'string' || address.toLowerCase() !== account.toLowerCase())
          throw new Malformed('it is about another account');
        return typeof bio === 'string' && bio !== '' ? { kind: 'read', text: bio } : { kind: 'none' };
      } catch (error) {
        if (error instanceof ServiceFailed) return { kind: 'unknown', reason: error.message };
        if (error instanceof Malformed) return { kind: 'unknown', reason: `OpenSea cannot be read: ${error.message}.` };
        throw error;
      }
    },
  };
}
