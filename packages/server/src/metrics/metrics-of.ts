import { statfsSync } from 'node:fs';
import { type Services, type StateMetric, schedules, scrapeMetrics } from '@latchkey/core';
import type { EndpointHealth } from '@latchkey/core/ports';
import type { Composition } from '../compose/index.ts';
import type { ChatPlatforms } from '../compose/platforms.ts';
import type { Config } from '../config.ts';
import { membership } from '../processes/member.ts';
import { countHangs, type WatchedKind } from '../watchdog/hangs.ts';
import { createMetrics, type Metrics, type ProcessKind } from './create-metrics.ts';
import type { MetricName, Sample } from './declared.ts';

type MeasuredConfig = Pick<
  Config,
  'dataDir' | 'telegramBotToken' | 'nearIndex' | 'expectedWorkers' | 'expectedReplicas'
>;

/** Creates the metrics of a process and of the installation. */
export function metricsOf(
  services: Services,
  kind: ProcessKind,
  config: MeasuredConfig,
  discordMetrics: Composition['discordMetrics'] = () => undefined,
): Metrics {
  const { dataDir } = config;
  const group = membership();
  return createMetrics({
    kind,
    readState: () => readInstallationState(services),
    readProcess: () => [
      ...endpointSamples(services.installation.endpoints()),
      ...discordSamples(discordMetrics()),
      ...hangSamples(dataDir, kind, group?.place),
      ...diskSamples(dataDir),
      ...expectedCounts(config),
      ...(kind === 'server' ? [] : expectedWork(services, config)),
    ],
    group,
  });
}

type DiscordMetrics = NonNullable<ReturnType<ChatPlatforms['discordMetrics']>>;

const metrics: Readonly<Record<StateMetric['metric'], { name: MetricName; label?: string }>> = {
  jobs: { name: 'latchkey_jobs', label: 'state' },
  'oldest-job': { name: 'latchkey_job_oldest_seconds' },
  'change-sets': { name: 'latchkey_change_sets', label: 'status' },
  'oldest-held-change-set': { name: 'latchkey_change_set_held_oldest_seconds' },
  'blocked-roles': { name: 'latchkey_blocked_roles', label: 'fault' },
  checks: { name: 'latchkey_member_checks', label: 'state' },
  'oldest-check': { name: 'latchkey_member_check_oldest_seconds' },
  'chain-behind': { name: 'latchkey_chain_behind_seconds', label: 'chain' },
  'chain-block': { name: 'latchkey_chain_followed_block', label: 'chain' },
  'webhook-deliveries': { name: 'latchkey_webhook_deliveries', label: 'status' },
  'disabled-webhooks': { name: 'latchkey_disabled_webhooks' },
  processes: { name: 'latchkey_processes', label: 'kind' },
  communities: { name: 'latchkey_communities', label: 'platform' },
  rules: { name: 'latchkey_rules', label: 'health' },
  'work-expected': { name: 'latchkey_work_expected', label: 'work' },
  'work-held': { name: 'latchkey_work_held', label: 'work' },
  'schedule-overdue': { name: 'latchkey_schedule_overdue_seconds' },
  'replication-behind': { name: 'latchkey_replication_behind_bytes', label: 'slot' },
  replicas: { name: 'latchkey_replicas' },
  'database-size': { name: 'latchkey_database_bytes' },
  'backup-age': { name: 'latchkey_backup_age_seconds', label: 'kind' },
  'drill-age': { name: 'latchkey_drill_age_seconds', label: 'result' },
  'recheck-overdue': { name: 'latchkey_recheck_overdue_seconds' },
  'rechecks-overdue': { name: 'latchkey_rechecks_overdue' },
  'budget-used': { name: 'latchkey_spending_budget_used_ratio', label: 'coin' },
  'key-expires': { name: 'latchkey_operator_key_expires_seconds' },
  'metrics-age': { name: 'latchkey_metrics_age_seconds' },
  'metrics-took': { name: 'latchkey_metrics_take_seconds' },
};

const kinds: Readonly<Record<string, string>> = { APIServer: 'server', JobServer: 'worker', Operator: 'command' };

/** Counts of zero have no row in the database, but alerts compare with them, so report them as zero. */
export const zeros: readonly Sample[] = [
  ...['delayed', 'ready', 'blocked', 'running', 'dead'].map((one) => sampleOf('jobs', one, 0)),
  ...['held', 'approved', 'applying', 'failed'].map((one) => sampleOf('change-sets', one, 0)),
  ...['due', 'postponed'].map((one) => sampleOf('checks', one, 0)),
  ...['failed', 'disabled'].map((one) => sampleOf('webhook-deliveries', one, 0)),
  ...['server', 'worker'].map((one) => sampleOf('processes', one, 0)),
  ...['ok', 'degraded', 'undecidable', 'unknown'].map((one) => sampleOf('rules', one, 0)),
];

const scheduleNames = schedules.map(({ name }) => name);

/** Reads the installation's metrics from the database. Without those that are taken now and then, their zeros would be made up. */
async function readInstallationState(services: Services): Promise<Sample[]> {
  const metrics = await scrapeMetrics(services, scheduleNames);
  const isTaken = metrics.some(({ metric }) => metric === 'jobs' || metric === 'oldest-job');
  const known = isTaken ? zeros : zeros.filter(({ name }) => name === 'latchkey_processes');
  return [...known, ...metrics.map(({ metric, label, value }) => sampleOf(metric, label, value))];
}

function sampleOf(metric: StateMetric['metric'], text: string, value: number): Sample {
  const { name, label } = metrics[metric];
  return { name, ...(label !== undefined && { labels: { [label]: kinds[text] ?? text } }), value };
}

/** The health of the EVM endpoints, as seen by this process. */
export function endpointSamples(endpoints: readonly EndpointHealth[]): Sample[] {
  return endpoints.flatMap(({ chain, endpoint, host, state, newestBlock }) => {
    const labels = { chain, endpoint, host };
    const suspended: Sample = { name: 'latchkey_endpoint_suspended', labels, value: state === 'open' ? 1 : 0 };
    if (newestBlock === undefined) return [suspended];
    return [suspended, { name: 'latchkey_endpoint_newest_block', labels, value: Number(newestBlock) }];
  });
}

/** How many workers the operator wants to run, and how many replicas the database should have. */
export function expectedCounts({
  expectedWorkers,
  expectedReplicas,
}: Pick<Config, 'expectedWorkers' | 'expectedReplicas'>): Sample[] {
  const samples: Sample[] = [];
  if (expectedWorkers !== undefined)
    samples.push({ name: 'latchkey_processes_expected', labels: { kind: 'worker' }, value: expectedWorkers });
  if (expectedReplicas !== undefined) samples.push({ name: 'latchkey_replicas_expected', value: expectedReplicas });
  return samples;
}

/** The bots and the index that one worker should hold, as this process is configured. What it does not hold, another should. */
export function expectedWork(
  { bots }: Pick<Services, 'bots'>,
  { telegramBotToken, nearIndex }: Pick<Config, 'telegramBotToken' | 'nearIndex'>,
): Sample[] {
  const works = [
    ...(telegramBotToken === undefined ? [] : ['telegram']),
    ...(nearIndex.network === undefined ? [] : ['near-index']),
    ...Object.keys(bots),
  ];
  return works.map((work) => ({ name: 'latchkey_work_expected', labels: { work }, value: 1 }));
}

/** The space on the disk of the data folder, which the embedded database shares. */
function diskSamples(dataDir: string): Sample[] {
  try {
    const { bavail, blocks } = statfsSync(dataDir);
    return blocks === 0 ? [] : [{ name: 'latchkey_disk_free_ratio', value: bavail / blocks }];
  } catch {
    return [];
  }
}

/** The calls that this process sent to Discord, and those it may still send. */
export function discordSamples(metrics: DiscordMetrics | undefined): Sample[] {
  if (metrics === undefined) return [];
  const { sent, rateLimited, invalid, budget } = metrics;
  const calls = (result: string, value: number): Sample => ({
    name: 'latchkey_discord_calls_total',
    labels: { result },
    value,
  });
  return [
    calls('sent', sent),
    calls('rate-limited', rateLimited),
    calls('refused', invalid),
    { name: 'latchkey_discord_calls_per_second_limit', value: budget.callsPerSecond },
    { name: 'latchkey_discord_calls_per_second_left', value: budget.callsLeft },
    { name: 'latchkey_discord_refusals_left', value: budget.refusalsLeft },
  ];
}

/**
 * How often this process hung before it was restarted. A process with metrics also reports for one beside it that has
 * none.
 */
export function hangSamples(dataDir: string, kind: ProcessKind, place?: number): Sample[] {
  const count = (of: WatchedKind, at?: number): Sample => ({
    name: 'latchkey_process_hangs_total',
    labels: { kind: of },
    value: countHangs(dataDir, of, at),
  });
  return [
    count(kind, place),
    ...(kind === 'whole' ? [count('signer')] : []),
    ...(place === 1 ? [count('supervisor')] : []),
  ];
}
