import {
  checkMasterKey,
  contextFor,
  createFirstAdminKey,
  describeMissing,
  ensureSigningKeys,
  forgetPlaygrounds,
  type PlatformUse,
  type Services,
} from '@latchkey/core';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import { platformNames } from '@latchkey/kernel';
import { print } from '../cli/print.ts';
import { compose } from '../compose/index.ts';
import type { Config } from '../config.ts';
import { createTickets, describeEntrance } from '../console/index.ts';
import type { RootLog } from '../log.ts';
import { metricsOf } from '../metrics/index.ts';
import { partsSetUp } from '../portal/parts.ts';
import { type RunningPortal, startPortal } from '../portal/start.ts';
import { announceProcess } from '../process-presence.ts';
import { membership } from '../processes/member.ts';
import {
  findSampleOwner,
  forgetSamples,
  loadEmulators,
  noteSamples,
  openPlaygroundWorld,
  sampleKeys,
  seedCommunity,
  seedMiniApps,
  seedNearIndex,
  seedPrices,
  seedRegistry,
  seedSafes,
  seedSubreddit,
  seedTreasury,
  seedWaitingList,
  startWorld,
  withEmulators,
} from '../sandbox/index.ts';
import { startWithSigner } from '../signer/supervise.ts';
import { startTracing } from '../tracing/index.ts';
import { findDatabase } from './find-database.ts';
import { type Lifetime, StartInterrupted } from './lifetime.ts';
import { listenOutside } from './listen.ts';
import { openMigrated, prepareDatabase } from './prepare-database.ts';
import { watchReadiness } from './readiness.ts';
import { endOfStart } from './start-up-memory.ts';
import { waitForDatabase } from './wait-for-database.ts';
import { openWatch } from './watch.ts';
import { runWorker } from './worker.ts';

export interface Parts {
  api: boolean;
  worker: boolean;
  /** Also everything that a fresh machine lacks: the mail catcher, the operator's first key, a welcome message. */
  whole: boolean;
}

/** The parts of a running start. */
export interface StartingParts extends Parts {
  /** The sample community with its emulators, only for a whole Latchkey that no other machine can reach. */
  sampleWorld: boolean;
}

/** The port that the server listens on, and its URLs for this machine and for users. */
export interface Place {
  port: number;
  localUrl: string;
  baseUrl: string;
}

/** The part of the stop time that is reserved for cleanup after the running requests. */
const undoMs = 3_000;
/** How long a job may still run. One that is not finished by then is released, and continues in another process. */
const jobGraceMs = 7_000;

/** How long the welcome message waits for the signer. */
const signerPatienceMs = 15_000;

/** Starts the requested parts. The end of `lifetime` stops what was started, even if the start failed halfway. */
export async function startParts(
  given: Config,
  { port, localUrl, baseUrl }: Place,
  log: RootLog,
  parts: StartingParts,
  lifetime: Lifetime,
): Promise<void> {
  if (parts.whole)
    print(given.databaseUrl === undefined ? 'Starting the embedded PostgreSQL …' : 'Connecting to the database …');
  const watch = await openWatch(given, log, lifetime);
  const kind = parts.whole ? 'whole' : parts.api ? 'server' : 'worker';
  const tracing = await startTracing(given.traces, kind, log.for('traces'));
  if (tracing !== undefined) lifetime.add('the traces', tracing.stop);
  const database = await findDatabase(given, log);
  lifetime.add('the database', database.stop, database.pid);
  const patience = { seconds: given.databaseWaitSeconds, signal: lifetime.ended };
  if (!database.isEmbedded) await waitForDatabase(database.url, log.for('database'), patience);
  if (lifetime.ended.aborted) throw new StartInterrupted();
  const progress = (line: string) => log.for('database').debug('Migrating the database.', { line });
  // Nobody else could migrate an embedded database; for any other, `latchkey migrate` is a step of its own.
  const { applied, ...addresses } =
    parts.whole || database.isEmbedded
      ? await prepareDatabase(database, { progress })
      : { applied: 0, ...(await openMigrated(database, log.for('database'), patience)) };
  if (parts.whole && applied > 0) print(`Applied ${applied} migrations to the database.`);
  // Started early, so that it stops after the parts that use it.
  if (!parts.whole && given.signer.masterKeys.length > 0)
    log.warn(
      'Remove LATCHKEY_SIGNER_MASTER_KEYS from the environment of servers and workers: only the signer needs it.',
    );
  const signer = parts.whole ? startWithSigner(given, database, log, baseUrl) : undefined;
  if (signer !== undefined) lifetime.add('the signer', signer.stop, signer.pid);

  const world = parts.sampleWorld ? await startEmulators(given, lifetime) : undefined;
  const config = world ? { ...withEmulators(given), discordPublicKey: world.discord.application.publicKey } : given;
  const mail = await findMailServer(config, parts, lifetime);
  const portal = parts.whole ? await openPortal(config, baseUrl, log, lifetime) : undefined;
  const serverType = parts.api ? 'APIServer' : 'JobServer';
  const { services, discordMetrics, close } = await compose({
    config,
    log,
    ...addresses,
    baseUrl,
    smtpUrl: mail.url,
    serverType,
    playgroundWorld: await openPlaygroundWorld(given, world),
  });
  lifetime.add('the database connections', close);
  const metrics = metricsOf(services, kind, config, discordMetrics);
  lifetime.add('the metrics', async () => metrics.close());
  await checkMasterKey(services);
  await ensureSigningKeys(services);
  // Their guilds ended with the emulators of an earlier start.
  if (parts.whole) await forgetPlaygrounds(contextFor(services, { kind: 'system', job: 'start' }));
  if (world !== undefined) {
    await seedRegistry(services, world);
    await seedNearIndex(services, given);
    await seedSafes(services, world);
  } else await startWithoutSamples(services, log);

  const presence = await announceProcess(services, log);
  lifetime.add('the process registry', presence.leave);
  const worker = parts.worker ? runWorker(services, config) : undefined;
  if (worker !== undefined) lifetime.add('the worker', () => worker.stop(jobGraceMs));
  if (parts.worker) {
    const listening = listenOutside(services, config);
    lifetime.add('the chain and chat listeners', listening.stop);
  }
  if (parts.api) {
    const { runApi } = await import('./api.ts');
    const http = await runApi(
      services,
      { ...config, portalUrl: config.portalUrl ?? portal?.url },
      port,
      createTickets(services),
      metrics,
    );
    const graceMs = config.stopSeconds * 1000 - undoMs;
    // In parallel, so that both have the full grace period.
    lifetime.add('the HTTP server', () => Promise.all([http.drain(graceMs), worker?.stop(jobGraceMs)]));
  }
  if (world !== undefined) {
    await noteSamples(services);
    await seedCommunity(services, world);
    if (given.redditClientId === undefined) await seedSubreddit(services, world);
    await seedWaitingList(services, world);
    await world.discord.setInteractionsUrl(`${localUrl}/discord/interactions`);
    world.stripe.sendEventsTo(`${localUrl}/stripe/webhook`);
    world.snapshot.sendEventsTo(`${localUrl}/snapshot/webhook/event`, sampleKeys['snapshot-webhook']);
    await seedPrices(services, given);
    world.discord.application.redirectUris.add(`${baseUrl}/login/return/discord`);
    world.discord.application.redirectUris.add(`${baseUrl}/console/me/linked-roles`);
    world.reddit.redirectUris.add(`${baseUrl}/login/return/reddit`);
    // Nothing waits for them, so the start does not either.
    seedMiniApps(services, world, { serverUrl: localUrl, port: given.sandboxPort + 9 })
      .then((apps) => lifetime.add('the sample mini-apps', apps.stop))
      .catch((error: unknown) => {
        if (!lifetime.ended.aborted) log.warn('The sample mini-apps could not be started.', { error });
      });
  }
  if (signer !== undefined && !(await signer.ready(signerPatienceMs)))
    log.warn('The signer of hosted wallets does not respond yet; will keep trying.');
  else if (world !== undefined) await seedTreasury(services, world);
  endOfStart();
  if (parts.whole)
    await welcome(services, { baseUrl, inbox: mail.inbox, isEmbedded: database.isEmbedded, world, portal });
  else log.info(`Latchkey ${parts.api ? 'server' : 'worker'} is running.`, { baseUrl });
  watch.opened({ metrics, isReady: watchReadiness(services) });
  membership()?.serving();
}

async function startEmulators(config: Config, lifetime: Lifetime): Promise<SampleWorld> {
  print('Starting the sample community: an emulator of Discord and a development chain …');
  const world = await startWorld(config);
  lifetime.add('the sample community', world.stop);
  return world;
}

/**
 * Warns once about missing configuration, and removes what an earlier start with the sample community left in the
 * database.
 */
async function startWithoutSamples(services: Services, log: RootLog): Promise<void> {
  await forgetSamples(services);
  const missing = unconfigured(services);
  if (missing.length > 0) log.info(missing.join(' '));
}

function unconfigured({ hosts, identityProviders }: Services): string[] {
  return platformNames.flatMap((platform) => {
    const uses: PlatformUse[] = [
      ...(hosts[platform] === undefined ? (['bot'] as const) : []),
      ...(identityProviders[platform] === undefined ? (['login'] as const) : []),
    ];
    return uses.length === 0 ? [] : [describeMissing(platform, uses)];
  });
}

/** Serves the documentation next to the API. If its port is taken, the server runs without it. */
async function openPortal(
  config: Config,
  apiUrl: string,
  log: RootLog,
  lifetime: Lifetime,
): Promise<RunningPortal | undefined> {
  const { host, portal, portalUrl } = config;
  if (!portal.isWanted) return undefined;
  try {
    const running = await startPortal({
      host,
      port: portal.port,
      publicUrl: portalUrl,
      repository: portal.repository,
      apiUrl,
      setUp: partsSetUp(config),
      log: log.for('portal'),
    });
    lifetime.add('the documentation portal', running.stop, running.buildPid);
    return running;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    print(
      `Port ${portal.port} is in use, so the documentation portal is not served. Set LATCHKEY_PORTAL_PORT to another port.`,
    );
    return undefined;
  }
}

interface MailTarget {
  url: string | undefined;
  inbox?: string;
}

/**
 * Returns the configured mail server. Without one, a whole Latchkey starts a mail catcher; separate processes send no
 * mail.
 */
async function findMailServer(config: Config, parts: Parts, lifetime: Lifetime): Promise<MailTarget> {
  if (config.smtpUrl !== undefined || !parts.whole) return { url: config.smtpUrl };
  const { startMailCatcher } = await loadEmulators();
  const catcher = await startMailCatcher({
    host: '127.0.0.1',
    smtpPort: config.mailCatcherPort,
    httpPort: config.mailCatcherPort + 1,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Ports ${config.mailCatcherPort} and ${config.mailCatcherPort + 1}, used by the mail catcher, are taken. Set LATCHKEY_MAIL_CATCHER_PORT to others, or LATCHKEY_SMTP_URL to a mail server.`,
    );
  });
  lifetime.add('the mail catcher', () => catcher.stop());
  return { url: catcher.smtpUrl, inbox: `${catcher.httpUrl}/messages` };
}

async function welcome(
  services: Services,
  where: {
    baseUrl: string;
    inbox: string | undefined;
    isEmbedded: boolean;
    world: SampleWorld | undefined;
    portal: RunningPortal | undefined;
  },
): Promise<void> {
  const first = await createFirstAdminKey(services, 'first start');
  const entrance = where.world && (await describeEntrance(services, await findSampleOwner()));
  print(`
Latchkey is running.
  API          ${where.baseUrl}
  Console      ${where.baseUrl}/console
  Description  ${where.baseUrl}/openapi.json${describePortal(where.portal)}${where.inbox === undefined ? '' : `\n  Mails        ${where.inbox}`}
  Database     ${where.isEmbedded ? 'embedded PostgreSQL in the data folder (set DATABASE_URL in production)' : 'as configured'}${describeWorld(where.world, where.baseUrl)}
${first === undefined ? '' : `\nThe operator's key, shown only once:\n  ${first.key}\n`}${entrance === undefined ? '' : `\n${entrance}\n`}
Try next, in another terminal:
  curl '${where.baseUrl}/ping?wait=1'
  npm run latchkey -- dev-app "My first app"     makes an approved client application and shows its API key
  npm run latchkey -- open                       prints new links that sign you in to the console
  npm run latchkey -- help                       lists the operator's commands

Ctrl-C stops everything.`);
}

function describePortal(portal: RunningPortal | undefined): string {
  if (portal === undefined) return '';
  return `\n  Documents    ${portal.url}${portal.isReady ? '' : '   is being built; ready in about a minute'}`;
}

function describeWorld(world: SampleWorld | undefined, baseUrl: string): string {
  if (world === undefined) return '';
  const { discord, chain, telegram, reddit, guild, members } = world;
  return `
  Community    ${discord.controlUrl}/guilds/${guild.id}   ${members.length} members whose roles follow their wallets
  Chain        ${chain.url}   a development EVM chain with sample tokens
  Logins       ${baseUrl}/connect   by emulators of Discord, Telegram (${telegram.url}) and Reddit (${reddit.url})`;
}
