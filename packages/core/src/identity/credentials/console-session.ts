const hourMs = 60 * 60 * 1000;

export const longestSessionSeconds = 7 * 24 * 60 * 60;
const idleMs = 12 * hourMs;
/** How often at most the use of a session is written down. */
const noteEveryMs = 60_000;

/** When a session ends that is used now. */
export function endOfUse(now: Date, latestAt: Date): Date {
  return new Date(Math.min(now.getTime() + idleMs, latestAt.getTime()));
}

export function isWorthNoting(now: Date, usedAt: Date): boolean {
  return now.getTime() - usedAt.getTime() >= noteEveryMs;
}

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** True for texts that a cookie of ours can hold; anything else need not be looked up. */
export function looksLikeSessionSecret(secret: string): boolean {
  return secretForm.test(secret);
}
