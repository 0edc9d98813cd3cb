import {
  baseOf,
  type Fetch,
  type JsonQuestion,
  type JsonReply,
  type Query,
  requestJson,
  unknown,
  unknownBecause,
  writeQuery,
} from '@latchkey/adapter-kit';
import type { Answer, HoldingsReader, Question } from '@latchkey/core/ports';

export interface HttpHoldingsOptions {
  /** The base URL of the service. */
  url: string;
  /** Sent as the service requires. It never appears in a reason. */
  apiKey?: string;
  /** The time limit of one request to the service, including retries. */
  timeoutMs?: number;
  fetch: Fetch;
}

export type Ask = (
  path: string,
  question?: Pick<JsonQuestion, 'body' | 'answers'> & { query?: Query },
) => Promise<JsonReply>;

interface Protocol {
  /** The display name of the service. */
  service: string;
  reads(question: Pick<Question, 'chain' | 'standard'>): boolean;
  headers?: Readonly<Record<string, string>>;
  /** Answers questions in order. May throw, which makes all of them unknown. */
  read(questions: readonly Question[], ask: Ask): Promise<readonly Answer[]>;
}

/**
 * Creates a reader of a service that exists once and has no blocks: it is its own authority, so a quorum does not apply, and neither do
 * blocks that are set for its chain.
 */
export function createHttpReader(protocol: Protocol, options: HttpHoldingsOptions): HoldingsReader {
  const { service, headers } = protocol;
  const { fetch, timeoutMs } = options;
  const base = baseOf(options.url);
  return {
    reads: protocol.reads,
    read: async (questions, { signal } = {}) => {
      const ask: Ask = (path, { query, ...rest } = {}) =>
        requestJson(`${base}${path}${writeQuery(query)}`, { service, fetch, timeoutMs, signal, headers, ...rest });
      const open = questions.filter((question) => !asksForPast(question));
      const got = await protocol
        .read(open, ask)
        .catch((error: unknown) => open.map(() => unknownBecause(error, service)));
      const answers = new Map(open.map((question, place) => [question, got[place]]));
      return questions.map((question) => {
        if (asksForPast(question)) return unknown(`${service} does not provide past holdings.`);
        return answers.get(question) ?? unknown(`${service} returned no result.`);
      });
    },
  };
}

function asksForPast({ atBlock, leastSince }: Question): boolean {
  return atBlock !== undefined || leastSince !== undefined;
}
