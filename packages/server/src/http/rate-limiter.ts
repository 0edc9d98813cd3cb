import { type Services, useRatePoints } from '@latchkey/core';
import { isUnavailable } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';

export interface RateRule {
  bucket: string;
  points: number;
  durationSeconds: number;
  /** The name of the plan that sets the limit. */
  planName?: string;
  /** The name of the limit in the RateLimit headers. */
  policy?: string;
}

export interface Verdict {
  policy: string | undefined;
  planName: string | undefined;
  allowed: boolean;
  limit: number;
  durationSeconds: number;
  remaining: number;
  resetAt: Date;
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Takes one point from every bucket. The tightest one determines the rate-limit headers. */
  take(rules: readonly RateRule[]): Promise<Verdict>;
  /** Counts a wrong credential against the address it came from. */
  chargeFailure(address: string): Promise<void>;
  /** Throws if too many wrong credentials came from the address. Uses only this process's memory. */
  refuseBarred(address: string): void;
}

/** Points of one window that this process has reserved in the database and not yet used. */
interface Reserve {
  windowEnd: number;
  left: number;
  /** Points that no process had reserved at the last query. */
  unreserved: number;
  nextAsk: number;
  asking: Promise<void> | undefined;
}

const failureRule = { points: 30, durationSeconds: 60 };

/**
 * Fixed windows that all processes share through one table. A process reserves points ahead and spends them from
 * memory, and doubles the reservation each time it runs out within a window: a quiet caller costs one write per
 * request, a busy one a write per hundreds of requests, and all processes together never exceed the limit.
 */
export function createRateLimiter(services: Pick<Services, 'db' | 'clock' | 'log'>): RateLimiter {
  const reserves = new Map<string, Reserve>();

  async function reserve(rule: RateRule, held: Reserve): Promise<void> {
    const want = Math.min(held.nextAsk, Math.max(1, Math.ceil(rule.points / 10)));
    const { used, endsInSeconds } = await useRatePoints(services.db.pool, {
      bucket: `${rule.bucket}/${rule.durationSeconds}`,
      durationSeconds: rule.durationSeconds,
      points: want,
    });
    // Measured by our own clock, which may be wrong but runs at the right speed.
    held.windowEnd = services.clock().getTime() + endsInSeconds * 1000;
    held.left += Math.max(0, Math.min(want, rule.points - (used - want)));
    held.unreserved = Math.max(0, rule.points - used);
    held.nextAsk *= 2;
  }

  async function takeOne(rule: RateRule): Promise<Verdict> {
    const name = `${rule.bucket}/${rule.durationSeconds}`;
    const now = services.clock().getTime();
    let held = reserves.get(name);
    if (held === undefined || isOver(rule, held, now)) {
      if (reserves.size > 50_000) forgetOld(now);
      held = { windowEnd: Number.POSITIVE_INFINITY, left: 0, unreserved: rule.points, nextAsk: 1, asking: undefined };
      reserves.set(name, held);
    }
    const current = held;
    while (current.left < 1 && current.unreserved > 0) {
      current.asking ??= reserve(rule, current).finally(() => {
        current.asking = undefined;
      });
      await current.asking;
    }
    const allowed = current.left >= 1;
    if (allowed) current.left -= 1;
    return verdictOf(rule, current, allowed, now);
  }

  function forgetOld(now: number): void {
    for (const [name, held] of reserves) if (held.windowEnd <= now) reserves.delete(name);
  }

  async function take(rules: readonly RateRule[]): Promise<Verdict> {
    const verdicts = await Promise.all(rules.map(takeOne)).catch((error: unknown) => {
      // Callers that need no database are served without limits while the database is down.
      if (isUnavailable(error)) return rules.map((rule) => openVerdict(rule, services.clock().getTime()));
      throw error;
    });
    const tightest = verdicts.reduce((a, b) => (rank(b) < rank(a) ? b : a));
    return tightest;
  }

  return {
    take,
    refuseBarred: (address) => {
      const held = reserves.get(`${failureBucket(address)}/${failureRule.durationSeconds}`);
      const now = services.clock().getTime();
      if (held === undefined || held.left >= 1 || held.unreserved > 0 || isOver(failureRule, held, now)) return;
      throw tooManyFailures(Math.max(1, Math.ceil((held.windowEnd - now) / 1000)));
    },
    chargeFailure: async (address) => {
      const verdict = await take([{ ...failureRule, bucket: failureBucket(address) }]);
      if (!verdict.allowed) throw tooManyFailures(verdict.retryAfterSeconds);
    },
  };
}

function failureBucket(address: string): string {
  return `failure:${networkOf(address)}`;
}

function tooManyFailures(retryAfterSeconds: number): AppError {
  return new AppError('RATE_LIMITED', 'Too many wrong credentials from this address.', { retryAfterSeconds });
}

/** A household gets a whole IPv6 /64, so a limit per IPv6 address would be useless. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:')) return address.slice(7);
  // Writes out the zeros that :: abbreviates, so that a network has only one notation.
  const [front = [], back = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`;
}

// If the clock was set back, the window would last that much longer; no window is longer than its duration.
function isOver(rule: Pick<RateRule, 'durationSeconds'>, held: Reserve, now: number): boolean {
  if (held.asking !== undefined) return false;
  return now >= held.windowEnd || held.windowEnd - now > rule.durationSeconds * 1000;
}

function rank(verdict: Verdict): number {
  return verdict.allowed ? verdict.remaining / verdict.limit : -verdict.retryAfterSeconds;
}

function verdictOf(rule: RateRule, held: Reserve, allowed: boolean, now: number): Verdict {
  return {
    planName: rule.planName,
    policy: rule.policy,
    allowed,
    limit: rule.points,
    durationSeconds: rule.durationSeconds,
    remaining: held.left + held.unreserved,
    resetAt: new Date(held.windowEnd),
    retryAfterSeconds: Math.max(1, Math.ceil((held.windowEnd - now) / 1000)),
  };
}

function openVerdict(rule: RateRule, now: number): Verdict {
  const windowEnd = now + rule.durationSeconds * 1000;
  return {
    planName: rule.planName,
    policy: rule.policy,
    allowed: true,
    limit: rule.points,
    durationSeconds: rule.durationSeconds,
    remaining: rule.points,
    resetAt: new Date(windowEnd),
    retryAfterSeconds: 1,
  };
}
