import { useSyncExternalStore } from 'react';

/** What the user needs to know about the connection, the most urgent first. */
export type ConnectionState = 'offline' | 'away' | 'reconnecting' | 'outdated' | 'connected';

interface Facts {
  /** The browser has no network. */
  isOffline: boolean;
  /** The last request got no response from the server. */
  isAway: boolean;
  /** Event streams that ended and are not open again. */
  lostStreams: ReadonlySet<string>;
  /** The server has another version of this app than the one in this tab. */
  isOutdated: boolean;
}

/** The state of the connection to the server: requests and event streams report to it, and the banner shows it. */
export class Connection {
  #facts: Facts = { isOffline: false, isAway: false, lostStreams: new Set(), isOutdated: false };
  #build: string | undefined;
  readonly #listeners = new Set<() => void>();

  readonly state = (): ConnectionState => {
    const { isOffline, isAway, lostStreams, isOutdated } = this.#facts;
    if (isOffline) return 'offline';
    if (isAway) return 'away';
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
    this.#set({ isAway: false, isOffline: false, isOutdated: this.#facts.isOutdated || isOther });
  }

  unreachable(): void {
    this.#set({ isAway: true });
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

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, connection.state);
}
