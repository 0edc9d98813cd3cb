import { AppError, addDays, parseTime } from '@latchkey/kernel';
import type { Span } from '../../communities/usage/index.ts';

const daysOf: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 };
const defaultRange = '30d';

/** The valid values of `range`, for descriptions and errors. */
export const rangeForms = `${Object.keys(daysOf).join(', ')}, all, or two times in ISO 8601 form with a slash between them`;

/** The period of a range, up to now unless it has an end. */
export function spanOf(range: string | undefined, now: Date): Span {
  const text = range ?? defaultRange;
  if (text === 'all') return { to: now };
  const days = Object.hasOwn(daysOf, text) ? daysOf[text] : undefined;
  if (days !== undefined) return { from: addDays(now, -days), to: now };
  const [from, to, ...more] = text.split('/').map(timeOf);
  if (from === undefined || to === undefined || more.length > 0 || from >= to) throw refused();
  return { from, to };
}

function timeOf(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text))
    return undefined;
  return parseTime(text);
}

function refused(): AppError {
  return new AppError('INVALID_PARAMETER_VALUE', `The range must be one of ${rangeForms}.`, {
    details: { parameter: 'range' },
  });
}
