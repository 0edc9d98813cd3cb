/** Returns the time that many seconds later, or earlier for a negative number. */
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

/** Returns the day in UTC, such as 2026-01-31. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Undefined if the text is not a date. */
export function parseTime(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
