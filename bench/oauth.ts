/**
 * Tokens by client credentials and introspection of 1,000 tokens of 50 clients, compared with bare `node:http` doing the same work and with
 * the provider library with its own in-memory store, in the same run; then a Latchkey process for each core, compared with one. With
 * HYDRA_PROGRAM=<path> both are also compared with Ory Hydra on the same PostgreSQL, since Hydra uses all cores.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextFor, createAdminKey, ensureSigningKeys, issueAeToken } from '@latchkey/core';
import { migrate, startEmbeddedPostgres, tenantUrlOf } from '@latchkey/db';
import { compose, createLog, readConfig } from '@latchkey/server';
import { type Contender, differentCallers, type Load, printRatios, race } from './load.ts';
import { type Hydra, startHydra } from './oauth/hydra-server.ts';
import { expectPromised } from './promise.ts';
import { type ServerProcess, startLatchkey, startProcess } from './server-process.ts';

const hydraProgram = process.env.HYDRA_PROGRAM;
const baseUrl = 'http://localhost';
const scope = 'token-gating';
const clientCount = 50;
/** How many applications the free plan allows. */
const mostOfOwner = 5;
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

/** Who requests the applications, and who approves them. */
interface People {
  owners: readonly string[];
  adminKey: string;
}

async function settle(databaseUrl: string, environment: Record<string, string>): Promise<People> {
  const { services, close } = await compose({
    config: readConfig(environment),
    log: createLog({ logLevel: 'error', debugSettings: '' }),
    databaseUrl,
    tenantDatabaseUrl: tenantUrlOf(databaseUrl),
    baseUrl,
    smtpUrl: 'smtp://127.0.0.1:1',
    serverType: 'Operator',
  });
  await ensureSigningKeys(services);
  const operator = contextFor(services, { kind: 'admin', name: 'bench' });
  const { key: adminKey } = await createAdminKey(operator, 'bench');
  const request = { platform: 'discord', scopes: ['$all'], ttlSeconds: 3600, credential: 'operator-token' as const };
  const owners: string[] = [];
  while (owners.length < clientCount / mostOfOwner) {
    const token = await issueAeToken(operator, { ...request, userId: `DIS#USER#bench${owners.length}` });
    owners.push(`AE ${token}`);
  }
  await close();
  return { owners, adminKey };
}

async function ask(url: string, method: string, headers: Record<string, string>, body: string) {
  const answer = await fetch(url, { method, headers, body });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.status === 204 ? {} : ((await answer.json()) as Record<string, string>);
}

interface BenchClient {
  id: string;
  secret: string;
}

async function registerClient(url: string, owner: string, adminKey: string): Promise<BenchClient> {
  const json = { 'content-type': 'application/json' };
  const fields = { name: 'bench', clientType: 'confidential', allowedGrantTypes: ['client_credentials'] };
  const made = await ask(`${url}/client-apps`, 'POST', { ...json, authorization: owner }, JSON.stringify(fields));
  const approved = JSON.stringify({ ...fields, allowedScopes: [scope], status: 'APPROVED' });
  await ask(`${url}/client-apps/${made.id}`, 'PUT', { ...json, 'x-api-key': adminKey }, approved);
  return { id: String(made.id), secret: String(made.clientSecret) };
}

/** The endpoints of a server: for tokens, and for introspection. */
interface Entrant {
  server: ServerProcess;
  tokenPath: string;
  introspectPath: string;
}

async function contendersOf(entrants: readonly Entrant[], clients: readonly BenchClient[]) {
  const grant = `grant_type=client_credentials&scope=${scope}`;
  const tokens: Contender[] = [];
  const introspections: Contender[] = [];
  for (const { server, tokenPath, introspectPath } of entrants) {
    const issues: Load[] = [];
    const questions: Load[] = [];
    for (let n = 0; n < differentCallers; n += 1) {
      const { id, secret } = clients[n % clients.length] ?? { id: '', secret: '' };
      const headers = { ...formType, authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
      const { access_token: token } = await ask(server.url + tokenPath, 'POST', headers, grant);
      issues.push({ method: 'POST', path: tokenPath, headers, body: grant });
      questions.push({ method: 'POST', path: introspectPath, headers, body: `token=${token}` });
    }
    const [first] = questions;
    const about = first && (await ask(server.url + introspectPath, 'POST', first.headers, first.body ?? ''));
    if (String(about?.active) !== 'true') throw new Error('A new token is not active: the figures would be worthless.');
    tokens.push({ server, loads: someOf(issues) });
    introspections.push({ server, loads: someOf(questions) });
  }
  return { tokens, introspections };
}

function someOf(loads: readonly Load[]): Contender['loads'] {
  const [first, ...others] = loads;
  if (first === undefined) throw new Error('There is no request to send.');
  return [first, ...others];
}

async function compare(name: string, contenders: readonly Contender[]): Promise<void> {
  const [ours, bare, library] = await race(contenders);
  if (ours === undefined || bare === undefined || library === undefined) throw new Error('There are figures of all.');
  printRatios(name, ours, 'bare node:http', bare);
  printRatios(name, ours, 'oidc-provider in memory', library);
}

async function compareProcesses(name: string, [one]: readonly Contender[], all: ServerProcess): Promise<void> {
  if (one === undefined) throw new Error('There are figures of one process.');
  const [single, several] = await race([one, { ...one, server: all }]);
  if (single === undefined || several === undefined) throw new Error('There are figures of both.');
  printRatios(`${name}, a process for each core`, several, 'one process', single);
  expectPromised(several.perSecond >= single.perSecond, `${name}: several processes serve at least as much as one`);
}

async function compareWithHydra(name: string, contenders: readonly Contender[]): Promise<void> {
  const [one, all, hydra] = await race(contenders);
  if (one === undefined || all === undefined || hydra === undefined) throw new Error('There are figures of all.');
  printRatios(`${name}, one process`, one, 'Ory Hydra', hydra);
  printRatios(`${name}, a process for each core`, all, 'Ory Hydra', hydra);
}

/** The same loads on Hydra, whose introspection has its own port and needs no credential. */
async function hydraContenders({ adminUrl, client, ...server }: Hydra) {
  const authorization = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  const headers = { ...formType, authorization };
  const grant = `grant_type=client_credentials&scope=${scope}`;
  const questions: Load[] = [];
  while (questions.length < differentCallers) {
    const { access_token: token } = await ask(`${server.url}/oauth2/token`, 'POST', headers, grant);
    questions.push({ method: 'POST', path: '/admin/oauth2/introspect', headers: formType, body: `token=${token}` });
  }
  const about = await ask(`${adminUrl}/admin/oauth2/introspect`, 'POST', formType, questions[0]?.body ?? '');
  if (String(about.active) !== 'true') throw new Error('A new token is not active: the figures would be worthless.');
  const tokenLoad: Load = { method: 'POST', path: '/oauth2/token', headers, body: grant };
  return {
    token: { server, loads: someOf([tokenLoad]) },
    introspection: { server: { ...server, url: adminUrl }, loads: someOf(questions) },
  };
}

const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: () => undefined });
const environment = {
  DATABASE_URL: postgres.url,
  LATCHKEY_DATA_DIR: folder,
  // The issuer and the reader of a token must use the same server name.
  LATCHKEY_BASE_URL: baseUrl,
  // It is still counted, but never reached.
  LATCHKEY_ANONYMOUS_RATE: '1000000/1',
};
await migrate(postgres.url);
const people = await settle(postgres.url, environment);
const servers: ServerProcess[] = [];
try {
  const latchkey = await startLatchkey('server', environment);
  servers.push(latchkey);
  const clients: BenchClient[] = [];
  for (const owner of people.owners)
    for (let n = 0; n < mostOfOwner; n += 1) clients.push(await registerClient(latchkey.url, owner, people.adminKey));
  const report = { ...environment, BENCH_CLIENTS: JSON.stringify(clients), BENCH_SCOPE: scope };
  const start = async (name: string, readyPath: string) => {
    const server = await startProcess([join(import.meta.dirname, 'oauth', name)], report, readyPath);
    servers.push(server);
    return server;
  };
  const bare = await start('bare-server.ts', '/ready');
  const library = await start('provider-server.ts', '/.well-known/openid-configuration');
  const ourPaths = { tokenPath: '/oauth2/token', introspectPath: '/oauth2/introspect' };
  const { tokens, introspections } = await contendersOf(
    [
      { server: latchkey, ...ourPaths },
      { server: bare, ...ourPaths },
      { server: library, tokenPath: '/token', introspectPath: '/token/introspection' },
    ],
    clients,
  );
  await compare('introspection', introspections);
  await compare('client credentials', tokens);
  const all = await startLatchkey('server', environment, '--processes', 'auto');
  servers.push(all);
  await compareProcesses('introspection', introspections, all);
  await compareProcesses('client credentials', tokens, all);
  if (hydraProgram !== undefined) {
    const hydra = await startHydra(hydraProgram, postgres.adminUrl, scope);
    servers.push(hydra);
    const theirs = await hydraContenders(hydra);
    const withAll = ([one]: readonly Contender[], other: Contender): Contender[] =>
      one === undefined ? [] : [one, { ...one, server: all }, other];
    await compareWithHydra('introspection', withAll(introspections, theirs.introspection));
    await compareWithHydra('client credentials', withAll(tokens, theirs.token));
  }
} finally {
  for (const server of servers) await server.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
