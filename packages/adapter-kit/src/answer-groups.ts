import type { Answer, Question } from '@latchkey/core/ports';
import { unknown, unknownBecause } from './unknown.ts';

// So many requests are under way at once; public endpoints do not like more.
const width = 8;

export interface Grouping {
  /** Questions of one key share a request. */
  keyOf: (question: Question) => string;
  /** At most so many questions in one request. */
  size?: number;
}

/** Answers group by group, a few at a time. A group that fails is unknown for itself alone. */
export async function answerGroups(
  service: string,
  questions: readonly Question[],
  { keyOf, size = questions.length }: Grouping,
  read: (group: readonly [Question, ...Question[]]) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const answers = new Map<Question, Answer>();
  const left = [...Map.groupBy(questions, keyOf).values()].flatMap((group) => inChunks(group, size)).values();
  const work = async () => {
    for (const group of left) {
      const [first, ...others] = group;
      if (first === undefined) continue;
      const got = await read([first, ...others]).catch((error: unknown) =>
        group.map(() => unknownBecause(error, service)),
      );
      group.forEach((question, place) => {
        answers.set(question, got[place] ?? unknown(`${service} gave no answer.`));
      });
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return questions.map((question) => answers.get(question) ?? unknown(`${service} gave no answer.`));
}

/** Answers one by one where a protocol has no batches. */
export function answerEach(
  service: string,
  questions: readonly Question[],
  answer: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  let place = 0;
  const alone = { keyOf: () => String(place++) };
  return answerGroups(service, questions, alone, async ([question]) => [await answer(question)]);
}

/** Answers questions out of what was read for all of them. One that cannot be answered is unknown for itself alone. */
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

/** Asks once for what several questions need. */
export function once<Value>(ask: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const asked = new Map<string, Promise<Value>>();
  return (key) => {
    const known = asked.get(key) ?? ask(key);
    asked.set(key, known);
    return known;
  };
}

function inChunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size));
}
