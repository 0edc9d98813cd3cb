const mostDigits = 6;

/** A decimal number in the reader's own form: `1,000,000.5`. What is not a number is shown unchanged. */
export function formatAmount(amount: string): string {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === undefined) return amount;
  const shown = fraction.slice(0, mostDigits).replace(/0+$/, '');
  if (shown === '' && /[1-9]/.test(fraction) && BigInt(whole) === 0n)
    return `< ${(10 ** -mostDigits).toLocaleString(undefined, { maximumFractionDigits: mostDigits })}`;
  const separator = (1.5).toLocaleString().charAt(1);
  return `${BigInt(whole).toLocaleString()}${shown === '' ? '' : `${separator}${shown}`}`;
}

/** How much of what is needed there is, from 0 to 1. Less than enough never looks like all of it. */
export function shareOf({ least, have }: { least: string; have?: string | undefined }, isMet: boolean): number {
  if (isMet) return 1;
  const [need, held] = [Number(least), Number(have ?? 0)];
  if (!(need > 0) || !(held > 0)) return 0;
  return Math.min(held / need, 0.99);
}
