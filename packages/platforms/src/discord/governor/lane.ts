import type { Bucket } from './bucket.ts';
import type { Route } from './route.ts';

/** Which calls go first when the limit over all routes is the bottleneck. */
export const priorities = { ask: 0, write: 1, verify: 2 } as const;
export type Priority = keyof typeof priorities;

/** One call that is waiting for its turn. */
export interface Turn {
  order: number;
  requestedAtMs: number;
  priority: number;
  rateLimitedTimes: number;
  start(): void;
  refuse(reason: unknown): void;
}

/** The calls of one route about one guild, channel or webhook, in the order they go out. */
export class Lane {
  readonly route: Route;
  bucket: Bucket;
  readonly #waiting: [Turn[], Turn[], Turn[]] = [[], [], []];

  constructor(route: Route, bucket: Bucket) {
    this.route = route;
    this.bucket = bucket;
  }

  get isEmpty(): boolean {
    return this.#waiting.every((queue) => queue.length === 0);
  }

  get size(): number {
    return this.#waiting.reduce((sum, queue) => sum + queue.length, 0);
  }

  /** The number of calls other than checks of finished writes. */
  get urgentSize(): number {
    return this.size - this.#waiting[priorities.verify].length;
  }

  first(): Turn | undefined {
    return this.#waiting.find((queue) => queue.length > 0)?.[0];
  }

  add(turn: Turn): void {
    this.#queueOf(turn).push(turn);
  }

  /** Puts back a call that was rate-limited. It keeps its place. */
  putBack(turn: Turn): void {
    this.#queueOf(turn).unshift(turn);
  }

  take(turn: Turn): boolean {
    const queue = this.#queueOf(turn);
    const at = queue[0] === turn ? 0 : queue.indexOf(turn);
    if (at < 0) return false;
    if (at === 0) queue.shift();
    else queue.splice(at, 1);
    return true;
  }

  clear(): Turn[] {
    return this.#waiting.flatMap((queue) => queue.splice(0));
  }

  #queueOf(turn: Turn): Turn[] {
    return this.#waiting[turn.priority] ?? this.#waiting[0];
  }
}
