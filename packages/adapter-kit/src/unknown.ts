import type { Answer, Question } from '@latchkey/core/ports';
import { observed } from '@latchkey/kernel';
import { Malformed } from './read-fields.ts';
import { ServiceFailed } from './request-json.ts';

export function unknown(reason: string): Answer {
  return { kind: 'unknown', reason };
}

/** Converts any failure to an unknown answer. Unexpected errors are not quoted: they may contain secrets. */
export function unknownBecause(error: unknown, service: string): Answer {
  if (error instanceof ServiceFailed) return unknown(error.message);
  if (error instanceof Malformed) {
    observed.malformedEntry.record({ source: service, kind: 'answer' });
    return unknown(`${service} sent a response that cannot be read: ${error.message}.`);
  }
  return unknown(`The response from ${service} could not be used.`);
}

/** Whether an answer must list the tokens. The caller decides which of them count. */
export function namesTokens({ needs, tokenIds }: Question): boolean {
  return needs !== 'amount' || tokenIds !== undefined;
}
