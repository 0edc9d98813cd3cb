import { Malformed } from '@latchkey/adapter-kit';

const maxExponent = 200;

/** Converts smallest units to whole tokens: `fromUnits('1500', 3)` is `1.5`. */
export function fromUnits(units: string | bigint, decimals: number): string {
  const digits = BigInt(units).toString();
  if (digits.startsWith('-')) return `-${fromUnits(digits.slice(1), decimals)}`;
  if (decimals === 0) return digits;
  const padded = digits.padStart(decimals + 1, '0');
  const fraction = padded.slice(-decimals).replace(/0+$/, '');
  return padded.slice(0, -decimals) + (fraction && `.${fraction}`);
}

/** Returns a decimal in its shortest plain form. Ledgers also write `1e-7`, `.5` and `10.00`. */
export function plainDecimal(value: unknown, what: string): string {
  const match =
    typeof value === 'string' ? /^(-?)(\d{0,120})(?:\.(\d{0,120}))?(?:e([+-]?\d{1,3}))?$/i.exec(value) : null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  const shift = Number(exponent) - fraction.length;
  if (!match || whole + fraction === '' || Math.abs(Number(exponent)) > maxExponent) {
    throw new Malformed(`${what} is not a decimal`);
  }
  const units = BigInt(whole + fraction) * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  return units === 0n ? '0' : sign + fromUnits(units, Math.max(0, -shift));
}

/** Adds decimals exactly. */
export function sumDecimals(values: readonly string[]): string {
  const fractionOf = (value: string) => value.split('.')[1] ?? '';
  const decimals = Math.max(0, ...values.map((value) => fractionOf(value).length));
  const units = values.map((value) => BigInt(value.replace('.', '') + '0'.repeat(decimals - fractionOf(value).length)));
  return fromUnits(
    units.reduce((sum, part) => sum + part, 0n),
    decimals,
  );
}
