import { parseArgs } from 'node:util';
import { T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import { type Option, type TakesInput, UsageError } from './command.ts';

const bounded = (description: string, limits: object): Option =>
  Object.assign(text(description, { ...limits }), { description });

const short = (description: string, maxLength = 64) => bounded(description, { maxLength });
const long = (description: string) => bounded(description, { maxLength: 4096 });
const number = (description: string) => bounded(description, { maxLength: 9 });
const path = (description: string) => bounded(description, { minLength: 1, maxLength: 4096 });

/** Option schemas, including the options that several commands share. */
export const option = {
  short,
  long,
  number,
  path,
  limit: number('How many.'),
  notes: long('Notes for the audit log.'),
  reason: long('The reason, for the audit log.'),
  scopes: long('Scopes, separated by spaces.'),
  status: short('A status.'),
  user: short('The id of a user.', 256),
};

export interface Input {
  words: string[];
  options: Readonly<Record<string, string | undefined>>;
  flags: readonly string[];
}

const word = text('An argument of the command.', { maxLength: 4096 });

/** The arguments and options of a command, as one schema. */
export function inputSchemaOf({ words: most, options }: TakesInput) {
  const known = Object.fromEntries(Object.entries(options).map(([name, schema]) => [name, T.Optional(schema)]));
  return T.Object({ words: T.Array(word, { maxItems: most }), options: T.Object(known) });
}

/** Parses the arguments of a command. Refuses unknown options, and too many or too long arguments. */
export function parseInput(name: string, takes: TakesInput, args: readonly string[]): Input {
  const { words, options, flags } = parse(name, takes, args);
  if (words.length > takes.words) throw new UsageError(`${name} takes at most ${takes.words} arguments.`);
  try {
    validatorOf(inputSchemaOf(takes), { what: name, unknownFields: 'refuse' })({ words, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return { words, options, flags };
}

function parse(name: string, { options, flags = [] }: TakesInput, args: readonly string[]): Input {
  const declared = [
    ...Object.keys(options).map((known) => [known, { type: 'string' as const }]),
    ...flags.map((known) => [known, { type: 'boolean' as const }]),
  ];
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(declared),
    });
    const given = Object.entries(values);
    return {
      words: positionals,
      options: Object.fromEntries(given.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))),
      flags: given.flatMap(([key, value]) => (value === true ? [key] : [])),
    };
  } catch (error) {
    const [complaint = ''] = String(error instanceof Error ? error.message : error).split('. ');
    const [, unknown] = /^Unknown option '([^']*)'/.exec(complaint) ?? [];
    throw new UsageError(unknown === undefined ? `${complaint}.` : `${name} does not take ${unknown}.`);
  }
}

/** Describes a command's usage and options for the terminal. */
export function describeInput(takes: TakesInput & { usage: string; meaning: string }): string {
  const options = Object.entries(takes.options).map(([name, { description }]) => `  --${name}  ${description}`);
  return [
    usageLine(takes),
    `\n${capital(takes.meaning)}.`,
    ...(options.length > 0 ? ['\nOptions:', ...options] : []),
  ].join('\n');
}

export function usageLine({ usage }: { usage: string }): string {
  return `Usage: latchkey ${usage}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
