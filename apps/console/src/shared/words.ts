// How the console writes numbers and dates. Plurals are in the messages.
import { t } from './messages/index.ts';

/** `$4.99`; an amount is in the smallest unit of the currency. */
export function formatMoney(amount: number, currency: string): string {
  const value = amount / 10 ** currencyDigits(currency);
  try {
    return new Intl.NumberFormat(t.locale, { style: 'currency', currency }).format(value);
  } catch {
    return `${value} ${currency}`;
  }
}

/** Returns the number of decimal places of a currency. */
export function currencyDigits(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Formats a token amount in its smallest units in full: `1,000,000.5`. Anything that is not a number is shown unchanged. */
export function formatUnits(units: string, decimals: number): string {
  if (!/^\d+$/.test(units)) return units;
  const digits = units.padStart(decimals + 1, '0');
  const whole = t.decimal(String(BigInt(digits.slice(0, digits.length - decimals))));
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? whole : t('common.amount', { whole, fraction });
}

// The console is read in English by people all over the world, so their browser decides how it writes dates. The zone is named, because
// admins in several zones quote these times to each other.
const time = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const ago = new Intl.RelativeTimeFormat(t.locale, { numeric: 'auto' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

export const formatTime = (date: Date): string => time.format(date);
export const formatExactTime = (date: Date): string => exactTime.format(date);

const steps = [
  ['minute', 60],
  ['hour', 60],
  ['day', 24],
] as const;

export function formatTimeAgo(date: Date, now: Date): string {
  let amount = Math.round((date.getTime() - now.getTime()) / 1_000);
  if (Math.abs(amount) < 45) return t(amount > 0 ? 'time.soon' : 'time.justNow');
  let unit: Intl.RelativeTimeFormatUnit = 'second';
  for (const [larger, size] of steps) {
    if (Math.abs(amount) < size && unit !== 'second') break;
    amount = Math.round(amount / size);
    unit = larger;
    if (unit === 'day' && Math.abs(amount) > 30) return time.format(date);
  }
  return ago.format(amount, unit);
}

/** Formats a UTC day, such as `2026-02-03`: days are counted in UTC, so they are shown in UTC too. */
export function formatDay(text: string, isShort = false): string {
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? text : (isShort ? shortDay : day).format(date);
}

/** Parses a typed amount to the smallest units; undefined if it is not an amount, or has too many decimals. */
export function toUnits(typed: string, decimals: number): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,60})(?:\.(\d+))?$/.exec(typed.trim()) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units > 0n ? String(units) : undefined;
}

export const coinDecimals = 18;
