import type { Actor } from './actor.ts';

/** The one source of time. Tests fix it. */
export type Clock = () => Date;

/** The one source of randomness. Tests seed it. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** A random string of letters and digits, `length` long. */
  id(length?: number): string;
}

/** Structured logging: a message for people, fields for machines. Fields pass the redaction list before they are written. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** A log for one part of the program, whose debug lines can be switched on alone. */
  for(part: string): Log;
}

/** What every verb is given: who asks, what time it is, where to write. Features add the ports they need. */
export interface BaseContext {
  actor: Actor;
  clock: Clock;
  random: Random;
  log: Log;
}
