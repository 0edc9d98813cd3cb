import {
  countByState,
  type EndpointState,
  listAlive,
  longestWaitSeconds,
  type ProcessFaults,
  type Sql,
} from '@latchkey/db';
import {
  admin,
  chatPlatforms,
  choice,
  listOf,
  op,
  platformNames,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { selectFollowedChains } from '../../gating/holdings/index.ts';
import type { Context } from '../../shared/context.ts';
import { checkTelegramUpdates } from '../../surfaces/telegram/index.ts';

const ChainState = record('ChainState', 'A chain, how far it is followed and how well its endpoints answer.', {
  chain: text('The chain, for example evm:1.'),
  isFollowed: T.Boolean({ description: 'Whether rules make this server follow its transfers.' }),
  block: T.Optional(T.Number({ description: 'The last block that was read.' })),
  newestBlock: T.Optional(T.Number({ description: 'The newest block that an endpoint reported.' })),
  blocksBehind: T.Optional(T.Number({ description: 'How many blocks are between the two.', minimum: 0 })),
  followedTime: T.Optional(text('When the end of the chain was last reached, in ISO 8601.')),
  secondsBehind: T.Optional(T.Number({ description: 'How many seconds ago that was.', minimum: 0 })),
  endpoints: T.Array(
    record('ChainEndpoint', 'One endpoint of the chain. Its address is not shown.', {
      name: text('Its position in the settings, for example endpoint 1.'),
      host: text('The end of its host name.'),
      isLeftAlone: T.Boolean({ description: 'Whether it is temporarily skipped because it failed repeatedly.' }),
      errorRate: T.Number({ description: 'The share of its last responses that failed, from 0 to 1.' }),
      newestBlock: T.Optional(T.Number({ description: 'The newest block it reported.' })),
    }),
    { description: 'The endpoints, in the order of the settings.', maxItems: 1000 },
  ),
});
type ChainState = ValueOf<typeof ChainState>;

export async function listChainStates(ctx: Pick<Context, 'clock' | 'db'>): Promise<ChainState[]> {
  const { system } = ctx.db;
  const [followed, reports] = await Promise.all([selectFollowedChains(system), readEndpointReports(system)]);
  const names = [...new Set([...followed.map(({ chain }) => chain), ...reports.map(({ chain }) => chain)])].toSorted();
  return names.map((chain) => {
    const endpoints = reports.filter((report) => report.chain === chain);
    const position = followed.find((one) => one.chain === chain);
    const newestBlock = endpoints.reduce<number | undefined>(
      (best, one) => (one.newestBlock === undefined ? best : Math.max(best ?? 0, one.newestBlock)),
      undefined,
    );
    return {
      chain,
      isFollowed: position !== undefined,
      ...(newestBlock !== undefined && { newestBlock }),
      ...(position !== undefined && {
        block: position.number,
        ...(newestBlock !== undefined && { blocksBehind: Math.max(0, newestBlock - position.number) }),
        followedTime: position.followedAt.toISOString(),
        secondsBehind: Math.max(0, Math.round((ctx.clock().getTime() - position.followedAt.getTime()) / 1000)),
      }),
      endpoints: endpoints.map(({ endpoint, host, isLeftAlone, errorRate, newestBlock: newest }) => ({
        name: endpoint,
        host,
        isLeftAlone,
        errorRate,
        ...(newest !== undefined && { newestBlock: newest }),
      })),
    };
  });
}

/** The combined reports of running processes about one endpoint: the worst of their states and rates. */
interface EndpointReport {
  chain: string;
  endpoint: string;
  host: string;
  isLeftAlone: boolean;
  errorRate: number;
  newestBlock: number | undefined;
}

async function readEndpointReports(db: Sql): Promise<EndpointReport[]> {
  const states = (await listAlive(db)).flatMap(({ endpoints = [] }) => endpoints);
  const byEndpoint = Map.groupBy(states, ({ chain, endpoint }) => JSON.stringify([chain, endpoint]));
  return [...byEndpoint.values()].map(together).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function together(states: readonly EndpointState[]): EndpointReport {
  const [{ chain, endpoint, host } = { chain: '', endpoint: '', host: '' }] = states;
  const blocks = states.flatMap(({ newestBlock }) => newestBlock ?? []);
  return {
    chain,
    endpoint,
    host,
    isLeftAlone: states.some(({ state }) => state === 'open'),
    errorRate: Math.max(...states.map(({ errorRate }) => errorRate)),
    newestBlock: blocks.length === 0 ? undefined : Math.max(...blocks),
  };
}

// Pads the numbers of endpoints, so that the tenth sorts after the ninth.
function keyOf({ chain, endpoint }: EndpointReport): string {
  return `${chain} ${endpoint.replace(/\d+/, (digits) => digits.padStart(4, '0'))}`;
}

const states = ['ok', 'attention', 'failing', 'unknown'] as const;
const subjects = ['database', 'processes', 'jobs', 'chains', 'platforms', 'data', 'mails', 'settings'] as const;
type Subject = (typeof subjects)[number];

const HealthCheck = record('HealthCheck', 'One thing to check on this server.', {
  subject: choice('What was checked.', subjects),
  state: choice(
    'ok; attention: something needs attention; failing: users are affected; unknown: it could not be checked.',
    states,
  ),
  summary: text('Its status, in a sentence.', { maxLength: 1000 }),
  advice: T.Optional(text('What to do about it.', { maxLength: 1000 })),
});
type HealthCheck = ValueOf<typeof HealthCheck>;

const HealthReport = record('HealthReport', 'The health of this installation.', {
  state: choice('The worst state of all checks; unknown counts as attention.', ['ok', 'attention', 'failing']),
  checks: T.Array(HealthCheck, { description: 'Every check, in a fixed order.', maxItems: 20 }),
  time: text('When it was checked, in ISO 8601.'),
});
type HealthReport = ValueOf<typeof HealthReport>;

type Finding = Omit<HealthCheck, 'subject'>;

const checks: Readonly<Record<Subject, (ctx: Context) => Promise<Finding> | Finding>> = {
  database: checkDatabase,
  processes: checkProcesses,
  jobs: checkJobs,
  chains: checkChains,
  platforms: checkPlatforms,
  data: checkData,
  mails: checkMails,
  settings: checkSettings,
};

/** Runs all checks at once. What cannot be checked is unknown, and does not affect the rest. */
export async function checkHealth(ctx: Context): Promise<HealthReport> {
  const results = await Promise.all(subjects.map((subject) => checkOne(ctx, subject)));
  const worst = results.some(({ state }) => state === 'failing')
    ? 'failing'
    : results.some(({ state }) => state !== 'ok')
      ? 'attention'
      : 'ok';
  return { state: worst, checks: results, time: ctx.clock().toISOString() };
}

async function checkOne(ctx: Context, subject: Subject): Promise<HealthCheck> {
  try {
    return { subject, ...(await checks[subject](ctx)) };
  } catch (error) {
    ctx.log.for('health').warn('A health check failed.', { subject, error });
    return { subject, state: 'unknown', summary: 'This could not be checked.', advice: 'Check the server log.' };
  }
}

async function checkDatabase(ctx: Context): Promise<Finding> {
  // As a tenant, whose login requests need; the system login was already used by this request.
  await ctx.db.transaction({ owner: 'nobody' }, async () => undefined);
  return { state: 'ok', summary: 'PostgreSQL answers.' };
}

async function checkProcesses(ctx: Context): Promise<Finding> {
  const alive = await listAlive(ctx.db.system);
  const hosts = new Set(alive.map(({ hostName }) => hostName)).size;
  const summary = `${plural(alive.length, 'process', 'processes')} on ${plural(hosts, 'machine', 'machines')} reported within 15 seconds.`;
  if (alive.length > 0) return { state: 'ok', summary };
  return {
    state: 'attention',
    summary: 'No process reported within 15 seconds.',
    advice: 'The database may be slow to save their reports. Check its load and the servers’ logs.',
  };
}

const lateSeconds = 60;

async function checkJobs(ctx: Context): Promise<Finding> {
  const [counts, waited = 0] = await Promise.all([countByState(ctx.db.system), longestWaitSeconds(ctx.db.system)]);
  if (waited > lateSeconds)
    return {
      state: 'failing',
      summary: `Jobs have waited for ${Math.round(waited / 60)} minutes: ${counts.ready} are ready and ${counts.running} are running.`,
      advice:
        counts.running === 0
          ? 'Start a worker, or check its log: npm run latchkey -- worker.'
          : 'Start more workers, or raise LATCHKEY_WORKER_CONCURRENCY.',
    };
  if (counts.dead > 0)
    return {
      state: 'attention',
      summary: `${plural(counts.dead, 'job was', 'jobs were')} given up after the last attempt.`,
      advice: 'Read the reasons, fix the cause, and retry the jobs.',
    };
  return { state: 'ok', summary: `${counts.running} running, ${counts.ready} ready, ${counts.delayed} due later.` };
}

/** A chain whose head was not reached for this long grants and removes roles late. */
const lateChainSeconds = 120;

async function checkChains(ctx: Context): Promise<Finding> {
  const chains = await listChainStates(ctx);
  if (chains.length === 0) return { state: 'ok', summary: 'No chain is followed, and none was queried recently.' };
  const late = chains.filter(({ secondsBehind = 0 }) => secondsBehind > lateChainSeconds);
  if (late.length > 0)
    return {
      state: 'failing',
      summary: `${namesOf(late)} ${late.length === 1 ? 'was' : 'were'} last followed to the end more than ${lateChainSeconds / 60} minutes ago.`,
      advice: 'Check that a worker is running and that the endpoints of the chain answer.',
    };
  const weak = chains.filter(({ endpoints }) => endpoints.some(({ isLeftAlone }) => isLeftAlone));
  if (weak.length > 0)
    return {
      state: 'attention',
      summary: `An endpoint of ${namesOf(weak)} fails repeatedly and is temporarily skipped.`,
      advice: 'Replace the endpoint in LATCHKEY_EVM_RPC_URLS, or add another.',
    };
  return { state: 'ok', summary: `${plural(chains.length, 'chain answers', 'chains answer')} and none is behind.` };
}

async function checkPlatforms(ctx: Context): Promise<Finding> {
  const set = platformNames.filter((name) => ctx.hosts[name] !== undefined).map((name) => chatPlatforms[name].title);
  const { stoppedShards } = await readFaultReports(ctx.db.system);
  if (stoppedShards.length > 0) {
    const codes = [...new Set(stoppedShards.map(({ code }) => code))].join(', ');
    return {
      state: 'failing',
      summary: `Discord refuses ${plural(stoppedShards.length, 'event connection', 'event connections')} permanently (close code ${codes}).`,
      advice: 'Look up the close code in docs/discord.md, fix the cause and restart.',
    };
  }
  if (set.length > 0) {
    const updates = await checkTelegramUpdates(ctx);
    const summary = `Set up: ${set.join(', ')}.`;
    return updates === undefined ? { state: 'ok', summary } : { ...updates, summary: `${summary} ${updates.summary}` };
  }
  return {
    state: 'attention',
    summary: 'No chat platform is set up, so no roles can be granted.',
    advice: 'Set a bot token: LATCHKEY_DISCORD_BOT_TOKEN, LATCHKEY_TELEGRAM_BOT_TOKEN or the Reddit credentials.',
  };
}

/** Skipped entries cost no member a role, but their content is unknown too. */
async function checkData(ctx: Context): Promise<Finding> {
  const { malformed } = await readFaultReports(ctx.db.system);
  if (malformed.length === 0) return { state: 'ok', summary: 'All data from external services was valid.' };
  const shown = malformed.slice(0, 10).map(({ source, kind, count }) => `${count} × ${kind} from ${source}`);
  const more = malformed.length > shown.length ? ` and ${malformed.length - shown.length} more kinds` : '';
  return {
    state: 'attention',
    summary: `Malformed entries were skipped: ${shown.join(', ')}${more}. Members they concern keep their roles.`.slice(
      0,
      1000,
    ),
    advice: 'The service may have changed its format or be faulty. Check the server log and update Latchkey.',
  };
}

function checkMails({ installation }: Pick<Context, 'installation'>): Finding {
  if (installation.mail === 'server') return { state: 'ok', summary: 'E-mail is sent through the mail server.' };
  const advice = 'Set LATCHKEY_SMTP_URL to your mail server.';
  if (installation.mail === 'none') return { state: 'attention', summary: 'E-mail cannot be sent.', advice };
  return { state: 'attention', summary: 'E-mail is kept here and not sent.', advice };
}

function checkSettings({ installation }: Pick<Context, 'installation'>): Finding {
  const dangerous = installation.settings.filter(({ warning }) => warning !== undefined);
  if (dangerous.length === 0) return { state: 'ok', summary: 'No setting is dangerous.' };
  return {
    state: 'attention',
    summary: `${plural(dangerous.length, 'setting is', 'settings are')} dangerous: ${dangerous.map(({ name }) => name).join(', ')}.`,
    advice: 'Read the warnings and change the settings.',
  };
}

function namesOf(chains: readonly ChainState[]): string {
  return chains.map(({ chain }) => chain).join(', ');
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Combines the faults that running processes recently reported. */
async function readFaultReports(db: Sql): Promise<Required<ProcessFaults>> {
  const faults = (await listAlive(db)).flatMap(({ faults: own }) => own ?? []);
  const malformed = Map.groupBy(
    faults.flatMap((own) => own.malformed ?? []),
    ({ source, kind }) => JSON.stringify([source, kind]),
  );
  return {
    malformed: [...malformed.values()]
      .flatMap(([first, ...others]) =>
        first === undefined ? [] : { ...first, count: others.reduce((sum, { count }) => sum + count, first.count) },
      )
      .toSorted((a, b) => b.count - a.count),
    stoppedShards: faults.flatMap((own) => own.stoppedShards ?? []),
  };
}

const RunningProcess = record('RunningProcess', 'A process of this installation that reported lately.', {
  id: text('The id of the process.'),
  kind: choice('What it does.', ['server', 'worker', 'other']),
  hostName: text('The machine it runs on.'),
  pid: T.Number({ description: 'Its number there.' }),
  logLevel: text('How much it logs.'),
  startedTime: text('When it started, in ISO 8601.'),
  seenTime: text('When it last reported, in ISO 8601.'),
});

const kinds: Readonly<Record<string, 'server' | 'worker'>> = { APIServer: 'server', JobServer: 'worker' };

export const healthOperations = [
  op(
    'GET /latchkey/operator/health',
    {
      id: 'checkHealth',
      summary: 'Check the installation',
      description:
        'Returns how the database, processes, jobs, chains, chat platforms, data from outside services, mails and settings are doing, and how to fix each problem. For the operator.',
      access: admin(),
      returns: HealthReport,
    },
    checkHealth,
  ),
  op(
    'GET /latchkey/operator/processes',
    {
      id: 'listProcesses',
      summary: 'List running processes',
      description: 'Returns the servers and workers that reported within the last 15 seconds. For the operator.',
      access: admin(),
      returns: listOf(RunningProcess, 'The processes, oldest first.'),
    },
    async (ctx: Pick<Context, 'db'>) =>
      (await listAlive(ctx.db.system)).map((process) => ({
        id: process.id,
        kind: kinds[process.serverType] ?? 'other',
        hostName: process.hostName,
        pid: process.pid,
        logLevel: process.logLevel,
        startedTime: process.startedAt.toISOString(),
        seenTime: process.seenAt.toISOString(),
      })),
  ),
  op(
    'GET /latchkey/operator/chains',
    {
      id: 'listChainStates',
      summary: 'List chains and their endpoints',
      description:
        'Returns how far each chain is followed, and how well its endpoints answer the processes of this installation. For the operator.',
      access: admin(),
      returns: listOf(ChainState, 'The chains, by name.'),
    },
    listChainStates,
  ),
] as const;
