import type { Command } from './command.ts';
import { account } from './commands/account.ts';
import { adminKey } from './commands/admin-key.ts';
import { apps } from './commands/apps.ts';
import { audit } from './commands/audit.ts';
import { changeSets } from './commands/change-sets.ts';
import { communities } from './commands/communities.ts';
import { devApp } from './commands/dev-app.ts';
import { discord } from './commands/discord.ts';
import { doctor } from './commands/doctor.ts';
import { importRules } from './commands/import.ts';
import { jobs } from './commands/jobs.ts';
import { keys } from './commands/keys.ts';
import { kudos } from './commands/kudos.ts';
import { mails } from './commands/mails.ts';
import { miniapps } from './commands/miniapps.ts';
import { open } from './commands/open.ts';
import { registry } from './commands/registry.ts';
import { rules } from './commands/rules.ts';
import { shadow } from './commands/shadow.ts';
import { signatures } from './commands/signatures.ts';
import { signingDomains } from './commands/signing-domains.ts';
import { spending } from './commands/spending.ts';
import { subscriptionPlans } from './commands/subscription-plans.ts';
import { tickets } from './commands/tickets.ts';
import { token } from './commands/token.ts';
import { waitingList } from './commands/waiting-list.ts';

/** The operator's commands, by name. */
export const commands: Readonly<Record<string, Command>> = {
  account,
  'admin-key': adminKey,
  apps,
  audit,
  communities,
  'dev-app': devApp,
  discord,
  doctor,
  import: importRules,
  jobs,
  keys,
  kudos,
  mails,
  miniapps,
  'change-sets': changeSets,
  open,
  registry,
  rules,
  shadow,
  signatures,
  'signing-domains': signingDomains,
  spending,
  'subscription-plans': subscriptionPlans,
  tickets,
  token,
  'waiting-list': waitingList,
};
