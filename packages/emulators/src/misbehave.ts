import type { Clock } from './clock.ts';
import type { Dice } from './dice.ts';

/** The faults an emulator can simulate. */
export type Fault =
  /** Responds with this status and an HTML page, as a proxy in front of a dead service does. */
  | { kind: 'error'; status?: number }
  /** Accepts the request and never responds. */
  | { kind: 'hang' }
  /** Cuts the connection, including gateways. */
  | { kind: 'outage' }
  /** Responds this much later. */
  | { kind: 'latency'; ms: number }
  /** Responds with 429 although the caller stayed within the limits. */
  | { kind: 'rate-limit'; retryAfterSeconds?: number; scope?: 'user' | 'shared' | 'global' }
  /** Responds with success and does nothing. */
  | { kind: 'lost-write' }
  /** A gateway closes with this code as soon as a bot starts or resumes a session. */
  | { kind: 'close'; code: number }
  /** Omits the roles from its responses, without an error. */
  | { kind: 'empty-roles' };

export type Misbehaviour = Fault & {
  /** Only requests whose label, such as `PATCH /guilds/:guild/members/:user`, contains or matches this. */
  on?: string | RegExp;
  /** The share of requests affected. Defaults to all. */
  probability?: number;
  /** Ends after this many affected requests. */
  count?: number;
  /** Ends after this time on the emulator's clock. */
  forMs?: number;
};

type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;

interface Running {
  what: Misbehaviour;
  left: number;
  endsAtMs: number;
}

/** The active faults. Checked at each request; without faults this costs nothing. */
export class Misbehaviours {
  readonly #running = new Set<Running>();
  readonly #clock: Clock;
  readonly #dice: Dice;

  constructor(clock: Clock, dice: Dice) {
    this.#clock = clock;
    this.#dice = dice;
  }

  /** Starts a fault and returns a function that ends it. */
  start(what: Misbehaviour): () => void {
    const endsAtMs = what.forMs === undefined ? Number.POSITIVE_INFINITY : this.#clock() + what.forMs;
    const running: Running = { what, left: what.count ?? Number.POSITIVE_INFINITY, endsAtMs };
    this.#running.add(running);
    return () => {
      this.#running.delete(running);
    };
  }

  clear(): void {
    this.#running.clear();
  }

  /** Returns the fault of this kind for this request, if any. */
  strike<Kind extends Fault['kind']>(kind: Kind, label: string): FaultOf<Kind> | undefined {
    for (const running of this.#running) {
      if (running.endsAtMs <= this.#clock()) this.#running.delete(running);
      else if (isFaultOf(running.what, kind) && concerns(running.what, label) && this.#falls(running)) {
        return running.what;
      }
    }
    return undefined;
  }

  #falls(running: Running): boolean {
    const { probability = 1 } = running.what;
    if (probability < 1 && !this.#dice.falls(probability)) return false;
    running.left -= 1;
    if (running.left <= 0) this.#running.delete(running);
    return true;
  }
}

function isFaultOf<Kind extends Fault['kind']>(fault: Fault, kind: Kind): fault is FaultOf<Kind> {
  return fault.kind === kind;
}

function concerns({ on }: Misbehaviour, label: string): boolean {
  if (on === undefined) return true;
  return typeof on === 'string' ? label.includes(on) : on.test(label);
}
