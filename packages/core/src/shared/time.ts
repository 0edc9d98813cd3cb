export function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

/** The day in UTC, such as 2026-01-31. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Undefined for a text that is not a date. */
export function parseTime(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
