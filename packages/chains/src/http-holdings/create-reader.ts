import {
  baseOf,
  type Fetch,
  type JsonQuestion,
  type JsonReply,
  namesTokens,
  type Query,
  requestJson,
  ServiceFailed,
  unknown,
  unknownBecause,
  writeQuery,
} from '@latchkey/adapter-kit';
import type { Answer, BlockPoint, HeldToken, HoldingsReader, Question, ReadOptions } from '@latchkey/core/ports';
import { sumDecimals } from './decimal.ts';

export interface HttpHoldingsOptions {
  /** The base URLs of independent endpoints for each chain, by its CAIP-2 name: `{'tezos:mainnet': 'https://…'}`. */
  urls: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as the service requires. It never appears in a reason. */
  apiKey?: string;
  /** The time limit of one request to an endpoint, including retries. */
  timeoutMs?: number;
  fetch: Fetch;
}

type Ask = Pick<JsonQuestion, 'headers' | 'body' | 'answers'> & { query?: Query };

/** One endpoint of one chain, while it is used for one batch. */
export interface Session {
  chain: string;
  /** The block to read at, or undefined for the newest. Only set for protocols with history. */
  block: BlockPoint | undefined;
  /** Sends a request below the base URL. `path` begins with a slash or is empty. */
  ask(path: string, question?: Ask): Promise<JsonReply>;
}

interface Protocol {
  /** The display name of the service. */
  service: string;
  standards: readonly string[];
  /** Whether past blocks can be read. */
  hasHistory: boolean;
  /** The headers with the operator's key, if the service uses keys. */
  authorize?(apiKey: string): Readonly<Record<string, string>>;
  /** Answers questions of one chain, all at one block, in order. May throw, which makes all of them unknown. */
  read(questions: readonly Question[], session: Session): Promise<readonly Answer[]>;
}

/** Creates a reader over an HTTP protocol: groups by chain and block, falls back to the next endpoint, and requires the quorum. */
export function createHttpReader(protocol: Protocol, options: HttpHoldingsOptions): HoldingsReader {
  const endpoints = new Map(Object.entries(options.urls).map(([chain, urls]) => [chain, [urls].flat()]));
  return {
    reads: ({ chain, standard }) => endpoints.has(chain) && protocol.standards.includes(standard),
    read: async (questions, given = {}) => {
      const answers = questions.map((question) => refuse(protocol, question, given));
      const open = [...questions.entries()].filter(([index]) => answers[index] === undefined);
      const groups = Map.groupBy(
        open,
        ([, question]) => `${question.chain} ${blockFor(question, given)?.number ?? ''}`,
      );
      await Promise.all(
        [...groups.values()].map(async (group) => {
          const [first] = group;
          if (first === undefined) return;
          const { chain } = first[1];
          const block = blockFor(first[1], given);
          const urls = endpoints.get(chain) ?? [];
          const requested = group.map(([, question]) => question);
          const got = await readAgreed(protocol, { options, given, chain, urls, block }, requested);
          group.forEach(([index], place) => {
            answers[index] = got[place];
          });
        }),
      );
      return answers.map((answer) => answer ?? unknown(`${protocol.service} returned no result.`));
    },
  };
}

function blockFor({ chain, atBlock }: Question, given: ReadOptions): BlockPoint | undefined {
  return atBlock === undefined ? given.blocks?.get(chain) : { number: atBlock };
}

function refuse(protocol: Protocol, question: Question, given: ReadOptions): Answer | undefined {
  const { service } = protocol;
  if (question.leastSince !== undefined)
    return unknown(`${service} does not provide the minimum balance over a period.`);
  const block = blockFor(question, given);
  if (block && !protocol.hasHistory) return unknown(`${service} cannot be read at a past block.`);
  if (block && !/^\d{1,15}$/.test(block.number)) return unknown('The block to read at is not a number.');
  return undefined;
}

interface Place {
  options: HttpHoldingsOptions;
  given: ReadOptions;
  chain: string;
  urls: readonly string[];
  block: BlockPoint | undefined;
}

// The endpoints are read in sequence: those after the first are read at its block, and only for what is not agreed yet.
async function readAgreed(protocol: Protocol, place: Place, questions: readonly Question[]): Promise<Answer[]> {
  // With fewer endpoints than the quorum, all of them must agree.
  const quorum = Math.max(1, Math.min(place.given.quorum ?? 1, place.urls.length));
  const votes = questions.map((): Answer[] => []);
  let block = place.block;
  for (const url of place.urls) {
    const open = votes.flatMap((cast, index) => (agreed(cast, quorum) ? [] : [index]));
    if (open.length === 0) break;
    const requested = open.flatMap((index) => questions[index] ?? []);
    const got = await readFrom(protocol, url, { ...place, block }, requested);
    open.forEach((index, at) => {
      votes[index]?.push(got[at] ?? unknown(`${protocol.service} returned no result.`));
    });
    const read = got.find((answer) => answer.kind === 'read');
    if (protocol.hasHistory && read?.kind === 'read') block ??= read.block;
  }
  return votes.map((cast) => agreed(cast, quorum) ?? disagreement(protocol.service, cast));
}

async function readFrom(
  protocol: Protocol,
  url: string,
  place: Place,
  questions: readonly Question[],
): Promise<readonly Answer[]> {
  const { options, given, chain, block } = place;
  const base = baseOf(url);
  const { apiKey, fetch, timeoutMs } = options;
  const authorization = apiKey === undefined ? {} : protocol.authorize?.(apiKey);
  const common = { service: protocol.service, fetch, timeoutMs, signal: given.signal };
  const ask: Session['ask'] = (path, { query, headers, ...rest } = {}) =>
    requestJson(`${base}${path}${writeQuery(query)}`, {
      ...common,
      ...rest,
      headers: { ...authorization, ...headers },
    });
  try {
    return await protocol.read(questions, { chain, block, ask });
  } catch (error) {
    return questions.map(() => unknownBecause(error, protocol.service));
  }
}

/** Returns the answer that enough endpoints agree on. */
function agreed(votes: readonly Answer[], quorum: number): Answer | undefined {
  const read = votes.filter((vote) => vote.kind === 'read');
  return read.find((vote) => read.filter((other) => sameHolding(other) === sameHolding(vote)).length >= quorum);
}

function sameHolding({ amount, tokens = [] }: Extract<Answer, { kind: 'read' }>): string {
  return [amount, ...tokens.map((token) => `${token.id}=${token.amount}`).sort()].join('\n');
}

/** Returns why there is no result. */
function disagreement(service: string, votes: readonly Answer[]): Answer {
  const reason = votes.findLast((vote) => vote.kind === 'unknown')?.reason;
  return unknown(reason ?? `The ${service} endpoints disagree.`);
}

/** Returns an account's holding of a collection: the total, and the tokens if the question needs them. */
export function heldTokens(question: Question, tokens: readonly HeldToken[], block?: BlockPoint): Answer {
  const amount = sumDecimals(tokens.map((token) => token.amount));
  return { kind: 'read', amount, ...(namesTokens(question) && { tokens }), ...(block && { block }) };
}

/** Reads pages, numbered from 0, until the last. Fails with `tooMany` above `maxPages`: part of the holdings would look like too little. */
export async function readPages<Row>(
  { maxPages, tooMany }: { maxPages: number; tooMany: string },
  readPage: (page: number, before: readonly Row[]) => Promise<{ rows: readonly Row[]; isLast: boolean }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const { rows, isLast } = await readPage(page, all);
    all.push(...rows);
    if (isLast) return all;
  }
  throw new ServiceFailed(tooMany);
}
