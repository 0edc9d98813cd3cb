/** The time so many seconds later; earlier for a number below 0. */
export function addSeconds(time: Date, seconds: number): Date {
  return addMs(time, seconds * 1000);
}

export function addMs(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

/** Days of 24 hours. */
export function addDays(time: Date, days: number): Date {
  return addSeconds(time, days * 24 * 60 * 60);
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
