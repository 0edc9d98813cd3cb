import type { Context } from '@latchkey/core';
import type { Config } from '../config.ts';

/** One of the operator's commands. */
export interface Command {
  usage: string;
  meaning: string;
  run(
    ctx: Context,
    args: readonly string[],
    options: Readonly<Record<string, string | undefined>>,
    config: Config,
  ): Promise<void>;
}

/** A mistake of the person at the terminal: shown as one sentence. */
export class UsageError extends Error {}

export function need(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Say ${what}.`);
  return value;
}
