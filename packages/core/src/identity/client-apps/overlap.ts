import { AppError, addSeconds, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

/** A week: long enough for every deployment, too short for an old secret to be forgotten. */
const maxOverlapSeconds = 7 * 24 * 60 * 60;

export function overlapSeconds(description: string) {
  return T.Optional(T.Integer({ description, format: 'int32', minimum: 0, maximum: maxOverlapSeconds }));
}

/**
 * Returns when the replaced secret ends; undefined for immediately. While an earlier one still works, a second overlap
 * is refused: it would be unclear which of three secrets a program uses.
 */
export function overlapEnd(
  { clock }: Pick<Context, 'clock'>,
  seconds: number | undefined,
  what: 'key' | 'secret',
  presentEnd: Date | null | undefined,
): Date | undefined {
  const now = clock();
  if (seconds === undefined || seconds === 0) return undefined;
  if (presentEnd && presentEnd > now)
    throw new AppError(
      'STATE_CONFLICT',
      `The old ${what} still works until ${presentEnd.toISOString()}. Wait until then, or replace both at once with an overlap of 0 seconds.`,
    );
  return addSeconds(now, seconds);
}
