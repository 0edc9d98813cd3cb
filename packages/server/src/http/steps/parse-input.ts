import { AppError } from '@latchkey/kernel';
import type { Visit } from '../visit.ts';

/** Validates parameters and body by the contract, before the verb runs. */
export function parseInput(visit: Visit): void {
  visit.input = visit.compiled.readParams(visit.request);
  if (visit.operation.body !== undefined) {
    const { value, warnings } = visit.compiled.readBody(visit.request);
    visit.input.body = value;
    visit.warnings = warnings;
  }
  visit.idempotencyKey = readIdempotencyKey(visit);
}

function readIdempotencyKey({ operation, request }: Visit): string | undefined {
  const key = request.headers['idempotency-key'];
  if (operation.contract.repeatable !== true || key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError(
      'INVALID_IDEMPOTENCY_KEY',
      'The Idempotency-Key must be 1 to 255 printable characters without spaces.',
    );
  }
  return key;
}
