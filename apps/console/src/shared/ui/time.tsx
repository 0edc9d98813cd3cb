const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const steps = [
  ['minute', 60],
  ['hour', 60],
  ['day', 24],
] as const;

/** A moment, in the reader's own zone and form: how long ago where that is what matters, and always the exact time. */
export function Time({ at, isRelative = false }: { at: string | Date; isRelative?: boolean }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {isRelative ? sayAgo(date, new Date()) : whole.format(date)}
    </time>
  );
}

export function sayAgo(date: Date, now: Date): string {
  let amount = Math.round((date.getTime() - now.getTime()) / 1_000);
  if (Math.abs(amount) < 45) return amount > 0 ? 'in a moment' : 'just now';
  let unit: Intl.RelativeTimeFormatUnit = 'second';
  for (const [larger, size] of steps) {
    if (Math.abs(amount) < size && unit !== 'second') break;
    amount = Math.round(amount / size);
    unit = larger;
    if (unit === 'day' && Math.abs(amount) > 30) return whole.format(date);
  }
  return ago.format(amount, unit);
}
