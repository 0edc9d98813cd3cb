import { resolve } from 'node:path';

/** One environment variable: what it means, how it is read, and what holds when it is absent. */
interface Variable<Value> {
  meaning: string;
  fallback: string;
  read(text: string): Value;
}

class ConfigError extends Error {}

function text(meaning: string, fallback = ''): Variable<string | undefined> {
  return { meaning, fallback, read: (value) => (value === '' ? undefined : value) };
}

function number(meaning: string, fallback: number, min: number, max: number): Variable<number> {
  return {
    meaning,
    fallback: String(fallback),
    read: (value) => {
      const parsed = Number(value);
      if (!Number.isInteger(parsed) || parsed < min || parsed > max)
        throw new ConfigError(`must be a whole number from ${min} to ${max}`);
      return parsed;
    },
  };
}

function flag(meaning: string): Variable<boolean> {
  return {
    meaning,
    fallback: 'false',
    read: (value) => {
      if (!/^(true|false|1|0)$/.test(value)) throw new ConfigError('must be true or false');
      return value === 'true' || value === '1';
    },
  };
}

function list(meaning: string): Variable<string[]> {
  return { meaning, fallback: '', read: (value) => value.split(/[\s,]+/).filter((part) => part !== '') };
}

function url(meaning: string, schemes: string[]): Variable<string | undefined> {
  return {
    meaning,
    fallback: '',
    read: (value) => {
      if (value === '') return undefined;
      if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol)) {
        throw new ConfigError(`must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
      }
      return value.replace(/\/+$/, '');
    },
  };
}

/** Addresses by chain id: `1=https://… 31337=http://…`. */
function chainUrls(meaning: string): Variable<ReadonlyMap<string, readonly string[]>> {
  return {
    meaning,
    fallback: '',
    read: (value) => {
      const entries = value.split(/[\s,]+/).filter((part) => part !== '');
      const pairs = entries.map((entry) => {
        const [, chain, address] = /^([1-9]\d{0,17})=(https?:\/\/\S+)$/.exec(entry) ?? [];
        if (chain === undefined || address === undefined || !URL.canParse(address))
          throw new ConfigError('must look like 1=https://…: a chain id, an equals sign, an address');
        return { chain, address };
      });
      const byChain = Map.groupBy(pairs, (pair) => pair.chain);
      return new Map([...byChain].map(([chain, urls]) => [chain, urls.map((pair) => pair.address)]));
    },
  };
}

/** A rate: so many requests in so many seconds. */
function rate(meaning: string, fallback: string): Variable<{ points: number; durationSeconds: number }> {
  return {
    meaning,
    fallback,
    read: (value) => {
      const [, points, seconds] = /^(\d{1,9})\/(\d{1,7})$/.exec(value) ?? [];
      if (points === undefined || seconds === undefined || Number(seconds) === 0)
        throw new ConfigError('must look like 20/1: requests, a slash, seconds');
      return { points: Number(points), durationSeconds: Number(seconds) };
    },
  };
}

/** Every variable the program reads. `docs/configuration.md` lists the same ones; a test holds the two together. */
export const variables = {
  LATCHKEY_HOST: text('The address to listen on. 0.0.0.0 makes the server reachable from other machines.', '127.0.0.1'),
  LATCHKEY_PORT: number('The port to listen on.', 3000, 0, 65_535),
  LATCHKEY_BASE_URL: url('The address people reach the server under, when it differs from host and port.', [
    'http:',
    'https:',
  ]),
  LATCHKEY_DATA_DIR: text('Where the embedded database and the generated master key are kept.', 'data'),
  DATABASE_URL: url('A PostgreSQL database to use instead of the embedded one.', ['postgres:', 'postgresql:']),
  LATCHKEY_DATABASE_CONNECTIONS: number('How many database connections one process may open.', 20, 4, 500),
  LATCHKEY_MASTER_KEYS: list('Master keys as id:base64, current first. Without it one is made in the data folder.'),
  LATCHKEY_LOG_LEVEL: text('How much is logged: debug, info, warn or error.', 'info'),
  LATCHKEY_DEBUG: text('Parts whose debug lines are written whatever the level, for example jobs,http*.'),
  LATCHKEY_SERVICE_NAME: text('What mails and authenticator apps call this server.', 'Latchkey'),
  LATCHKEY_TRUSTED_PROXIES: list('Addresses of proxies whose X-Forwarded-For is believed. Empty: nobody’s.'),
  LATCHKEY_ANONYMOUS_RATE: rate('Requests per seconds for callers without a credential, by address.', '50/1'),
  LATCHKEY_USER_RATE: rate('Requests per seconds for a signed-in user.', '50/1'),
  LATCHKEY_ETHEREUM_HEADER: flag('Accept the Authorization: Ethereum header.'),
  LATCHKEY_ALLOW_PRIVATE_CALLBACKS: flag('Let webhooks and callbacks reach private network addresses.'),
  LATCHKEY_SMTP_URL: url('The mail server. Without it mails go to the built-in mail catcher.', ['smtp:', 'smtps:']),
  LATCHKEY_MAIL_CATCHER_PORT: number(
    'The port of the built-in mail catcher; its list of mails is one port above.',
    3025,
    1,
    65_534,
  ),
  LATCHKEY_MAIL_FROM: text('The sender of mails.', 'latchkey@localhost'),
  LATCHKEY_DISCORD_CLIENT_ID: text('The application id of the Discord bot, shown in GET /config.'),
  LATCHKEY_EVM_RPC_URLS: chainUrls(
    'JSON-RPC addresses of EVM chains as chain=url, several per chain allowed. Contract wallets are asked there.',
  ),
  LATCHKEY_WALLET_CHAIN_ID: number(
    'The EVM chain that organization wallets live on.',
    31_337,
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  LATCHKEY_WORKER_CONCURRENCY: number('How many jobs one worker runs at a time.', 10, 1, 1000),
} satisfies Record<string, Variable<unknown>>;

type Values = { [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['read']> };

export type Config = ReturnType<typeof shapeConfig>;

/** The environment of this process; a file called .env in the working directory adds what it does not set. */
export function loadEnvironment(): Record<string, string | undefined> {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Error('The file .env cannot be read.', { cause: error });
  }
  return process.env;
}

/** Reads every variable. Every wrong value is named at once. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const entries = Object.entries(variables).map(([name, variable]) => {
    try {
      return [name, variable.read(environment[name] ?? variable.fallback)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(`${name} ${error.message}.`);
      return [name, undefined];
    }
  });
  const values = Object.fromEntries(entries) as Values;
  const level = values.LATCHKEY_LOG_LEVEL ?? 'info';
  if (!isLogLevel(level)) problems.push('LATCHKEY_LOG_LEVEL must be debug, info, warn or error.');
  if (problems.length > 0)
    throw new Error(`The configuration has mistakes:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  return shapeConfig(values);
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(level: string): level is LogLevel {
  return (logLevels as readonly string[]).includes(level);
}

function shapeConfig(values: Values) {
  const host = values.LATCHKEY_HOST ?? '127.0.0.1';
  return {
    host,
    port: values.LATCHKEY_PORT,
    baseUrl: values.LATCHKEY_BASE_URL,
    dataDir: resolve(values.LATCHKEY_DATA_DIR ?? 'data'),
    databaseUrl: values.DATABASE_URL,
    databaseConnections: values.LATCHKEY_DATABASE_CONNECTIONS,
    masterKeys: values.LATCHKEY_MASTER_KEYS,
    logLevel: (values.LATCHKEY_LOG_LEVEL ?? 'info') as LogLevel,
    debugParts: values.LATCHKEY_DEBUG ?? '',
    serviceName: values.LATCHKEY_SERVICE_NAME ?? 'Latchkey',
    trustedProxies: values.LATCHKEY_TRUSTED_PROXIES,
    anonymousRate: values.LATCHKEY_ANONYMOUS_RATE,
    userRate: values.LATCHKEY_USER_RATE,
    ethereumHeader: values.LATCHKEY_ETHEREUM_HEADER,
    allowPrivateCallbacks: values.LATCHKEY_ALLOW_PRIVATE_CALLBACKS,
    smtpUrl: values.LATCHKEY_SMTP_URL,
    mailCatcherPort: values.LATCHKEY_MAIL_CATCHER_PORT,
    mailFrom: values.LATCHKEY_MAIL_FROM ?? 'latchkey@localhost',
    discordClientId: values.LATCHKEY_DISCORD_CLIENT_ID,
    evmRpcUrls: values.LATCHKEY_EVM_RPC_URLS,
    walletChainId: values.LATCHKEY_WALLET_CHAIN_ID,
    workerConcurrency: values.LATCHKEY_WORKER_CONCURRENCY,
  };
}
