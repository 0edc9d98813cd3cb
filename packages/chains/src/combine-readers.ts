import type { Answer, HoldingsReader, Question, ReadOptions } from '@latchkey/core/ports';

/**
 * Combines readers into one. Each question goes to the first reader that supports its chain and standard, and each reader is called once.
 */
export function combineReaders(readers: readonly HoldingsReader[]): HoldingsReader {
  const readerOf = (question: Pick<Question, 'chain' | 'standard'>) => readers.find((reader) => reader.reads(question));
  return {
    reads: (question) => readerOf(question) !== undefined,
    read: async (questions, options) => {
      const answers: Answer[] = questions.map(unreadable);
      const byReader = Map.groupBy(questions.keys(), (index) => {
        const question = questions[index];
        return question && readerOf(question);
      });
      await Promise.all(
        [...byReader].map(async ([reader, indexes]) => {
          if (reader === undefined) return;
          const requested = indexes.flatMap((index) => questions[index] ?? []);
          const got = await readOrUnknown(reader, requested, options);
          indexes.forEach((index, place) => {
            answers[index] = got[place] ?? { kind: 'unknown', reason: 'The reader returned no result.' };
          });
        }),
      );
      return answers;
    },
  };
}

function unreadable({ chain, standard }: Question): Answer {
  return { kind: 'unknown', reason: `No node or service is configured that reads ${standard} on ${chain}.` };
}

// A failure in one adapter must not affect the answers of the others.
async function readOrUnknown(
  reader: HoldingsReader,
  questions: readonly Question[],
  options: ReadOptions | undefined,
): Promise<readonly Answer[]> {
  try {
    return await reader.read(questions, options);
  } catch {
    return questions.map(() => ({ kind: 'unknown', reason: 'The reader of this chain failed.' }));
  }
}
