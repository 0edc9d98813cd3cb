import { maxTextLength } from './limits.ts';
import { QueryFailed } from './query-failed.ts';
import { noPicture, pictureFunctions } from './refuse-forms.ts';

const isoTime = /^\d{4}(-[01]\d)?(-[0-3]\d)?(T[0-2]\d:[0-5]\d:[0-5]\d)?(\.\d+)?([+-][0-2]\d:?[0-5]\d|Z)?$/;

/**
 * Functions of JSONata that a query gets in another form. The same question must have the same answer: no chance, no
 * clock but the one given, no program made of data. And none may run without end inside one step.
 */
export function fixedFunctions(now: Date): Record<string, unknown> {
  return {
    now: () => now.toISOString(),
    millis: () => now.getTime(),
    random: refuse('A query has no $random.'),
    shuffle: refuse('A query has no $shuffle.'),
    eval: refuse('A query has no $eval.'),
    ...Object.fromEntries(pictureFunctions.map((name) => [name, refuse(`${noPicture}: leave out $${name}.`)])),
    toMillis,
    fromMillis,
    pad,
    distinct: (list: unknown) =>
      Array.isArray(list) ? [...new Map(list.map((item) => [JSON.stringify(item), item])).values()] : list,
  };
}

function refuse(message: string) {
  return () => {
    throw new QueryFailed(message, 'refused');
  };
}

// As in JSONata, a call without a value takes the one it is applied to.
function toMillis(this: unknown, ...given: unknown[]): number | undefined {
  const [text, picture] = given.length === 0 ? [this] : given;
  refusePicture('toMillis', picture);
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !isoTime.test(text)) throw new QueryFailed('$toMillis needs a time by ISO 8601.');
  return Date.parse(text);
}

function fromMillis(this: unknown, ...given: unknown[]): string | undefined {
  const [ms, picture, timezone] = given.length === 0 ? [this] : given;
  refusePicture('fromMillis', picture ?? timezone);
  if (ms === undefined) return undefined;
  const time = new Date(typeof ms === 'number' ? ms : Number.NaN);
  if (Number.isNaN(time.getTime())) throw new QueryFailed('$fromMillis needs the milliseconds of a time.');
  return time.toISOString();
}

function refusePicture(name: string, picture: unknown): void {
  if (picture !== undefined) throw new QueryFailed(`${noPicture}: $${name} takes one value.`, 'refused');
}

function pad(text: unknown, width: unknown, fill: unknown = ' '): string {
  if (typeof width !== 'number' || Math.abs(width) > maxTextLength) throw new QueryFailed('$pad is too wide.', 'limit');
  const padded = String(text);
  return width < 0 ? padded.padStart(-width, String(fill)) : padded.padEnd(width, String(fill));
}
