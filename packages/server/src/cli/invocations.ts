import { option, type TakesInput } from './input.ts';

/** A word after `latchkey`, with what may follow it. */
export interface Invocation extends TakesInput {
  usage: string;
  meaning: string;
}

/** What `latchkey` runs or does to a whole database, beside the operator's commands. */
export const invocations: readonly Invocation[] = [
  { usage: 'start', meaning: 'everything a machine needs: database, API, worker, mail catcher', words: 0, options: {} },
  {
    usage: 'demo',
    meaning: 'the story of a role, played in the terminal on a sample community',
    words: 0,
    options: {},
  },
  {
    usage: 'server [--processes N|auto]',
    meaning: 'only the API, in N processes or one for each core; any number may share one database',
    words: 0,
    options: { processes: option.short('A number, or auto.') },
  },
  { usage: 'worker', meaning: 'only the worker; any number may share one database', words: 0, options: {} },
  {
    usage: 'signer',
    meaning: 'only the signer of hosted wallets, which alone reads their keys',
    words: 0,
    options: {},
  },
  {
    usage: 'migrate [--dry-run]',
    meaning: 'bring the database forward beside running processes, or show what that would do',
    words: 0,
    options: {},
    flags: ['dry-run'],
  },
  {
    usage: 'backup <file>',
    meaning: 'write everything but the keys of hosted wallets into a file',
    words: 1,
    options: {},
  },
  {
    usage: 'restore <file>',
    meaning: 'fill an empty database from a backup, and check that its secrets open',
    words: 1,
    options: {},
  },
];

/** What only prints something. */
export const shortWords: readonly Invocation[] = [
  {
    usage: 'version',
    meaning: 'the version of Latchkey, and of the API that it serves; also --version',
    words: 0,
    options: {},
  },
  { usage: 'help [<command>]', meaning: 'this list, or what one command takes', words: 1, options: {} },
];

/** What a word after `latchkey` takes, unless it is one of the operator's commands. */
export function findInvocation(name: string): Invocation | undefined {
  return [...invocations, ...shortWords].find(({ usage }) => usage.split(' ', 1)[0] === name);
}
