import type { Command } from './command.ts';
import { adminKey } from './commands/admin-key.ts';
import { apps } from './commands/apps.ts';
import { devApp } from './commands/dev-app.ts';
import { jobs } from './commands/jobs.ts';
import { keys } from './commands/keys.ts';
import { mails } from './commands/mails.ts';
import { plans } from './commands/plans.ts';
import { token } from './commands/token.ts';

/** What the operator can do from the command line. */
export const commands: Readonly<Record<string, Command>> = {
  'admin-key': adminKey,
  apps,
  'dev-app': devApp,
  jobs,
  keys,
  mails,
  plans,
  token,
};
