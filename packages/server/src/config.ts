import { resolve } from 'node:path';
import type { SettingInForce } from '@latchkey/core/ports';
import { hostsIn, isDatabaseUrl, shownHost } from '@latchkey/db/database-url';
import { scopes } from '@latchkey/kernel/scopes';
import {
  ConfigError,
  chainUrls,
  databaseUrl,
  email,
  flag,
  hostNames,
  listenHost,
  masterKeys,
  networks,
  number,
  optionalFlag,
  optionalNumber,
  origin,
  pairs,
  pairsOfUrls,
  plainForm,
  plainText,
  rate,
  someOf,
  url,
  type Variable,
} from './config-kinds.ts';
import { metricsVariables, shapeMetrics } from './config-metrics.ts';
import { nearVariables, shapeNear } from './config-near.ts';
import { partnerVariables, shapePartners } from './config-partners.ts';
import { paymentVariables, shapePayments } from './config-payments.ts';
import { platformVariables, shapePlatforms } from './config-platforms.ts';
import { combinationProblems } from './config-problems.ts';
import { shapeSigner, signerReads, signerVariables } from './config-signer.ts';
import { shapeSpending, spendingVariables } from './config-spending.ts';
import { shapeWalletConnect, walletConnectVariables } from './config-walletconnect.ts';
import { misspeltSettings } from './unknown-settings.ts';

const web = ['http:', 'https:'];

/** Every variable the program reads. `docs/configuration.md` lists the same ones; a test compares the two. */
export const variables = {
  LATCHKEY_HOST: listenHost(
    'The address to listen on. 0.0.0.0 makes the server reachable from other machines.',
    '127.0.0.1',
  ),
  LATCHKEY_PORT: number('The port to listen on.', 3000, 0, 65_535),
  LATCHKEY_BASE_URL: origin('The public URL of the server, if it differs from host and port.'),
  LATCHKEY_EXTRA_HOSTS: hostNames('Additional host names that the server accepts, for example on an internal network.'),
  LATCHKEY_PORTAL_URL: url(
    'The URL of the documentation portal. Its API console may call this server from a browser, and agents get answers from its pages.',
    web,
  ),
  LATCHKEY_PORTAL: optionalFlag('Whether `npm start` also serves the documentation portal. Defaults to yes.'),
  LATCHKEY_PORTAL_PORT: number('The port of the documentation portal.', 3001, 0, 65_535),
  LATCHKEY_PORTAL_REPOSITORY: url('The URL of your repository, for "Edit this page" links in the portal.', web),
  LATCHKEY_DATA_DIR: plainText('The folder for the embedded database and the generated master key.', 'data'),
  DATABASE_URL: databaseUrl(
    'A PostgreSQL database to use instead of the embedded one. With several hosts, Latchkey uses the one that accepts writes.',
  ),
  LATCHKEY_DIRECT_DATABASE_URL: databaseUrl(
    'A direct connection to the same database, if DATABASE_URL goes through a transaction-mode pooler such as PgBouncer. Defaults to DATABASE_URL.',
  ),
  LATCHKEY_TENANT_DATABASE_URL: databaseUrl(
    'The same database with the tenant login. Not needed for the embedded database.',
  ),
  LATCHKEY_DRILL_DATABASE_URL: databaseUrl(
    'An empty database in which latchkey drill tries backups. Without it, a drill starts an embedded database.',
  ),
  LATCHKEY_DATABASE_CONNECTIONS: number('The maximum number of database connections per process.', 20, 4, 500),
  LATCHKEY_DATABASE_WAIT_SECONDS: number(
    'How long a starting process waits for the database, in seconds.',
    60,
    0,
    86_400,
  ),
  LATCHKEY_MASTER_KEYS: masterKeys(
    'Master keys as id:base64, current first. By default, one is generated in the data folder.',
  ),
  LATCHKEY_LOG_LEVEL: plainForm(
    'The log level: debug, info, warn or error.',
    { form: /^(?:debug|info|warn|error)$/, expected: 'debug, info, warn or error' },
    'info',
  ),
  LATCHKEY_DEBUG: plainText('Parts to log at debug level regardless of the log level, for example jobs,http*.'),
  LATCHKEY_SERVICE_NAME: plainText('The name of this server in emails and authenticator apps.', 'Latchkey'),
  LATCHKEY_TRUSTED_PROXIES: networks('Addresses of proxies whose X-Forwarded-For header is trusted. Defaults to none.'),
  LATCHKEY_ANONYMOUS_RATE: rate(
    'The rate limit for callers without a credential, per IP address, as requests/seconds.',
    '50/1',
  ),
  LATCHKEY_USER_RATE: rate('The rate limit for a signed-in user, as requests/seconds.', '50/1'),
  LATCHKEY_ETHEREUM_HEADER: flag('Accept the Authorization: Ethereum header.'),
  LATCHKEY_ETHEREUM_FIXED_TEXT: flag(
    'Also accept that header in its published form: a signature of a fixed text, which never expires and allows reads only.',
  ),
  LATCHKEY_STRICT_OAUTH: flag(
    'Enforce OAuth 2.1: every client application needs PKCE with S256, and redirect URIs must match exactly, except for the port of a public client’s loopback URI.',
  ),
  LATCHKEY_CLIENT_REGISTRATION: flag(
    'Let client applications register themselves (RFC 7591), or be described by a document at their own address, for agents and other programs. Users still decide what each may do.',
  ),
  LATCHKEY_CLIENT_REGISTRATION_SCOPES: someOf(
    'Scopes that applications which registered themselves may request from users, besides those of OpenID Connect.',
    Object.keys(scopes).filter((scope) => !scope.startsWith('$')),
    'scopes of docs/scopes.md',
  ),
  LATCHKEY_CALL_LOG: optionalFlag(
    'Keep a log of each client application’s recent calls for its developer, without bodies and IP addresses. Defaults to yes.',
  ),
  LATCHKEY_TRIAL_SCOPES: someOf(
    'Scopes that new client applications get without your approval, for example user:read. By default, applications wait for approval; with the sample community they get user:read, user:wallet:read and token-gating.',
    Object.keys(scopes),
    'scopes of docs/scopes.md',
  ),
  LATCHKEY_ALLOW_PRIVATE_CALLBACKS: optionalFlag(
    'Allow webhooks, callbacks and mini-apps on private network addresses. By default, only this machine is allowed while `npm start` runs the sample community, and none otherwise.',
  ),
  LATCHKEY_SMTP_URL: url(
    'The mail server. Without it, `npm start` uses the built-in mail catcher, and other processes send no email.',
    ['smtp:', 'smtps:'],
  ),
  LATCHKEY_MAIL_CATCHER_PORT: number(
    'The port of the built-in mail catcher. Its inbox is on the next port.',
    3025,
    1,
    65_534,
  ),
  LATCHKEY_MAIL_FROM: email('The sender address of emails.', 'latchkey@localhost'),
  ...platformVariables,
  LATCHKEY_EVM_RPC_URLS: chainUrls(
    'JSON-RPC URLs of EVM chains as chain=url, with one or more per chain: 1=https://… 1=https://… 137=https://….',
  ),
  LATCHKEY_PUBLIC_RPC_URLS: chainUrls(
    'Public JSON-RPC URLs that GET /evm/network-configs returns, for chains that this server reads: 1=https://….',
  ),
  LATCHKEY_CHAIN_URLS: pairsOfUrls(
    'URLs of other chains and services as name=url, with one or more per name. docs/chains.md lists the names.',
  ),
  LATCHKEY_SERVICE_KEYS: pairs('API keys of services as name=key, for example poap=… opensea=….'),
  LATCHKEY_ALLOW_SHARED_WALLETS: flag('Allow several accounts in one community to link the same wallet.'),
  ...walletConnectVariables,
  LATCHKEY_IPFS_GATEWAY: url('The gateway for reading ipfs:// metadata. Without it, such metadata is unknown.', web),
  LATCHKEY_SOURCIFY_URL: url(
    'The Sourcify server from which the rule builder reads the ABIs of verified contracts.',
    web,
    'https://sourcify.dev/server',
  ),
  ...nearVariables,
  ...spendingVariables,
  LATCHKEY_FOLLOW_DEPTH: number('How many blocks behind the head of a chain Latchkey reads transfers.', 2, 0, 1000),
  LATCHKEY_FOLLOW_PAUSE_MS: number('The delay between two polls of a chain’s head, in milliseconds.', 500, 10, 60_000),
  LATCHKEY_REMOVAL_QUORUM: number('How many endpoints of a chain must agree before a role is removed.', 2, 1, 10),
  LATCHKEY_HOLD_PERCENT: number(
    'Role changes that remove a role from more than this percentage of its holders need an admin’s approval …',
    5,
    0,
    100,
  ),
  LATCHKEY_HOLD_COUNT: number('… if they remove it from at least this many members.', 10, 1, 1_000_000),
  LATCHKEY_HOLD_PER_DAY: number(
    'Removing a role from more members than this within 24 hours needs an admin’s approval, whatever the percentage. Community admins can set their own limits.',
    100,
    0,
    1_000_000,
  ),
  LATCHKEY_SANDBOX: optionalFlag(
    'Whether `npm start` also runs the emulators and a sample community. Defaults to yes while no bot is configured and only this machine can reach the server.',
  ),
  LATCHKEY_SANDBOX_PORT: number('The first port of the emulators.', 3040, 1, 65_500),
  LATCHKEY_WALLET_CHAIN_ID: optionalNumber(
    'The EVM chain for community and organization wallets. Defaults to Ethereum, or to the development chain of the emulators.',
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  ...signerVariables,
  ...partnerVariables,
  ...paymentVariables,
  ...metricsVariables,
  LATCHKEY_WORKER_CONCURRENCY: number('How many jobs a worker runs at a time.', 10, 1, 1000),
  LATCHKEY_STOP_SECONDS: number('How many seconds a process may take to shut down.', 10, 10, 3600),
  LATCHKEY_HANG_SECONDS: number(
    'How many seconds the event loop may be blocked before the watchdog ends the process and its children. 0 turns the watchdog off.',
    5,
    0,
    3600,
  ),
} satisfies Record<string, Variable<unknown>>;

type Values = { [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['read']> };

export type Config = ReturnType<typeof shapeConfig> & {
  /** Every setting, as shown to the operator. */
  inForce: readonly SettingInForce[];
};

/**
 * Returns this process's environment, plus the variables of a .env file in the working directory that it does not set.
 */
export function loadEnvironment(): Record<string, string | undefined> {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Error('The file .env cannot be read.', { cause: error });
  }
  return process.env;
}

/** Returns the environment of the signer that this process starts. */
export function signerEnvironment(more: Record<string, string>): Record<string, string | undefined> {
  const own = signerReads.map((name) => [name, process.env[name]] as const);
  return { ...Object.fromEntries(own.filter(([, value]) => value !== undefined)), ...bareEnvironment(more) };
}

/** Returns the environment passed by the parent process, without any file. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  return process.env;
}

/** Returns the environment for a child process that gets none of this process's secrets. */
export function bareEnvironment(more: Record<string, string>): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...more };
}

/** A settings file of Docker keeps the quotation marks around a value, and a pasted value may have spaces around it. */
function surroundingFault(value: string): string | undefined {
  if (/^(["'`]).*\1$/s.test(value)) return 'has quotation marks around it. Remove them';
  if (value.trim() !== value) return 'has spaces or a line break around it. Remove them';
  return undefined;
}

/** Reads every variable. An empty one counts as not set. Reports all invalid values at once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const entries = Object.entries(variables).map(([name, variable]) => {
    const given = environment[name] || variable.fallback;
    try {
      const fault = surroundingFault(given);
      if (fault !== undefined) throw new ConfigError(fault);
      return [name, variable.read(given)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(`${name} ${error.message}.`);
      return [name, undefined];
    }
  });
  const values = Object.fromEntries(entries) as Values;
  if (problems.length === 0) problems.push(...combinationProblems(values, (name) => (environment[name] ?? '') !== ''));
  for (const { name, meant } of misspeltSettings(environment, Object.keys(variables)))
    problems.push(`${name} is not a setting. Did you mean ${meant}?`);
  if (problems.length > 0)
    throw new InvalidConfig(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  const config = shapeConfig(values);
  return { ...config, inForce: describeSettings(variables, environment, config) };
}

/** The exit code for invalid settings (EX_CONFIG), as opposed to a crash: a restart does not help. */
export const wrongSettingsCode = 78;

/** Settings that no process should start with. */
export class InvalidConfig extends Error {}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

function shapeConfig(values: Values) {
  const host = values.LATCHKEY_HOST ?? '127.0.0.1';
  return {
    host,
    port: values.LATCHKEY_PORT,
    baseUrl: values.LATCHKEY_BASE_URL,
    portalUrl: values.LATCHKEY_PORTAL_URL,
    portal: {
      isWanted: values.LATCHKEY_PORTAL ?? true,
      port: values.LATCHKEY_PORTAL_PORT,
      repository: values.LATCHKEY_PORTAL_REPOSITORY,
    },
    dataDir: resolve(values.LATCHKEY_DATA_DIR ?? 'data'),
    databaseUrl: values.DATABASE_URL,
    directDatabaseUrl: values.LATCHKEY_DIRECT_DATABASE_URL,
    extraHosts: values.LATCHKEY_EXTRA_HOSTS,
    tenantDatabaseUrl: values.LATCHKEY_TENANT_DATABASE_URL,
    drillDatabaseUrl: values.LATCHKEY_DRILL_DATABASE_URL,
    databaseConnections: values.LATCHKEY_DATABASE_CONNECTIONS,
    databaseWaitSeconds: values.LATCHKEY_DATABASE_WAIT_SECONDS,
    masterKeys: values.LATCHKEY_MASTER_KEYS,
    logLevel: (values.LATCHKEY_LOG_LEVEL ?? 'info') as LogLevel,
    debugParts: values.LATCHKEY_DEBUG ?? '',
    serviceName: values.LATCHKEY_SERVICE_NAME ?? 'Latchkey',
    trustedProxies: values.LATCHKEY_TRUSTED_PROXIES,
    anonymousRate: values.LATCHKEY_ANONYMOUS_RATE,
    userRate: values.LATCHKEY_USER_RATE,
    ethereumHeader: values.LATCHKEY_ETHEREUM_HEADER,
    ethereumFixedText: values.LATCHKEY_ETHEREUM_FIXED_TEXT,
    strictOauth: values.LATCHKEY_STRICT_OAUTH,
    clientRegistration: {
      isOpen: values.LATCHKEY_CLIENT_REGISTRATION,
      scopes: values.LATCHKEY_CLIENT_REGISTRATION_SCOPES,
    },
    callLog: values.LATCHKEY_CALL_LOG ?? true,
    trialScopes: values.LATCHKEY_TRIAL_SCOPES,
    allowPrivateCallbacks: values.LATCHKEY_ALLOW_PRIVATE_CALLBACKS as
      | boolean
      | { hosts: readonly string[] }
      | undefined,
    smtpUrl: values.LATCHKEY_SMTP_URL,
    mailCatcherPort: values.LATCHKEY_MAIL_CATCHER_PORT,
    mailFrom: values.LATCHKEY_MAIL_FROM ?? 'latchkey@localhost',
    ...shapePlatforms(values),
    evmRpcUrls: values.LATCHKEY_EVM_RPC_URLS,
    publicRpcUrls: values.LATCHKEY_PUBLIC_RPC_URLS,
    chainUrls: values.LATCHKEY_CHAIN_URLS,
    serviceKeys: values.LATCHKEY_SERVICE_KEYS,
    allowSharedWallets: values.LATCHKEY_ALLOW_SHARED_WALLETS,
    ...shapeWalletConnect(values),
    ipfsGateway: values.LATCHKEY_IPFS_GATEWAY,
    sourcifyUrl: values.LATCHKEY_SOURCIFY_URL,
    ...shapeNear(values),
    ...shapeSpending(values),
    gating: {
      followDepth: values.LATCHKEY_FOLLOW_DEPTH,
      followDepths: {} as Readonly<Record<string, number>>,
      followPauseMs: values.LATCHKEY_FOLLOW_PAUSE_MS,
      removalQuorum: values.LATCHKEY_REMOVAL_QUORUM,
      heldRemovalShare: values.LATCHKEY_HOLD_PERCENT / 100,
      heldRemovalCount: values.LATCHKEY_HOLD_COUNT,
      heldRemovalsPerDay: values.LATCHKEY_HOLD_PER_DAY,
    },
    sandbox: values.LATCHKEY_SANDBOX,
    sandboxPort: values.LATCHKEY_SANDBOX_PORT,
    walletChainId: values.LATCHKEY_WALLET_CHAIN_ID,
    ...shapeSigner(values),
    ...shapePartners(values),
    ...shapePayments(values),
    ...shapeMetrics(values),
    workerConcurrency: values.LATCHKEY_WORKER_CONCURRENCY,
    stopSeconds: values.LATCHKEY_STOP_SECONDS,
    hangSeconds: values.LATCHKEY_HANG_SECONDS,
  };
}

/** Returns every setting as shown to the operator: no secrets, and only the host of each URL. */
function describeSettings(
  variables: Readonly<Record<string, Variable<unknown>>>,
  environment: Readonly<Record<string, string | undefined>>,
  config: Omit<Config, 'inForce'>,
): SettingInForce[] {
  const warnings = warningsOf(config);
  return Object.entries(variables).map(([name, { meaning, fallback, shown }]) => {
    const given = environment[name] ?? '';
    const text = given === '' ? fallback : given;
    const value = text === '' ? undefined : valueShown(text, shown);
    return {
      name,
      meaning,
      isMasked: shown === undefined,
      isSet: given !== '',
      ...(value !== undefined && { value }),
      ...(warnings[name] !== undefined && { warning: warnings[name] }),
    };
  });
}

function valueShown(text: string, shown: Variable<unknown>['shown']): string | undefined {
  if (shown === undefined) return undefined;
  if (shown === 'all') return text.slice(0, 1000);
  if (shown === 'database hosts')
    return isDatabaseUrl(text) ? hostsIn(text).map(shownHost).join(', ').slice(0, 1000) : '…';
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(hostShown)
    .join(', ')
    .slice(0, 1000);
}

/**
 * `1=https://user:key@eth.example.org/key` is shown as `1=eth.example.org`: credentials, paths and queries may contain
 * keys.
 */
function hostShown(entry: string): string {
  const [, name = '', address = entry] = /^([^=/]+=)(.+)$/.exec(entry) ?? [];
  return URL.canParse(address) ? `${name}${new URL(address).host}` : `${name}…`;
}

type Known = Omit<Config, 'inForce'>;

const loopback = ['127.0.0.1', '::1', 'localhost'];
const manyRequestsPerSecond = 1000;

/**
 * What is dangerous about the current values, and what to do. Defaults that suit a trial are reported once other
 * machines have access.
 */
const rules: Readonly<Record<string, (config: Known) => string | undefined>> = {
  LATCHKEY_BASE_URL: ({ host, baseUrl }) =>
    !loopback.includes(host) && !baseUrl?.startsWith('https:')
      ? 'Other machines can reach this server without TLS. Put a TLS proxy in front, and set this to its https URL.'
      : undefined,
  LATCHKEY_MASTER_KEYS: ({ masterKeys, databaseUrl }) =>
    masterKeys.length === 0 && databaseUrl !== undefined
      ? 'The master key is stored in one machine’s data folder, and other machines generate their own. Set it, and store a copy separately from the database.'
      : undefined,
  LATCHKEY_LOG_LEVEL: ({ logLevel }) =>
    logLevel === 'debug' ? 'Debug logs are large and may contain more personal data than you want to keep.' : undefined,
  LATCHKEY_TRUSTED_PROXIES: ({ trustedProxies }) =>
    trustedProxies.some((entry) => /^(0\.0\.0\.0|::)\/0$/.test(entry))
      ? 'Any caller can forge their IP address, so per-address limits are ineffective. List only your own proxies.'
      : undefined,
  LATCHKEY_ANONYMOUS_RATE: ({ anonymousRate: { points, durationSeconds } }) =>
    points / durationSeconds > manyRequestsPerSecond
      ? 'This rate limit is too high to slow down guessing of keys and codes. Lower it.'
      : undefined,
  LATCHKEY_ETHEREUM_FIXED_TEXT: ({ ethereumFixedText }) =>
    ethereumFixedText
      ? 'A signature of a fixed text allows reads forever: anyone who sees it once can use it. Turn this off once no client needs it.'
      : undefined,
  LATCHKEY_ALLOW_PRIVATE_CALLBACKS: ({ allowPrivateCallbacks }) =>
    allowPrivateCallbacks === true
      ? 'Webhooks and mini-apps can point to addresses in your own network and reach internal services. Turn this off in production.'
      : undefined,
  LATCHKEY_ALLOW_SHARED_WALLETS: ({ allowSharedWallets }) =>
    allowSharedWallets ? 'One wallet can earn a role for many accounts in a community.' : undefined,
  LATCHKEY_REMOVAL_QUORUM: ({ gating }) =>
    gating.removalQuorum === 1
      ? 'A single faulty endpoint can remove roles. Set this to 2 and configure two endpoints for each chain.'
      : undefined,
  LATCHKEY_HOLD_PERCENT: ({ gating }) =>
    gating.heldRemovalShare >= 1
      ? 'No percentage of removals needs approval; only LATCHKEY_HOLD_PER_DAY limits them. Set this to 5.'
      : undefined,
  LATCHKEY_SIGN_HASHES: ({ signer }) =>
    signer.policy.allowsHashes
      ? 'Users approve hashes that they cannot read, and may sign away their assets. Turn this off if no application needs it.'
      : undefined,
  LATCHKEY_METRICS_HOST: ({ metrics: { host, port, token } }) =>
    port !== undefined && !loopback.includes(host) && token === undefined
      ? 'Other machines can read the metrics, which can help an attacker. Set LATCHKEY_METRICS_TOKEN, or restrict the port to your collector.'
      : undefined,
  LATCHKEY_SIGNER_MASTER_KEYS: ({ signer, signer: { masterKeys } }) =>
    masterKeys.length > 0 && signer.isWanted !== true
      ? 'This process can decrypt hosted-wallet keys, which it does not need. Set this on the signer only.'
      : undefined,
};

function warningsOf(config: Known): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule(config)]));
}
