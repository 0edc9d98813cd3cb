import type { Actor } from './actor.ts';

/** The one source of time. Tests fix it. */
export type Clock = () => Date;

/** The one source of randomness. Tests seed it. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Returns a random string of letters and digits. */
  id(length?: number): string;
}

/** Structured logging: a message for people, fields for machines. Fields are redacted before they are written. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** Returns a log for one component, whose debug lines can be turned on separately. */
  for(part: string): Log;
}

/** What every verb gets: the caller, the clock, the log. Features add the ports they need. */
export interface BaseContext {
  actor: Actor;
  clock: Clock;
  random: Random;
  log: Log;
}
