import type { Config } from '../config.ts';
import type { Running, StartedServices } from './running-file.ts';

/** Variables with secret values, which a command needs in its own environment. */
const secretVariables = {
  DATABASE_URL: ({ databaseUrl }: Config) => databaseUrl !== undefined,
  LATCHKEY_DIRECT_DATABASE_URL: ({ directDatabaseUrl }: Config) => directDatabaseUrl !== undefined,
  LATCHKEY_TENANT_DATABASE_URL: ({ tenantDatabaseUrl }: Config) => tenantDatabaseUrl !== undefined,
  LATCHKEY_MASTER_KEYS: ({ masterKeys }: Config) => masterKeys.length > 0,
};

/** Returns the names of those that this configuration has set. */
function secretsSet(config: Config): string[] {
  return Object.entries(secretVariables).flatMap(([name, isSet]) => (isSet(config) ? [name] : []));
}

/** Returns what `npm start` writes to its note for commands that run beside it. */
export function servicesStartedBy(config: Config, sampleWorld: boolean): StartedServices {
  return {
    sampleWorld,
    mailCatcher: config.smtpUrl === undefined,
    sandboxPort: config.sandboxPort,
    mailCatcherPort: config.mailCatcherPort,
    needs: secretsSet(config),
  };
}

/**
 * Returns the configuration of a command beside a running Latchkey, whose environment may lack what that was started
 * with. Addresses come from the note. Secrets are not in the note: the command reports which are missing.
 */
export function besideRunning(config: Config, running: Running | undefined): Config {
  if (running === undefined) return config;
  const present = secretsSet(config);
  const missing = (running.needs ?? []).filter((name) => !present.includes(name));
  if (missing.length > 0)
    throw new Error(
      `The Latchkey on this data folder (process ${running.pid}, ${running.url}) was started with ${missing.join(' and ')}. Set ${missing.length === 1 ? 'it' : 'them'} for this command too, in the environment or in a .env file in the folder you run it from.`,
    );
  return {
    ...config,
    baseUrl: config.baseUrl ?? running.url,
    sandboxPort: running.sandboxPort ?? config.sandboxPort,
    mailCatcherPort: running.mailCatcherPort ?? config.mailCatcherPort,
  };
}
