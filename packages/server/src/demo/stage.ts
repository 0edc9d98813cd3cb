import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, contextFor, ensureSigningKeys, type Services } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import type { Actor } from '@latchkey/kernel';
import { compose } from '../compose/index.ts';
import { type Config, readConfig } from '../config.ts';
import type { RootLog } from '../log.ts';
import { runApi } from '../run/api.ts';
import { findDatabase } from '../run/find-database.ts';
import { Lifetime } from '../run/lifetime.ts';
import { listenOutside } from '../run/listen.ts';
import { type OpenableDatabase, prepareDatabase } from '../run/prepare-database.ts';
import { runWorker } from '../run/worker.ts';
import { loadEmulators, type SampleCommunity, sampleBot, seedCommunity, withEmulators } from '../sandbox/index.ts';

/** Everything the demo runs on: all of Latchkey, with its own guild and chain. */
export interface Stage {
  services: Services;
  world: SampleWorld;
  community: SampleCommunity;
  /** The base URL of the API. */
  url: string;
  as(actor: Actor): Context;
  stop(): Promise<void>;
}

const graceMs = 5_000;

/** Starts everything in a temporary folder, which is deleted afterwards. */
export async function setStage(log: RootLog): Promise<Stage> {
  const lifetime = new Lifetime(log);
  const stop = () => lifetime.end();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-demo-'));
    lifetime.add('the data folder', () => rm(dataDir, { recursive: true, force: true }));
    const { startSampleWorld } = await loadEmulators();
    const world = await startSampleWorld({ bot: sampleBot });
    lifetime.add('the sample community', world.stop);
    // Discord lets a bot write ten roles in ten seconds; the demo would take minutes.
    const plenty = { limit: 1_000, windowSeconds: 10 };
    Object.assign(world.discord.limits.buckets, {
      'member-write': plenty,
      'member-roles': plenty,
      'member-list': plenty,
    });
    const config = configFor(dataDir, world);
    const database = await findDatabase(config, log);
    lifetime.add('the database', database.stop);
    const { applied: _applied, ...addresses } = await prepareDatabase(database);
    const started = await startServer(config, log, addresses, lifetime);
    const community = await seedCommunity(started.services, world);
    return { ...started, world, community, as: (actor) => contextFor(started.services, actor), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configFor(dataDir: string, world: SampleWorld): Config {
  const config = withEmulators({ ...readConfig({}), dataDir, port: 0, sandbox: true });
  return {
    ...config,
    discordApiUrl: world.discord.url,
    discordCdnUrl: world.discord.cdnUrl,
    discordPublicKey: world.discord.application.publicKey,
    telegramApiUrl: world.telegram.url,
    telegramBotToken: world.telegram.bot.token,
    redditApiUrl: world.reddit.url,
    redditAuthUrl: world.reddit.url,
    evmRpcUrls: new Map([[String(world.chain.chainId), [world.chain.url]]]),
    gating: { ...config.gating, followPauseMs: 100 },
  };
}

async function startServer(
  config: Config,
  log: RootLog,
  addresses: OpenableDatabase,
  lifetime: Lifetime,
): Promise<Pick<Stage, 'services' | 'url'>> {
  const { services, close } = await compose({
    config,
    log,
    ...addresses,
    baseUrl: 'http://localhost:3000',
    smtpUrl: 'smtp://127.0.0.1:1',
    serverType: 'APIServer',
  });
  lifetime.add('the database connections', close);
  await ensureSigningKeys(services);
  const worker = runWorker(services, config);
  lifetime.add('the worker', () => worker.stop(graceMs));
  const listening = listenOutside(services, config);
  lifetime.add('the chain and chat listeners', listening.stop);
  const http = await runApi(services, config, 0);
  lifetime.add('the HTTP server', () => http.drain(graceMs));
  const address = http.fastify.server.address();
  if (address === null || typeof address === 'string') throw new Error('The API is not listening on a port.');
  return { services, url: `http://127.0.0.1:${address.port}` };
}
