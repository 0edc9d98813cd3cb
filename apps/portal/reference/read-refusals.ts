import { type ErrorCode, errorCodes } from '@latchkey/kernel';
import { readCodeExamples } from '@latchkey/server/examples';
import type { Refusal } from './model.ts';
import { adviceByCode } from './operation-facts.ts';

/** A recorded refusal of each code, by code. */
export function readRefusals(): Record<string, Refusal> {
  return Object.fromEntries(
    Object.entries(readCodeExamples()).map(([code, { route, answer }]) => {
      const { status, meaning } = errorCodes[code as ErrorCode];
      return [code, { code, status, meaning, advice: adviceByCode().get(code) ?? '', body: answer.body, route }];
    }),
  );
}
