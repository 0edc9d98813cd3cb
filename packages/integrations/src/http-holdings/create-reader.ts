import type { Answer, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  type Fetch,
  type JsonQuestion,
  type JsonReply,
  Malformed,
  requestJson,
  ServiceFailed,
} from './json-over-http.ts';

export interface HttpHoldingsOptions {
  /** The base address of the service. */
  url: string;
  /** Sent as the service wants it; it stands in no reason. */
  apiKey?: string;
  /** The time for one question to the service, with its repetitions. */
  timeoutMs?: number;
  fetch?: Fetch;
}

export type Ask = (
  path: string,
  question?: Pick<JsonQuestion, 'body' | 'answers'> & { query?: Readonly<Record<string, string | undefined>> },
) => Promise<JsonReply>;

export interface Protocol {
  /** What people call the service. */
  service: string;
  reads(question: Pick<Question, 'chain' | 'standard'>): boolean;
  headers?: Readonly<Record<string, string>>;
  /** Answers questions in their order. May throw: then none of them is known. */
  read(questions: readonly Question[], ask: Ask): Promise<readonly Answer[]>;
}

const width = 8;

/**
 * A reader over a service that exists once and has no blocks: it is its own authority, so a quorum means nothing to it, and
 * blocks that are set for its chain are not for it.
 */
export function createHttpReader(protocol: Protocol, options: HttpHoldingsOptions): HoldingsReader {
  const { service, headers } = protocol;
  const { fetch, timeoutMs } = options;
  const base = options.url.replace(/\/+$/, '');
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
        if (asksForPast(question)) return unknown(`${service} cannot tell what was held in the past.`);
        return answers.get(question) ?? unknown(`${service} gave no answer.`);
      });
    },
  };
}

/** Answers one by one, a few at a time. What fails is unknown for itself alone. */
export async function answerEach(
  service: string,
  questions: readonly Question[],
  answer: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = questions.entries();
  const work = async () => {
    for (const [index, question] of left) {
      answers[index] = await answer(question).catch((error: unknown) => unknownBecause(error, service));
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return answers;
}

export function unknown(reason: string): Answer {
  return { kind: 'unknown', reason };
}

/** Turns whatever went wrong into an answer. Errors nobody foresaw are not quoted: they may hold what must not be seen. */
function unknownBecause(error: unknown, service: string): Answer {
  if (error instanceof ServiceFailed) return unknown(error.message);
  if (error instanceof Malformed) return unknown(`${service} sent an answer that cannot be read: ${error.message}.`);
  return unknown(`The answer of ${service} could not be used.`);
}

/** Whether an answer must name the tokens. Which of them count is decided by who asked. */
export function namesTokens({ needs, tokenIds }: Question): boolean {
  return needs !== 'amount' || tokenIds !== undefined;
}

function asksForPast({ atBlock, leastSince }: Question): boolean {
  return atBlock !== undefined || leastSince !== undefined;
}

function writeQuery(query: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
