import {
  answerEach,
  distinct,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  namesTokens,
  ServiceFailed,
  textOf,
  unknown,
} from '@latchkey/adapter-kit';
import type { HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';
import { openSeaChains } from './chain-names.ts';

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
