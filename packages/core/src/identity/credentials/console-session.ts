const hourMs = 60 * 60 * 1000;

export const longestSessionSeconds = 7 * 24 * 60 * 60;
const idleMs = 12 * hourMs;
/** The minimum interval between writes of a session's last use. */
const noteEveryMs = 60_000;

/** Returns when a session that is used now ends. */
export function endOfUse(now: Date, latestAt: Date): Date {
  return new Date(Math.min(now.getTime() + idleMs, latestAt.getTime()));
}

export function isWorthNoting(now: Date, usedAt: Date): boolean {
  return now.getTime() - usedAt.getTime() >= noteEveryMs;
}

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text has the format of our cookie's secret; anything else need not be looked up. */
export function looksLikeSessionSecret(secret: string): boolean {
  return secretForm.test(secret);
}
