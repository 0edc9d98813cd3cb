import { unknown, unknownBecause } from '@latchkey/adapter-kit';
import type { Answer, Question } from '@latchkey/core/ports';

/** Answers questions of one kind, in order. May throw, which makes every answer of this kind unknown. */
export type ReadKind = (questions: readonly Question[]) => Promise<readonly Answer[]>;

/** Groups questions by kind and reads the groups concurrently. A kind that fails does not affect the others. */
export async function answerByKind<Kind extends string>(
  service: string,
  questions: readonly Question[],
  kindOf: (question: Question) => Kind,
  readers: Readonly<Record<Kind, ReadKind>>,
): Promise<Answer[]> {
  const answers = new Map<Question, Answer>();
  await Promise.all(
    [...Map.groupBy(questions, kindOf)].map(async ([kind, requested]) => {
      const failAll = (error: unknown) => requested.map(() => unknownBecause(error, service));
      const got = await readers[kind](requested).catch(failAll);
      for (const [place, question] of requested.entries()) {
        const answer = got[place];
        if (answer !== undefined) answers.set(question, answer);
      }
    }),
  );
  return questions.map((question) => answers.get(question) ?? unknown(`${service} returned no result.`));
}
