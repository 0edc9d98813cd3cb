/** A word after `latchkey`, with what may follow it. */
export interface WayToRun {
  usage: string;
  meaning: string;
}

/** What `latchkey` runs or does to a whole database, beside the operator's commands. */
export const waysToRun: readonly WayToRun[] = [
  { usage: 'start', meaning: 'everything a machine needs: database, API, worker, mail catcher' },
  { usage: 'demo', meaning: 'the story of a role, played in the terminal on a sample community' },
  {
    usage: 'server [--processes N|auto]',
    meaning: 'only the API, in N processes or one for each core; any number may share one database',
  },
  { usage: 'worker', meaning: 'only the worker; any number may share one database' },
  { usage: 'signer', meaning: 'only the signer of hosted wallets, which alone reads their keys' },
  {
    usage: 'migrate [--dry-run]',
    meaning: 'bring the database forward beside running processes, or show what that would do',
  },
  { usage: 'backup <file>', meaning: 'write everything but the keys of hosted wallets into a file' },
  { usage: 'restore <file>', meaning: 'fill an empty database from a backup, and check that its secrets open' },
];

/** What only prints something. */
export const shortWords: readonly WayToRun[] = [
  { usage: 'version', meaning: 'the version of Latchkey, and of the API that it serves; also --version' },
  { usage: 'help', meaning: 'this list' },
];
