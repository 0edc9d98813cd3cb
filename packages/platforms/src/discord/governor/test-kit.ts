import type { VirtualTime } from '../testing/virtual-time.ts';

export const guilds = ['100000000000000001', '100000000000000002', '100000000000000003'];

export interface Limit {
  hash: string;
  limit: number;
  windowMs: number;
}

/** A platform that counts like Discord: fixed windows starting at the first call, and a rolling second over everything. */
export class Platform {
  readonly done: { key: string; atMs: number }[] = [];
  refused = 0;
  mute = false;
  readonly #time: VirtualTime;
  readonly #limitOf: (template: string) => Limit;
  readonly #windows = new Map<string, { endsAtMs: number; used: number }>();
  #latest: number[] = [];

  constructor(time: VirtualTime, limitOf: (template: string) => Limit) {
    this.#time = time;
    this.#limitOf = limitOf;
  }

  answer(template: string, major: string): { status: number; headers: Headers } {
    const nowMs = this.#time.nowMs();
    const { hash, limit, windowMs } = this.#limitOf(template);
    const key = `${hash}/${major}`;
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { endsAtMs: nowMs + windowMs, used: 0 };
      this.#windows.set(key, window);
    }
    this.#latest = this.#latest.filter((atMs) => atMs > nowMs - 1000);
    if (this.#latest.length >= 50 || window.used >= limit) {
      this.refused += 1;
      const isGlobal = this.#latest.length >= 50;
      return {
        status: 429,
        headers: new Headers({ 'retry-after': '1', 'x-ratelimit-scope': isGlobal ? 'global' : 'user' }),
      };
    }
    this.#latest.push(nowMs);
    window.used += 1;
    this.done.push({ key, atMs: nowMs });
    if (this.mute) return { status: 502, headers: new Headers() };
    return {
      status: 200,
      headers: new Headers({
        'x-ratelimit-bucket': hash,
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(limit - window.used),
        'x-ratelimit-reset': (window.endsAtMs / 1000).toFixed(3),
        'x-ratelimit-reset-after': ((window.endsAtMs - nowMs) / 1000).toFixed(3),
      }),
    };
  }
}

export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

export function rolePath(guild: string | undefined, user: number): string {
  return `/guilds/${guild}/members/2000000000000${String(user).padStart(5, '0')}/roles/300000000000000001`;
}
