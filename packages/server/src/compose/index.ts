import { hostname } from 'node:os';
import { evmDigests, evmSignatures, evmWallets } from '@latchkey/chains';
import { accountsOfWallet, guardPorts, isKnownOrigin, resources, type Services } from '@latchkey/core';
import { type Mailer, MailFailed, type PlaygroundWorld } from '@latchkey/core/ports';
import { createKeyring, type Database, type DatabaseOptions, openBus, openDatabase, systemRandom } from '@latchkey/db';
import { createSmtpMailer } from '@latchkey/integrations';
import type { Config } from '../config.ts';
import { followDatabaseClock } from '../database-clock.ts';
import { connectTo, createEgress } from '../egress/index.ts';
import type { Credentials } from '../http/credentials.ts';
import {
  aeTokenScheme,
  apiKeyScheme,
  consoleSessionScheme,
  dpopScheme,
  ethereumScheme,
  oauth2Scheme,
} from '../http/schemes.ts';
import type { RootLog } from '../log.ts';
import { loadMasterKeys } from '../master-keys.ts';
import { readCaughtMails } from './caught-mails.ts';
import { composeChains } from './chains.ts';
import { composeRegistry, hostedWalletSettings } from './hosted-wallets.ts';
import { composeNear } from './near.ts';
import { composePartners, partnerSettings } from './partners.ts';
import { composePayments } from './payments.ts';
import { type ChatPlatforms, composePlatforms, inviteUrls } from './platforms.ts';
import { composeSafes } from './safes.ts';
import { ethereumId, spendingSettings } from './spending.ts';
import { composeWallets } from './wallets.ts';

export interface Composition {
  services: Services;
  db: Database;
  discordMetrics: ChatPlatforms['discordMetrics'];
  close(): Promise<void>;
}

export interface ComposeOptions {
  config: Config;
  log: RootLog;
  databaseUrl: string;
  /** The same without a pooler, for code that needs a session. Defaults to `databaseUrl`. */
  directDatabaseUrl?: string;
  /** The same database for the tenant login. */
  tenantDatabaseUrl: string;
  baseUrl: string;
  /** The mail server. Without one, every mail fails with the reason. */
  smtpUrl: string | undefined;
  serverType: 'APIServer' | 'JobServer' | 'Operator';
  /** A limit for this process alone, for tests. By default, all processes share the bot's rate limit on Discord. */
  discordCallsPerSecond?: number;
  /** Where readers of the guides get communities of their own, if the sample world runs in this process. */
  playgroundWorld?: PlaygroundWorld | undefined;
  /** Overrides how long a request waits for the database. */
  databasePatience?: Pick<DatabaseOptions, 'connectTimeoutMs' | 'statementTimeoutMs'>;
}

/** Wires everything together: the one place that names concrete adapters. */
export async function compose({
  config,
  log,
  databaseUrl,
  directDatabaseUrl = databaseUrl,
  tenantDatabaseUrl,
  baseUrl,
  smtpUrl,
  serverType,
  discordCallsPerSecond,
  playgroundWorld,
  databasePatience = {},
}: ComposeOptions): Promise<Composition> {
  const keyring = createKeyring(await loadMasterKeys(config), systemRandom);
  const db = openDatabase({
    url: databaseUrl,
    directUrl: directDatabaseUrl,
    tenantUrl: tenantDatabaseUrl,
    log: log.for('database'),
    maxConnections: config.databaseConnections,
    ...databasePatience,
  });
  const { clock, stop: stopClock } = await followDatabaseClock(db);
  const bus = openBus({ url: directDatabaseUrl, log: log.for('bus') });
  const egress = createEgress({ allowPrivate: config.allowPrivateCallbacks ?? false });
  const { chains, endpoints } = await composeChains(config, { clock, egress });
  const processId = systemRandom.id(12);
  const base = { clock, random: systemRandom, log, db, keyring, bus, egress };
  const { discordMetrics, ...platforms } = await composePlatforms(config, base, {
    owner: processId,
    discordCallsPerSecond,
  });
  const services = guardPorts({
    ...base,
    settings: {
      baseUrl,
      serviceName: config.serviceName,
      discordClientId: config.discordClientId,
      inviteUrls: inviteUrls(config),
      telegramUpdates: config.telegramUpdates,
      walletChainId: config.walletChainId ?? ethereumId,
      ipfsGateway: config.ipfsGateway,
      sourcifyUrl: config.sourcifyUrl,
      evmChains: [...config.evmRpcUrls.keys()].map((chain) => ({
        chainId: Number(chain),
        publicRpcUrls: config.publicRpcUrls.get(chain) ?? [],
      })),
      strictOauth: config.strictOauth,
      clientRegistration: config.clientRegistration,
      keepCalls: config.callLog,
      trialScopes: config.trialScopes,
      gating: config.gating,
      allowSharedWallets: config.allowSharedWallets,
      hostedWallets: hostedWalletSettings(config),
      partners: partnerSettings(config),
      spending: spendingSettings(config),
      nearIndex: config.nearIndex.network,
      selling: config.selling,
    },
    mailer:
      smtpUrl === undefined
        ? noMailer
        : createSmtpMailer({ url: smtpUrl, from: config.mailFrom, connect: connectTo(smtpUrl) }),
    evmWallets,
    evmDigests,
    ...composeWallets(config, { clock, baseUrl }),
    ...chains,
    ...platforms,
    ...composePartners(config),
    ...(await composePayments(config, { clock })),
    walletRegistry: await composeRegistry(config),
    safes: await composeSafes(config),
    near: await composeNear(config),
    process: {
      id: processId,
      serverType,
      serverSubType: `${serverType.toLowerCase()}-${process.pid}`,
      hostName: hostname(),
      pid: process.pid,
    },
    playgroundWorld,
    installation: {
      settings: config.inForce,
      mail: smtpUrl === undefined ? 'none' : config.smtpUrl === undefined ? 'catcher' : 'server',
      caughtMails: () => readCaughtMails(config.mailCatcherPort),
      endpoints,
    },
    resources,
  });
  return {
    services,
    db,
    discordMetrics,
    close: async () => {
      stopClock();
      await bus.close();
      await db.close();
    },
  };
}

/** A retryable failure, because a process with a mail server may make the next attempt. */
const noMailer: Mailer = {
  send: async () => {
    throw new MailFailed('Mail is not configured. Set LATCHKEY_SMTP_URL on the server.', { retryable: true });
  },
};

/** Creates the credential schemes of this platform. */
export function composeCredentials(
  services: Services,
  config: Pick<Config, 'ethereumHeader' | 'ethereumFixedText'>,
): Credentials {
  return {
    apiKey: apiKeyScheme(services),
    authorization: {
      ae: aeTokenScheme(services),
      bearer: oauth2Scheme(services),
      dpop: dpopScheme(services),
      ethereum: ethereumScheme(services, {
        isAllowed: config.ethereumHeader || config.ethereumFixedText,
        acceptsFixedText: config.ethereumFixedText,
        signatures: evmSignatures,
        accountsOfWallet: (address) => accountsOfWallet(services.db, address),
      }),
    },
    consoleSession: consoleSessionScheme(services),
    isKnownOrigin: (origin) => isKnownOrigin(services.db.pool, origin),
  };
}
