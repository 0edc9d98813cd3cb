import type { Answer, Question } from '@latchkey/core/ports';
import { Malformed } from './read-fields.ts';
import { unknown, unknownBecause } from './unknown.ts';

// At most this many requests run at once, because public endpoints limit concurrency.
const width = 8;

/** Questions that share a request. Never empty. */
export type QuestionGroup = readonly [Question, ...Question[]];

export interface Grouping {
  /** Questions with the same key share a request. */
  keyOf: (question: Question) => string;
  /** The maximum number of questions in one request. */
  size?: number;
}

/**
 * Answers questions group by group, a few at a time. A failed group does not affect the others. A group with a malformed response is halved
 * until the account that causes it is alone.
 */
export async function answerGroups(
  service: string,
  questions: readonly Question[],
  { keyOf, size = questions.length }: Grouping,
  read: (group: QuestionGroup) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const answers = new Map<Question, Answer>();
  const left = [...Map.groupBy(questions, keyOf).values()].flatMap((group) => inChunks(group, size)).values();
  const work = async () => {
    for (const group of left) {
      const [first, ...others] = group;
      if (first === undefined) continue;
      const got = await readOrHalve(service, [first, ...others], read);
      for (const [question, answer] of got) answers.set(question, answer);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return questions.map((question) => answers.get(question) ?? unknown(`${service} returned no result.`));
}

async function readOrHalve(
  service: string,
  group: QuestionGroup,
  read: (group: QuestionGroup) => Promise<readonly Answer[]>,
): Promise<[Question, Answer][]> {
  try {
    const got = await read(group);
    return group.map((question, place) => [question, got[place] ?? unknown(`${service} returned no result.`)]);
  } catch (error) {
    const accounts = [...new Set(group.map(({ account }) => account))];
    if (!(error instanceof Malformed) || accounts.length === 1) {
      const answer = unknownBecause(error, service);
      return group.map((question) => [question, answer]);
    }
    const half = new Set(accounts.slice(0, accounts.length / 2));
    const halves = Map.groupBy(group, ({ account }) => half.has(account)).values();
    const answers: [Question, Answer][] = [];
    for (const [first, ...others] of halves)
      if (first !== undefined) answers.push(...(await readOrHalve(service, [first, ...others], read)));
    return answers;
  }
}

/** Answers questions one by one, for protocols without batches. */
export function answerEach(
  service: string,
  questions: readonly Question[],
  answer: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  let place = 0;
  const alone = { keyOf: () => String(place++) };
  return answerGroups(service, questions, alone, async ([question]) => [await answer(question)]);
}

/** Answers questions from data that was read for all of them. A question that cannot be answered does not affect the others. */
export function toAnswers(
  service: string,
  group: readonly Question[],
  answer: (question: Question) => Answer,
): readonly Answer[] {
  return group.map((question) => {
    try {
      return answer(question);
    } catch (error) {
      return unknownBecause(error, service);
    }
  });
}

/** Requests data that several questions need only once. */
export function once<Value>(ask: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const requests = new Map<string, Promise<Value>>();
  return (key) => {
    const known = requests.get(key) ?? ask(key);
    requests.set(key, known);
    return known;
  };
}

function inChunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size));
}
