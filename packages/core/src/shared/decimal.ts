/** An exact decimal number: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  units: bigint;
  scale: number;
}

export const zero: Decimal = { units: 0n, scale: 0 };
export const one: Decimal = { units: 1n, scale: 0 };

// Long enough for a 256-bit number with 77 decimals, short enough that no arithmetic on it takes long.
const maxLength = 160;

/** Parses `12`, `-0.5` or `.5`. Undefined for anything else: no exponents, no plus sign, no spaces. */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > maxLength) return undefined;
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const units = BigInt(whole + fraction);
  return shorten({ units: sign === '-' ? -units : units, scale: fraction.length });
}

/** Parses a value from the wire: a string, or a JSON number that can be written without an exponent. */
export function toDecimal(value: unknown): Decimal | undefined {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  if (typeof value === 'number' && Number.isFinite(value)) return parseDecimal(plainNumber(value));
  return typeof value === 'string' ? parseDecimal(value.trim()) : undefined;
}

export function formatDecimal({ units, scale }: Decimal): string {
  if (scale === 0) return units.toString();
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Negative, zero or positive if the first is less than, equal to or greater than the second. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const difference = subtractDecimals(a, b).units;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return shorten({ units: a.units * 10n ** BigInt(scale - a.scale) + b.units * 10n ** BigInt(scale - b.scale), scale });
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { units: -b.units, scale: b.scale });
}

// Each number has one form, so that equal numbers are written the same way.
function shorten({ units, scale }: Decimal): Decimal {
  let [short, left] = [units, scale];
  while (left > 0 && short % 10n === 0n) {
    short /= 10n;
    left -= 1;
  }
  return { units: short, scale: left };
}

function plainNumber(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(20).replace(/0+$/, '');
}
