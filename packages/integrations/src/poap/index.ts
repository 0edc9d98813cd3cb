import {
  answerEach,
  digitsOf,
  distinct,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  namesTokens,
  once,
  ServiceFailed,
  textOf,
  unknown,
} from '@latchkey/adapter-kit';
import type { Answer, HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'POAP';
const holdsNone = /^Address does(n't| not) have/;

/** Reads `poap` of `poap:poap` from the POAP API. The reference is an event id, or `*` for any. The key is sent as X-API-Key. */
export function createPoapHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const reads: HoldingsReader['reads'] = ({ chain, standard }) => chain === 'poap:poap' && standard === 'poap';
  const headers: Record<string, string> = options.apiKey === undefined ? {} : { 'x-api-key': options.apiKey };
  const read = (questions: readonly Question[], ask: Ask) => {
    const listOnce = once((account) => readAll(account, ask));
    // One event is requested directly; for several, the list of everything held is a single request.
    const requested = Map.groupBy(questions, ({ account }) => account);
    return answerEach(service, questions, async (question) => {
      const { account, reference } = question;
      if (reference !== '*' && !/^\d{1,12}$/.test(reference)) return unknown('A POAP event id must be a number.');
      const isAlone = reference !== '*' && requested.get(account)?.length === 1;
      return answerFor(question, isAlone ? await readEvent(question, ask) : await listOnce(account));
    });
  };
  return createHttpReader({ service, reads, headers, read }, options);
}

async function readAll(account: string, ask: Ask): Promise<readonly Held[]> {
  const { body } = await ask(`/actions/scan/${encodeURIComponent(account)}`);
  return distinct(listOf(body, 'the list of tokens').map(readToken), ({ token }) => token.id);
}

async function readEvent({ account, reference }: Question, ask: Ask): Promise<readonly Held[]> {
  const { status, body } = await ask(`/actions/scan/${encodeURIComponent(account)}/${reference}`, { answers: [404] });
  if (status !== 404) return [readToken(body)];
  // Any server returns 404 for a wrong URL; only POAP's message makes it an answer.
  const { message } = fieldsOf(body, 'the answer');
  if (typeof message !== 'string' || !holdsNone.test(message))
    throw new ServiceFailed(`${service} was not found there.`);
  return [];
}

interface Held {
  event: string;
  owner: string;
  token: { id: string; amount: string };
}

function readToken(value: unknown): Held {
  const { event, tokenId, owner } = fieldsOf(value, 'a token');
  const eventId = digitsOf(fieldsOf(event, 'an event').id, 'the number of an event');
  return {
    event: eventId,
    owner: textOf(owner, 'the owner'),
    token: { id: nameOf(tokenId, 'a token id'), amount: '1' },
  };
}

function answerFor(question: Question, held: readonly Held[]): Answer {
  const { account, reference } = question;
  if (held.some(({ owner }) => owner.toLowerCase() !== account.toLowerCase()))
    throw new Malformed('a token belongs to another owner');
  const tokens = held.filter(({ event }) => reference === '*' || event === reference).map(({ token }) => token);
  return { kind: 'read', amount: String(tokens.length), ...(namesTokens(question) && { tokens }) };
}
