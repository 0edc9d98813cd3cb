import type { Context } from '@latchkey/core';
import type { text } from '@latchkey/kernel';
import type { Config } from '../config.ts';

export type Option = ReturnType<typeof text> & { description: string };

/** The arguments and options that a command accepts. */
export interface TakesInput {
  /** The maximum number of positional arguments. */
  words: number;
  options: Readonly<Record<string, Option>>;
  /** Options without a value. */
  flags?: readonly string[];
}

/** One of the operator's commands. It may return the exit code; 0 by default. */
export interface Command extends TakesInput {
  usage: string;
  meaning: string;
  run(
    ctx: Context,
    args: readonly string[],
    options: Readonly<Record<string, string | undefined>>,
    config: Config,
    flags?: readonly string[],
  ): Promise<number | void>;
}

/** Wrong usage of a command. It is printed as one sentence, above the usage of the command. */
export class UsageError extends Error {}

export function unknownSubcommand(verb: string | undefined): UsageError {
  return new UsageError(verb === undefined ? 'A subcommand is missing.' : `Unknown subcommand: ${verb.slice(0, 64)}.`);
}

export function need(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Missing ${what}.`);
  return value;
}

/** Reads a positive integer from an option, or returns the fallback if it is missing. */
export function numberOf(value: string | undefined, fallback: number, option: string): number {
  if (value === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`--${option} must be a whole number greater than 0.`);
  return Number(value);
}
