import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  contextFor,
  createAdminKey,
  createDevelopmentApp,
  ensureSigningKeys,
  issueAccessToken,
  issueAeToken,
  type Services,
} from '@latchkey/core';
import { tenantUrlOf, type Worker } from '@latchkey/db';
import { createTestDatabase } from '@latchkey/db/testing';
import { type MailCatcher, startMailCatcher } from '@latchkey/emulators/mail-catcher';
import { type ComposeOptions, compose } from '../../src/compose/index.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createLog, type RootLog } from '../../src/log.ts';
import { announceProcess } from '../../src/process-presence.ts';
import { runApi } from '../../src/run/api.ts';
import { choosePort } from '../../src/run/choose-port.ts';
import { runWorker } from '../../src/run/worker.ts';
import { freePorts } from './processes.ts';

/** A busy machine is not an outage; outages are tested elsewhere. */
export const patientDatabase = { connectTimeoutMs: 180_000, statementTimeoutMs: 180_000 };

export interface TestServer extends AsyncDisposable {
  url: string;
  config: Config;
  services: Services;
  mail: MailCatcher;
  /** Everything the server has logged, as JSON lines. */
  logLines: string[];
  log: RootLog;
  databaseUrl: string;
  /** The superuser of the database, which bypasses every row policy. */
  adminDatabaseUrl: string;
  worker: Worker;
  adminKey: string;
  /** The Authorization header of a user. */
  aeToken(userId: string, scopes?: string[]): Promise<string>;
  bearer(userId: string, scopes: string[], clientId?: string): Promise<string>;
  apiKey(scopes: string[], userId?: string): Promise<{ id: string; key: string }>;
  request(method: string, path: string, options?: RequestOptions): Promise<TestAnswer>;
  close(): Promise<void>;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
}

export interface TestAnswer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test states the shape it expects in its assertion.
  json: any;
}

/** Starts a complete server with a worker, in this process, on its own database. */
export async function startTestServer(
  environment: Record<string, string> = {},
  { playgroundWorld }: Pick<ComposeOptions, 'playgroundWorld'> = {},
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-test-'));
  const config = readConfig({
    LATCHKEY_PORT: String(await freePorts()),
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_ANONYMOUS_RATE: '100000/1',
    LATCHKEY_USER_RATE: '100000/1',
    LATCHKEY_LOG_LEVEL: 'debug',
    // Nothing listens there: tests do not leave the machine.
    LATCHKEY_SOURCIFY_URL: 'http://127.0.0.1:1',
    ...environment,
  });
  // A setting that is refused leaves nothing open, which would keep the test from ending.
  const database = await createTestDatabase({ migrate: true });
  const mail = await startMailCatcher({ host: '127.0.0.1', smtpPort: 0, httpPort: 0 });
  const logLines: string[] = [];
  const log = createLog(
    { logLevel: config.logLevel, debugSettings: '' },
    { write: (line) => void logLines.push(line) },
  );
  const port = await choosePort(config);
  const url = `http://127.0.0.1:${port}`;
  const { services, close } = await compose({
    config,
    log,
    databaseUrl: database.url,
    tenantDatabaseUrl: tenantUrlOf(database.url),
    baseUrl: url,
    smtpUrl: mail.smtpUrl,
    serverType: 'APIServer',
    // The emulator does not limit anything; compliance with the limits is tested elsewhere.
    discordCallsPerSecond: 10_000,
    databasePatience: patientDatabase,
    playgroundWorld,
  });
  await ensureSigningKeys(services);
  const presence = await announceProcess(services, log);
  const worker = runWorker(services, config);
  const http = await runApi(services, config, port);
  const operator = contextFor(services, { kind: 'admin', name: 'test' });
  const { key: adminKey } = await createAdminKey(operator, 'test');

  const closeAll = async () => {
    await http.drain(1_000);
    await worker.stop(1_000);
    await presence.leave();
    await close();
    await mail.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    url,
    config,
    services,
    mail,
    logLines,
    log,
    databaseUrl: database.url,
    adminDatabaseUrl: database.adminUrl,
    worker,
    adminKey,
    aeToken: async (userId, scopes = ['$all']) => {
      const presence = { how: 'wallet', at: services.clock() } as const;
      const session = { userId, platform: 'discord', scopes, credential: 'wallet-session', presence } as const;
      return `AE ${await issueAeToken(operator, { ...session, ttlSeconds: 3600 })}`;
    },
    bearer: async (userId, scopes, clientId) => {
      const holder = {
        kind: 'user' as const,
        userId,
        platform: 'discord',
        ...(clientId !== undefined && { clientId }),
      };
      return `Bearer ${(await issueAccessToken(operator, { holder, scopes, ttlSeconds: 3600 })).token}`;
    },
    apiKey: async (scopes, userId = 'DIS#USER#owner') => {
      const app = await createDevelopmentApp(operator, { userId, name: 'Test application', scopes });
      return { id: app.id ?? '', key: app.apiKey ?? '' };
    },
    request: (method, path, options) => send(url, method, path, options),
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
}

async function send(
  url: string,
  method: string,
  path: string,
  { headers = {}, json, body }: RequestOptions = {},
): Promise<TestAnswer> {
  const init: RequestInit = {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    redirect: 'manual',
  };
  if (json !== undefined) init.body = JSON.stringify(json);
  if (body !== undefined) init.body = typeof body === 'string' ? body : Buffer.from(body);
  const response = await fetch(url + path, init);
  const text = await readBody(response);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** Returns the whole body; the beginning of an event stream, which has no end. */
async function readBody(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}
