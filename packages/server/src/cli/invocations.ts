import type { TakesInput } from './command.ts';
import { option } from './input.ts';

/** A command such as `start` or `migrate`, with the arguments it accepts. */
export interface Invocation extends TakesInput {
  usage: string;
  meaning: string;
}

/** Commands that run a process or work on the whole database, in addition to the operator's commands. */
export const invocations: readonly Invocation[] = [
  { usage: 'start', meaning: 'everything a machine needs: database, API, worker, mail catcher', words: 0, options: {} },
  {
    usage: 'demo',
    meaning: 'a scripted demo of how a role is gained and lost, on a sample community',
    words: 0,
    options: {},
  },
  {
    usage: 'server [--processes N|auto]',
    meaning: 'only the API, in N processes or one per core; any number can share a database',
    words: 0,
    options: { processes: option.short('A number, or auto.') },
  },
  { usage: 'worker', meaning: 'only the worker; any number can share a database', words: 0, options: {} },
  {
    usage: 'signer',
    meaning: 'only the signer of hosted wallets, the one process that can read their keys',
    words: 0,
    options: {},
  },
  {
    usage: 'migrate [--dry-run] [--contract]',
    meaning:
      'migrate the database while processes are running, or show what that would do; --contract also removes what only the previous version needs',
    words: 0,
    options: {},
    flags: ['dry-run', 'contract'],
  },
  {
    usage: 'backup <file or folder> [--keep N]',
    meaning:
      'back up everything to a file, or to a new one in a folder that keeps the newest N, with the keys of hosted wallets if LATCHKEY_SIGNER_DATABASE_URL is set',
    words: 1,
    options: { keep: option.short('How many backups to keep in the folder.') },
  },
  {
    usage: 'restore <file> [--signer]',
    meaning:
      'restore a backup to an empty database, and check that its secrets can be decrypted; with --signer only the keys of hosted wallets',
    words: 1,
    options: {},
    flags: ['signer'],
  },
  {
    usage: 'drill <file or folder> [--database <url>] [--max-age-hours N] [--record]',
    meaning:
      'restore a backup, or the newest of a folder, to a scratch database, check secrets, keys and ledgers, and say how old it is; with --record the alerts learn the result',
    words: 1,
    options: {
      database: option.short(
        'The URL of an empty database; defaults to LATCHKEY_DRILL_DATABASE_URL, and then to an embedded one that is started.',
        1_024,
      ),
      'max-age-hours': option.short('The age in hours above which the backup is not sound.'),
    },
    flags: ['record'],
  },
  {
    usage: 'support-bundle <file> [--log <file>]',
    meaning: 'collect versions, settings without secrets, figures and recent errors in one file that is safe to send',
    words: 1,
    options: { log: option.path('A file with the log of a server or worker.') },
  },
];

/** Commands that only print something. */
export const shortWords: readonly Invocation[] = [
  {
    usage:
      'size --communities N --members N [--changes-per-month N] [--chains N] [--block-seconds N] [--servers N] [--workers N]',
    meaning: 'show what an installation of this size needs, from measured figures, and what is not known',
    words: 0,
    options: {
      communities: option.short('How many communities.'),
      members: option.short('How many members they have together.'),
      'changes-per-month': option.short('How many roles are granted or removed in a month.'),
      chains: option.short('How many EVM chains the rules use; 1 by default.'),
      'block-seconds': option.short('How long a block of these chains takes; 2 seconds by default.'),
      servers: option.short('How many server processes you want to run; 2 by default.'),
      workers: option.short('How many worker processes you want to run; 2 by default.'),
    },
  },
  {
    usage: 'version',
    meaning: 'show the versions of Latchkey and its API; also --version',
    words: 0,
    options: {},
  },
  { usage: 'help [<command>]', meaning: 'show this list, or the usage of one command', words: 1, options: {} },
];

/** Finds a command by name, except for the operator's commands. */
export function findInvocation(name: string): Invocation | undefined {
  return [...invocations, ...shortWords].find(({ usage }) => usage.split(' ', 1)[0] === name);
}
