import type { Answer, Question } from '@latchkey/core/ports';
import { observed } from '@latchkey/kernel';
import { Malformed } from './read-fields.ts';
import { ServiceFailed } from './request-json.ts';

export function unknown(reason: string): Answer {
  return { kind: 'unknown', reason };
}

/** Turns any failure into a result. Unexpected errors are not quoted: they may contain secrets. */
export function unknownBecause(error: unknown, service: string): Answer {
  if (error instanceof ServiceFailed) return unknown(error.message);
  if (error instanceof Malformed) {
    observed.malformedEntry.record({ source: service, kind: 'answer' });
    return unknown(`${service} sent an answer that cannot be read: ${error.message}.`);
  }
  return unknown(`The answer of ${service} could not be used.`);
}

/** Whether an answer must name the tokens. Which of them count is decided by who asked. */
export function namesTokens({ needs, tokenIds }: Question): boolean {
  return needs !== 'amount' || tokenIds !== undefined;
}
