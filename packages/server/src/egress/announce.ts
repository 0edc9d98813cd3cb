import { channel } from 'node:diagnostics_channel';

/** Where a connection is about to be opened, and by which rule. */
export interface Departure {
  rule: 'configured' | 'guarded';
  /** As passed to the socket: a name or an address, without brackets. */
  host: string;
  port: number;
}

const departures = channel('latchkey:egress');

/** Publishes that this target passed. The outbound tests compare every connection of a process with it. */
export function announce(rule: Departure['rule'], host: string, port: number): void {
  if (departures.hasSubscribers) departures.publish({ rule, host, port } satisfies Departure);
}
