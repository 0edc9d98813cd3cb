import { statfs } from 'node:fs/promises';
import { type Finding as CheckFinding, type Context, checkHealth, checkPath } from '@latchkey/core';
import { listAlive, sql } from '@latchkey/db';
import { chatPlatforms } from '@latchkey/kernel';
import { systemClock } from '../../clock.ts';
import { type Config, loadEnvironment, variables } from '../../config.ts';
import { fetchTo } from '../../egress/index.ts';
import { unknownSettings } from '../../unknown-settings.ts';

/** One check. `unknown`: it could not be made, so nothing is known about its subject. */
export interface Finding extends Omit<CheckFinding, 'level'> {
  level: CheckFinding['level'] | 'unknown';
}

const patienceMs = 10_000;

/** Asks every EVM JSON-RPC endpoint for its chain id. Reports only host names, because URLs may contain keys. */
async function askEndpoints(evmRpcUrls: ReadonlyMap<string, readonly string[]>): Promise<Finding[]> {
  const endpoints = [...evmRpcUrls].flatMap(([chain, urls]) => urls.map((url) => ({ chain, url })));
  return Promise.all(endpoints.map(({ chain, url }) => askEndpoint(chain, url)));
}

async function askEndpoint(chain: string, url: string): Promise<Finding> {
  const { host } = new URL(url);
  const about = `chain ${chain}`;
  try {
    const answered = await askChainId(url);
    if (answered === chain) return { level: 'ok', about, says: `${host} answers.` };
    const says = `${host} serves chain ${answered}. Correct the entry in LATCHKEY_EVM_RPC_URLS; its responses are ignored until then.`;
    return { level: 'fail', about, says };
  } catch (error) {
    const says = `${host} does not answer (${reasonOf(error)}). Check the address and its key, or name another endpoint.`;
    return { level: 'fail', about, says };
  }
}

/**
 * Asks the nodes and services of other chains for any answer. Their protocols differ, so this finds a wrong address, a closed network and a
 * refused key, but not a node of another chain.
 */
async function askOthers(chainUrls: ReadonlyMap<string, readonly string[]>): Promise<Finding[]> {
  const endpoints = [...chainUrls].flatMap(([name, urls]) => urls.map((url) => ({ name, url })));
  return Promise.all(endpoints.map(({ name, url }) => askOther(name, url)));
}

async function askOther(name: string, url: string): Promise<Finding> {
  const { host } = new URL(url);
  const advice = `Correct its entry in LATCHKEY_CHAIN_URLS or its key, or name another endpoint.`;
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const { status, body } = await fetchTo([url])(url, { redirect: 'manual', signal });
    await body?.cancel();
    if (status === 401 || status === 403)
      return { level: 'fail', about: name, says: `${host} refuses the key (status ${status}). ${advice}` };
    if (status >= 500) return { level: 'fail', about: name, says: `${host} fails (status ${status}). ${advice}` };
    return { level: 'ok', about: name, says: `${host} answers. Which chain it serves was not checked.` };
  } catch (error) {
    return { level: 'fail', about: name, says: `${host} does not answer (${reasonOf(error)}). ${advice}` };
  }
}

async function askChainId(url: string): Promise<string> {
  const response = await fetchTo([url])(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const { result } = Object(await response.json());
  if (typeof result !== 'string' || !/^0x[0-9a-f]+$/i.test(result)) throw new Error('it reports no chain');
  return BigInt(result).toString();
}

/**
 * The message of a `fetch` error says nothing, and that of its cause may contain the address, so show only the code.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  const code = Object(error.cause).code;
  if (typeof code === 'string') return code;
  if (error.name === 'TimeoutError') return `no response within ${patienceMs / 1000} s`;
  return error instanceof SyntaxError ? 'not JSON' : error.message;
}

const levels = { ok: 'ok', attention: 'warn', failing: 'fail', unknown: 'unknown' } as const;
const oldestPostgres = 15;
const clockSeconds = 5;
const gigabyte = 1024 ** 3;

type Examine = (ctx: Context, config: Config) => Promise<Finding[]> | Finding[];

const parts: Readonly<Record<string, Examine>> = {
  settings: (_ctx, { inForce }) => {
    const unknown = unknownSettings(loadEnvironment(), Object.keys(variables)).map((name): Finding => {
      const says = `${name} is not a setting and has no effect. docs/configuration.md lists all settings.`;
      return { level: 'warn', about: 'settings', says };
    });
    const dangerous = inForce.flatMap(({ name, warning }): Finding[] =>
      warning === undefined ? [] : [{ level: 'warn', about: name, says: warning }],
    );
    const count = inForce.filter(({ isSet }) => isSet).length;
    return [{ level: 'ok', about: 'settings', says: `${count} set, all valid.` }, ...unknown, ...dangerous];
  },
  database: async (ctx) => {
    const { rows } = await sql<{ version: number; now: Date; size: string }>`
      select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as now,
        pg_size_pretty(pg_database_size(current_database())) as size`.execute(ctx.db.system);
    const [{ version, now, size } = { version: 0, now: new Date(0), size: '' }] = rows;
    // `now` comes from the database.
    const apart = Math.abs(systemClock().getTime() - now.getTime()) / 1000;
    return [
      version >= oldestPostgres
        ? { level: 'ok', about: 'database', says: `PostgreSQL ${version}, ${size}, with all migrations applied.` }
        : {
            level: 'fail',
            about: 'database',
            says: `PostgreSQL ${version} is too old. Use ${oldestPostgres} or later.`,
          },
      apart <= clockSeconds
        ? { level: 'ok', about: 'clock', says: 'This machine and the database agree on the time.' }
        : {
            level: 'warn',
            about: 'clock',
            says: `The clocks of this machine and the database differ by ${apart.toFixed()} seconds. Sync both with NTP, because tokens expire by the clock.`,
          },
    ];
  },
  // The command line has already decrypted a sealed value with them, or exited.
  keys: () => [{ level: 'ok', about: 'keys', says: 'The master keys can decrypt the secrets in the database.' }],
  platforms: async ({ bots, discord, telegram }) => {
    const requests: Finding[] = [];
    if (discord !== undefined) requests.push(await askBot('Discord', () => discord.botName()));
    if (telegram !== undefined) requests.push(await askBot('Telegram', () => telegram.botName()));
    for (const { platform, profileUrl } of Object.values(bots))
      requests.push(await askBot(chatPlatforms[platform].title, () => profileUrl()));
    return requests;
  },
  chains: async (_ctx, { evmRpcUrls, chainUrls }) => [
    ...(await askEndpoints(evmRpcUrls)),
    ...(await askOthers(chainUrls)),
  ],
  path: tryPath,
  disk: async (_ctx, { dataDir, databaseUrl }) => {
    if (databaseUrl !== undefined) return [];
    const { bavail, bsize } = await statfs(dataDir);
    const free = (bavail * bsize) / gigabyte;
    const says = `${free.toFixed(1)} GB free on the embedded database’s disk.`;
    if (free >= 1) return [{ level: 'ok', about: 'disk', says }];
    return [
      {
        level: free < 0.1 ? 'fail' : 'warn',
        about: 'disk',
        says: `${says} Free up space: a full disk stops the database.`,
      },
    ];
  },
  health: async (ctx) => {
    const { checks } = await checkHealth(ctx);
    return checks
      .filter(({ subject }) => subject !== 'settings')
      .map(({ subject, state, summary, advice }) => ({
        level: levels[state],
        about: subject,
        says: [summary, advice ?? ''].join(' ').trim(),
      }));
  },
  versions: () => [{ level: 'ok', about: 'versions', says: `Node.js ${process.versions.node}, ${process.arch}.` }],
};

/**
 * Checks everything that an operator configures. A check that fails to run is reported and does not block the others.
 */
export async function examineInstallation(ctx: Context, config: Config): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(parts).map(async ([about, examine]): Promise<Finding[]> => {
      try {
        return await examine(ctx, config);
      } catch (error) {
        ctx.log.for('doctor').warn('A check could not be completed.', { about, error });
        return [{ level: 'unknown', about, says: `This could not be checked: ${reasonOf(error)}.` }];
      }
    }),
  );
  return found.flat();
}

const jobPatienceMs = 30_000;

/** Has a running worker try the path from an event to a role, because its settings and network are what counts. */
async function tryPath(ctx: Context): Promise<Finding[]> {
  const alive = await listAlive(ctx.db.system);
  // `npm start` reports as a server, and runs a worker too.
  if (alive.length === 0)
    return [
      {
        level: 'unknown',
        about: 'path',
        says: 'No Latchkey runs on this database, so the path from an event to a role was not tried. Start it, and run doctor again.',
      },
    ];
  const { enqueueMs, ran } = await checkPath(ctx, jobPatienceMs);
  const added: Finding = { level: 'ok', about: 'path: enqueue', says: `A job was added in ${enqueueMs} ms.` };
  if (ran === undefined)
    return [
      added,
      {
        level: 'fail',
        about: 'path: worker',
        says: `No worker ran it within ${jobPatienceMs / 1000} seconds, so roles do not change, and what follows the worker was not tried. Start one (latchkey worker), or read the log of those that run: see "Jobs wait" in docs/watching.md.`,
      },
    ];
  const { hostName, waitedMs, steps } = ran;
  return [
    added,
    { level: 'ok', about: 'path: worker', says: `The worker on ${hostName} started it after ${waitedMs} ms.` },
    ...steps.map(
      ({ name, ms, fault, found = '' }): Finding =>
        fault === undefined
          ? { level: 'ok', about: `path: ${name}`, says: `Answered that worker in ${ms} ms. ${found}`.trim() }
          : {
              level: 'fail',
              about: `path: ${name}`,
              says: `Did not answer that worker (${fault}; ${ms} ms). If it answers this machine, compare the settings and the network of the two.`,
            },
    ),
  ];
}

async function askBot(title: string, name: () => Promise<string>): Promise<Finding> {
  try {
    return { level: 'ok', about: title, says: `The bot is called ${await name()}.` };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no reason given';
    return { level: 'fail', about: title, says: `The bot cannot be reached: ${why}` };
  }
}
