import { answerBatch, type QueryBatch } from '@latchkey/core/rule-files';

/** A server runs queries of rules in threads that it can stop. A page runs those of its own user’s file, within the same limits of time. */
export function createThreadPool() {
  return {
    hasRoom: () => true,
    run: (_caller: string, batch: QueryBatch) => answerBatch(batch),
    close: () => Promise.resolve(),
  };
}

/** No thread is opened, so none ends. */
export class ThreadEnded {}

export function openWorkerThread(): never {
  throw new Error('A page has no threads.');
}
