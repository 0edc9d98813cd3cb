import { useSyncExternalStore } from 'react';

/** What the user needs to know about the connection, the most urgent first. */
export type ConnectionState = 'offline' | 'away' | 'silent' | 'reconnecting' | 'outdated' | 'connected';

interface Facts {
  /** The browser has no network. */
  isOffline: boolean;
  /** Whether the last requests could not reach the server (`away`), or reached it and got no answer (`silent`). */
  lost: 'away' | 'silent' | undefined;
  /** Event streams that ended and are not open again. */
  lostStreams: ReadonlySet<string>;
  /** The server has another version of this app than the one in this tab. */
  isOutdated: boolean;
}

/** The state of the connection to the server: requests and event streams report to it, and the banner shows it. */
export class Connection {
  #facts: Facts = { isOffline: false, lost: undefined, lostStreams: new Set(), isOutdated: false };
  #build: string | undefined;
  readonly #listeners = new Set<() => void>();

  readonly state = (): ConnectionState => {
    const { isOffline, lost, lostStreams, isOutdated } = this.#facts;
    if (isOffline) return 'offline';
    if (lost !== undefined) return lost;
    // A reload fixes a lost stream too, so a newer version takes precedence.
    if (isOutdated) return 'outdated';
    return lostStreams.size > 0 ? 'reconnecting' : 'connected';
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The build that this tab was loaded with. */
  startWith(build: string): void {
    this.#build = build;
  }

  /** The server responded, with the build that it serves now. */
  reached(build: string | null): void {
    const isOther = build !== null && this.#build !== undefined && build !== this.#build;
    // Behind a load balancer two versions may alternate during an update, so the notice stays once it is shown.
    this.#set({ lost: undefined, isOffline: false, isOutdated: this.#facts.isOutdated || isOther });
  }

  unreachable(): void {
    this.#set({ lost: 'away' });
  }

  /** The server accepts connections, and has not answered for some time. */
  silent(): void {
    this.#set({ lost: 'silent' });
  }

  offline(isOffline: boolean): void {
    this.#set({ isOffline });
  }

  /** A file of this tab's version is gone from the server. */
  outdated(): void {
    this.#set({ isOutdated: true });
  }

  /** Each listener of an event stream reports under its own id. */
  stream(id: string, isUp: boolean): void {
    const { lostStreams } = this.#facts;
    if (lostStreams.has(id) !== isUp) return;
    const next = new Set(lostStreams);
    if (isUp) next.delete(id);
    else next.add(id);
    this.#set({ lostStreams: next });
  }

  #set(change: Partial<Facts>): void {
    const before = this.state();
    this.#facts = { ...this.#facts, ...change };
    if (this.state() !== before) for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();

/** In these states the page cannot ask the server anything. */
export function isLost(state: ConnectionState): boolean {
  return state === 'offline' || state === 'away' || state === 'silent';
}

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, connection.state);
}
