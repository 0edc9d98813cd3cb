import type { Random } from '@latchkey/kernel';

export const otpTtlSeconds = 10 * 60;
export const maxWrongTries = 5;
export const maxMailsPerHour = 5;
export const mailWindowSeconds = 60 * 60;

const codes = 1_000_000;
const drawBytes = 3;
// Numbers after the last full run of codes are discarded: wrapping them would make low codes likelier.
const drawLimit = 256 ** drawBytes - (256 ** drawBytes % codes);

/** Returns six digits, uniformly distributed. */
export function drawOtp(random: Random): string {
  for (;;) {
    const number = Buffer.from(random.bytes(drawBytes)).readUIntBE(0, drawBytes);
    if (number < drawLimit) return String(number % codes).padStart(6, '0');
  }
}

export function otpPlace(id: string): string {
  return `organization_otps.code:${id}`;
}
