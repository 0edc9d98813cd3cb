/** The drawing board of every chart; it is stretched to the width that there is. */
export const board = { width: 640, height: 180, left: 44, right: 8, top: 10, bottom: 22 } as const;

/** A round number above all of these, and the steps up to it. */
export function stepsTo(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

export function xOf(index: number, count: number): number {
  const span = board.width - board.left - board.right;
  return board.left + (count <= 1 ? span / 2 : (index * span) / (count - 1));
}

export function yOf(value: number, top: number): number {
  const span = board.height - board.top - board.bottom;
  return board.height - board.bottom - (value / top) * span;
}

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const number = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** Days are counted in UTC, so they are said in UTC too. */
export function formatDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`));
}

export function formatNumber(value: number): string {
  return number.format(value);
}

export function sayShort(value: number): string {
  return short.format(value);
}
