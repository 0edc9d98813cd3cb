import { addDecimals, compareDecimals, type Decimal, one, zero } from '../../shared/decimal.ts';

/** Where an interval begins: at a value, or right after it. */
interface Edge {
  value: Decimal;
  isAfter: boolean;
}

/** A part of the number line in which every bound of the rules is either met by all values or by none. */
export interface Interval {
  from: Edge;
  /** Where the next one begins; absent for the last. */
  to?: Edge;
}

/** Bounds of a condition, both included. */
export interface Bounds {
  min: Decimal;
  max?: Decimal;
}

/** Cuts the amounts from zero up at every bound. Amounts of a whole-number asset get no cut between two numbers. */
export function cutLine(bounds: readonly Bounds[], isWhole: boolean): Interval[] {
  const edges = [
    { value: zero, isAfter: false },
    ...bounds.flatMap(({ min, max }) => [startOf(min, isWhole), ...(max === undefined ? [] : [endOf(max, isWhole)])]),
  ].filter(({ value }) => value.units >= 0n);
  const sorted = edges
    .toSorted(compareEdges)
    .filter((edge, index, all) => index === 0 || compareEdges(edge, all[index - 1] ?? edge) !== 0);
  return sorted.map((from, index) => {
    const to = sorted[index + 1];
    return to === undefined ? { from } : { from, to };
  });
}

/** Whether the amounts of an interval are within bounds: all of them are, or none. */
export function isWithin({ from }: Interval, { min, max }: Bounds, isWhole: boolean): boolean {
  if (compareEdges(from, startOf(min, isWhole)) < 0) return false;
  return max === undefined || compareEdges(from, endOf(max, isWhole)) < 0;
}

/** Whether zero is told from every other amount. */
export function isOnlyZero([first]: readonly Interval[], isWhole: boolean): boolean {
  if (first?.to === undefined) return false;
  return compareEdges(first.to, isWhole ? { value: one, isAfter: false } : { value: zero, isAfter: true }) === 0;
}

/** An amount in the interval, the smallest where there is one. */
export function amountIn({ from, to }: Interval): Decimal {
  if (!from.isAfter) return from.value;
  if (to === undefined) return addDecimals(from.value, one);
  return half(addDecimals(from.value, to.value));
}

function startOf(min: Decimal, isWhole: boolean): Edge {
  return { value: isWhole ? roundUp(min) : min, isAfter: false };
}

function endOf(max: Decimal, isWhole: boolean): Edge {
  return isWhole ? { value: addDecimals(roundDown(max), one), isAfter: false } : { value: max, isAfter: true };
}

function compareEdges(a: Edge, b: Edge): number {
  return compareDecimals(a.value, b.value) || Number(a.isAfter) - Number(b.isAfter);
}

function roundDown({ units, scale }: Decimal): Decimal {
  const unit = 10n ** BigInt(scale);
  const whole = units / unit;
  return { units: units < 0n && whole * unit !== units ? whole - 1n : whole, scale: 0 };
}

function roundUp(value: Decimal): Decimal {
  const { units, scale } = roundDown({ units: -value.units, scale: value.scale });
  return { units: -units, scale };
}

function half({ units, scale }: Decimal): Decimal {
  return addDecimals({ units: units * 5n, scale: scale + 1 }, zero);
}
