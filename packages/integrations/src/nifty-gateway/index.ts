import {
  answerEach,
  digitsOf,
  distinct,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  namesTokens,
  ServiceFailed,
} from '@latchkey/adapter-kit';
import type { HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'Nifty Gateway';
const niftiesPerPage = 100;
const maxPages = 20;

/**
 * Reads `nifty` of `nifty:mainnet`: what Nifty Gateway stores for a user, whose name there is the account. The reference is a contract. It
 * uses the API that Nifty Gateway offers to applications, with the key as a bearer token. The response format is known from applications
 * that use it, not from a specification.
 */
export function createNiftyHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const reads: HoldingsReader['reads'] = ({ chain, standard }) => chain === 'nifty:mainnet' && standard === 'nifty';
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
  const read = (questions: readonly Question[], ask: Ask) =>
    answerEach(service, questions, async (question) => {
      const tokens = await readNifties(question, ask);
      return { kind: 'read', amount: String(tokens.length), ...(namesTokens(question) && { tokens }) };
    });
  return createHttpReader({ service, reads, headers, read }, options);
}

async function readNifties({ account, reference }: Question, ask: Ask): Promise<HeldToken[]> {
  const tokens: HeldToken[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const query = { contractAddress: reference, limit: String(niftiesPerPage), offset: String(page * niftiesPerPage) };
    const { body } = await ask(`/v1/users/${encodeURIComponent(account)}/nifties/`, { query });
    const { count, results } = fieldsOf(body, 'the answer');
    const list = listOf(results, 'the list of nifties');
    tokens.push(...list.map((nifty) => readNifty(nifty, reference)));
    const announced = Number(digitsOf(count, 'the number of nifties'));
    if (tokens.length >= announced) {
      const held = distinct(tokens, ({ id }) => id);
      if (held.length !== announced) throw new Malformed('the nifties do not match the announced count');
      return held;
    }
    if (list.length === 0) throw new Malformed('fewer nifties than announced');
  }
  throw new ServiceFailed('The account holds more nifties than the read limit.');
}

function readNifty(value: unknown, contract: string): HeldToken {
  const { contractAddress, tokenId } = fieldsOf(value, 'a nifty');
  if (String(contractAddress).toLowerCase() !== contract.toLowerCase())
    throw new Malformed('a nifty belongs to another contract');
  return { id: nameOf(tokenId, 'a token id'), amount: '1' };
}
