import { t } from '../../messages/index.ts';

const mostDigits = 6;

/** A decimal number as the language of the page writes it: `1,000,000.5`. What is not a number is shown unchanged. */
export function formatAmount(amount: string): string {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === undefined) return amount;
  const shown = fraction.slice(0, mostDigits);
  if (/[1-9]/.test(fraction) && !/[1-9]/.test(whole + shown))
    return `< ${t.decimal((10 ** -mostDigits).toFixed(mostDigits))}`;
  return t.decimal(shown === '' ? whole : `${whole}.${shown}`);
}

/** How much of what is needed there is, from 0 to 1. Less than enough never looks like all of it. */
export function shareOf({ least, have }: { least: string; have?: string | undefined }, isMet: boolean): number {
  if (isMet) return 1;
  const [need, held] = [Number(least), Number(have ?? 0)];
  if (!(need > 0) || !(held > 0)) return 0;
  return Math.min(held / need, 0.99);
}
