import { Secret, TOTP } from 'otpauth';

export const secretBytes = 20;
export const enrolmentTtlSeconds = 15 * 60;
export const maxPendingEnrolments = 5;
export const maxConfirmed = 5;
export const maxWrongTries = 5;
export const lockSeconds = 15 * 60;

const periodSeconds = 30;
const windowSteps = 2;
const code = { algorithm: 'SHA1', digits: 6, period: periodSeconds };
const maxSubjectLength = 64;

/** Returns the time step of `now`. */
export function stepAt(now: Date): number {
  return TOTP.counter({ period: periodSeconds, timestamp: now.getTime() });
}

/** Finds the step near `now` whose code this is. Clocks of phones may be off by a minute either way. */
export function findStep(secret: Uint8Array, token: string, now: Date): number | undefined {
  // The library compares bytes and fails on multi-byte characters.
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const delta = TOTP.validate({
    ...code,
    token,
    secret: secretOf(secret),
    timestamp: now.getTime(),
    window: windowSteps,
  });
  return delta === null ? undefined : stepAt(now) + delta;
}

/** Returns the steps to remember as used: those whose code could be sent again, and the new one. */
export function burnStep(usedSteps: readonly number[], step: number, now: Date): number[] {
  return [...usedSteps.filter((used) => used >= stepAt(now) - windowSteps), step];
}

/** Returns the otpauth URI that an authenticator app reads from the QR code. */
export function enrolmentUri(issuer: string, subject: string, secret: Uint8Array): string {
  const shortSubject = [...subject].slice(0, maxSubjectLength).join('').toWellFormed();
  const [by, to] = [encodeURIComponent(issuer), encodeURIComponent(shortSubject)];
  return `otpauth://totp/${by}:${to}?secret=${secretOf(secret).base32}&issuer=${by}&algorithm=${code.algorithm}&digits=${code.digits}&period=${code.period}`;
}

/** Returns the context that a secret is sealed for. The request id has no slash, so that no two rows share one. */
export function secretPlace(userId: string, requestId: string): string {
  return `totp_enrolments.secret:${userId}/${requestId}`;
}

function secretOf(secret: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(secret).buffer });
}
