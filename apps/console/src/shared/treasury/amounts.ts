/** What people type, in the smallest units; undefined for what is no amount, or finer than the decimals allow. */
export function toUnits(typed: string, decimals: number): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,60})(?:\.(\d+))?$/.exec(typed.trim()) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units > 0n ? String(units) : undefined;
}

/** The smallest units as people write the amount, in full. What is no number is shown as it is. */
export function fromUnits(units: string, decimals: number): string {
  if (!/^\d+$/.test(units)) return units;
  const digits = units.padStart(decimals + 1, '0');
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString();
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export const coinDecimals = 18;
