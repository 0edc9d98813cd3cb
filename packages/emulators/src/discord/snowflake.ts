import type { Clock } from '../clock.ts';
import type { Snowflake } from './state/types.ts';

const discordEpochMs = 1_420_070_400_000;
// Clients expect ids of at least 17 digits, which a virtual clock near zero would not give.
const earliestMs = discordEpochMs + 365 * 86_400_000;

/** Creates ids that grow with time and never repeat. */
export function createSnowflakes(clock: Clock): () => Snowflake {
  let lastMs = 0;
  let sequence = 0;
  return () => {
    const nowMs = Math.max(Math.floor(clock()), earliestMs);
    if (nowMs > lastMs) {
      lastMs = nowMs;
      sequence = 0;
    } else {
      sequence += 1;
      if (sequence > 0x3fffff) {
        lastMs += 1;
        sequence = 0;
      }
    }
    return String((BigInt(lastMs - discordEpochMs) << 22n) | BigInt(sequence));
  };
}

export function isSnowflake(text: unknown): text is Snowflake {
  return typeof text === 'string' && /^\d{15,20}$/.test(text);
}

/** Orders ids by age: they are numbers, so a longer one is later. */
export function compareSnowflakes(a: Snowflake, b: Snowflake): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
