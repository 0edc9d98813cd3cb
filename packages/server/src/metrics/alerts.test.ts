import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import type { observed } from '@latchkey/kernel';
import { readYaml, volume } from '@latchkey/test-kit';
import type { WatchedKind } from '../watchdog/hangs.ts';
import type { ProcessKind } from './create-metrics.ts';
import { discordSamples, expectedCounts, zeros } from './metrics-of.ts';

const root = resolve(import.meta.dirname, '../../../..');
const rulesFile = join(root, 'deploy/prometheus/alerts.yaml');
const [{ groups }] = readYaml(readFileSync(rulesFile, 'utf8')) as [
  {
    groups: { rules: { alert: string; expr: string }[] }[];
  },
];
const rules = groups.flatMap(({ rules }) => rules);
const alerts = rules.map(({ alert }) => alert);

/** A series and its values, one a minute, as promtool writes them. */
type Series = readonly [series: string, values: string];
const minutes = 120;
const always = (series: string, value: number): Series => [series, `${value}x${minutes}`];
const rising = (series: string, perMinute: number): Series => [series, `0+${perMinute}x${minutes}`];
const at = 'job="latchkey-worker",instance="a"';

const outside = 'job="public-url",instance="https://latchkey.example"';

/** An installation in which everything is well: no alert fires. */
const healthy: readonly Series[] = [
  always(`up{${at}}`, 1),
  always(`latchkey_build_info{kind="worker",${at}}`, 1),
  always(`latchkey_database_up{${at}}`, 1),
  always(`latchkey_processes{kind="worker",${at}}`, 2),
  always(`latchkey_processes_expected{kind="worker",${at}}`, 2),
  always(`latchkey_recheck_overdue_seconds{${at}}`, 20),
  always(`latchkey_replicas{${at}}`, 2),
  always(`latchkey_replicas_expected{${at}}`, 2),
  always(`latchkey_drill_age_seconds{result="sound",${at}}`, 86_400),
  always(`latchkey_build_info{kind="signer",job="latchkey-signer",instance="b"}`, 1),
  always('node_filesystem_avail_bytes{job="database-host",instance="db1",mountpoint="/",fstype="ext4"}', 50),
  always('node_filesystem_size_bytes{job="database-host",instance="db1",mountpoint="/",fstype="ext4"}', 100),
  always('up{job="public-url",instance="https://latchkey.example"}', 1),
  always(`latchkey_backup_age_seconds{kind="backup",${at}}`, 86_400),
  always(`latchkey_backup_age_seconds{kind="archive",${at}}`, 300),
  always(`latchkey_spending_budget_used_ratio{coin="evm:1",${at}}`, 0.5),
  always(`probe_success{${outside}}`, 1),
  always(`probe_ssl_earliest_cert_expiry{${outside}}`, 5_000_000),
  always(`latchkey_change_sets{status="approved",${at}}`, 3),
  rising(`latchkey_role_changes_total{platform="discord",action="grant",outcome="confirmed",${at}}`, 10),
  always(`latchkey_work_expected{work="discord-shard",${at}}`, 4),
  always(`latchkey_work_held{work="discord-shard",${at}}`, 4),
  always(`latchkey_schedule_overdue_seconds{${at}}`, 1),
  always(`latchkey_endpoint_suspended{chain="evm:1",endpoint="endpoint 1",host="x",${at}}`, 0),
  always(`latchkey_disabled_webhooks{${at}}`, 0),
  always(`latchkey_operator_key_expires_seconds{${at}}`, 8_000_000),
  always(`latchkey_disk_free_ratio{${at}}`, 0.5),
  always(`latchkey_metrics_age_seconds{${at}}`, 40),
  always(`latchkey_replication_behind_bytes{slot="standby",${at}}`, 1000),
  always(`latchkey_discord_refusals_left{${at}}`, 9_000),
  always(`latchkey_gateway_open{platform="discord",shard="0",${at}}`, 1),
];

interface Case {
  series: readonly Series[];
  fires?: number;
}

/** What is wrong for each alert, and how many must fire. What is not named is absent, as when a process is gone. */
const faults: Readonly<Record<string, Case>> = {
  LatchkeyDown: { series: [always(`up{${at}}`, 0)] },
  LatchkeyProcessHung: { series: [rising(`latchkey_process_hangs_total{kind="worker",${at}}`, 1)] },
  LatchkeyDatabaseDown: { series: [always(`latchkey_database_up{${at}}`, 0)] },
  LatchkeyNoWorker: { series: [always(`latchkey_processes{kind="worker",${at}}`, 0)] },
  LatchkeyJobsLate: { series: [always(`latchkey_job_oldest_seconds{${at}}`, 100)] },
  LatchkeyJobsGivenUp: { series: [always(`latchkey_jobs{state="dead",${at}}`, 1)] },
  LatchkeyRolesSlow: {
    series: [
      rising(`latchkey_role_delay_seconds_bucket{cause="chain",le="60",${at}}`, 1),
      rising(`latchkey_role_delay_seconds_bucket{cause="chain",le="120",${at}}`, 60),
      rising(`latchkey_role_delay_seconds_bucket{cause="chain",le="+Inf",${at}}`, 60),
    ],
  },
  LatchkeyChecksLate: { series: [always(`latchkey_member_check_oldest_seconds{${at}}`, 900)] },
  LatchkeyChainBehind: { series: [always(`latchkey_chain_behind_seconds{chain="evm:1",${at}}`, 300)] },
  LatchkeyEndpointFailing: {
    series: [
      rising(`latchkey_endpoint_reads_total{service="evm",host="x",outcome="failure",${at}}`, 9),
      rising(`latchkey_endpoint_reads_total{service="evm",host="x",outcome="success",${at}}`, 1),
    ],
  },
  LatchkeyChangeSetsHeld: { series: [always(`latchkey_change_set_held_oldest_seconds{${at}}`, 90_000)] },
  LatchkeyRolesBlocked: { series: [always(`latchkey_blocked_roles{fault="position",${at}}`, 2)] },
  LatchkeyRulesUndecidable: { series: [always(`latchkey_rules{health="undecidable",${at}}`, 1)] },
  LatchkeyRulesDegraded: { series: [always(`latchkey_rules{health="degraded",${at}}`, 1)] },
  LatchkeyDiscordBudgetLow: { series: [always(`latchkey_discord_refusals_left{${at}}`, 50)] },
  LatchkeyDiscordRateLimited: { series: [rising(`latchkey_discord_calls_total{result="rate-limited",${at}}`, 60)] },
  LatchkeyGatewayClosed: { series: [always(`latchkey_gateway_open{platform="discord",shard="0",${at}}`, 0)] },
  LatchkeyGatewayStopped: { series: [always(`latchkey_gateway_stopped{platform="discord",shard="0",${at}}`, 1)] },
  LatchkeyMalformedEntries: {
    series: [rising(`latchkey_malformed_entries_total{source="discord",kind="member",${at}}`, 1)],
  },
  LatchkeyWebhooksFailing: {
    series: [
      rising(`latchkey_webhook_attempts_total{outcome="failed",${at}}`, 9),
      rising(`latchkey_webhook_attempts_total{outcome="delivered",${at}}`, 1),
    ],
  },
  LatchkeyServerErrors: {
    series: [
      rising(`latchkey_http_requests_total{method="GET",route="/",status="500",${at}}`, 5),
      rising(`latchkey_http_requests_total{method="GET",route="/",status="200",${at}}`, 95),
    ],
  },
  LatchkeySignInsRefused: { series: [rising(`latchkey_http_refusals_total{code="INVALID_OTP",${at}}`, 1_500)] },
  LatchkeySignerLate: { series: [always(`latchkey_signer_request_oldest_seconds{${at}}`, 30)] },
  // It was there for the first hour; its series ends with it.
  LatchkeySignerGone: { series: [[`latchkey_build_info{kind="signer",${at}}`, '1x60']] },
  LatchkeyMemoryHigh: { series: [always(`latchkey_process_resident_memory_bytes{${at}}`, 2e9)] },
  LatchkeyAbsent: { series: [] },
  LatchkeyRolesNotWritten: { series: [always(`latchkey_change_sets{status="approved",${at}}`, 3)] },
  // One shard of four is held by nobody, and nothing at all of the bot.
  LatchkeyWorkUnheld: {
    series: [
      always(`latchkey_work_expected{work="discord-shard",${at}}`, 4),
      always(`latchkey_work_held{work="discord-shard",${at}}`, 3),
      always(`latchkey_work_expected{work="telegram",${at}}`, 1),
    ],
    fires: 2,
  },
  LatchkeySchedulesLate: { series: [always(`latchkey_schedule_overdue_seconds{${at}}`, 900)] },
  LatchkeyEndpointSuspended: {
    series: [always(`latchkey_endpoint_suspended{chain="evm:1",endpoint="endpoint 1",host="x",${at}}`, 1)],
  },
  LatchkeyWebhooksDisabled: { series: [always(`latchkey_disabled_webhooks{${at}}`, 2)] },
  LatchkeyKeyExpires: { series: [always(`latchkey_operator_key_expires_seconds{${at}}`, 3_600)] },
  LatchkeyDiskFull: { series: [always(`latchkey_disk_free_ratio{${at}}`, 0.05)] },
  LatchkeyMetricsOld: { series: [rising(`latchkey_metrics_age_seconds{${at}}`, 60)] },
  LatchkeyReplicationBehind: { series: [always(`latchkey_replication_behind_bytes{slot="standby",${at}}`, 2e9)] },
  // No slot is left, so that nothing is behind, and no replica is connected.
  LatchkeyReplicasMissing: {
    series: [
      always(`latchkey_database_up{${at}}`, 1),
      always(`latchkey_replicas_expected{${at}}`, 2),
      always(`latchkey_replicas{${at}}`, 0),
    ],
  },
  LatchkeyDatabaseDiskFull: {
    series: [
      always('node_filesystem_avail_bytes{job="database-host",instance="db1",mountpoint="/",fstype="ext4"}', 10),
      always('node_filesystem_size_bytes{job="database-host",instance="db1",mountpoint="/",fstype="ext4"}', 100),
      always('node_filesystem_avail_bytes{job="database-host",instance="db1",mountpoint="/run",fstype="tmpfs"}', 0),
      always('node_filesystem_size_bytes{job="database-host",instance="db1",mountpoint="/run",fstype="tmpfs"}', 100),
    ],
  },
  // Not one worker reports: its series are absent.
  LatchkeyWorkersMissing: { series: [always(`latchkey_processes_expected{kind="worker",${at}}`, 2)] },
  LatchkeyRechecksLate: { series: [always(`latchkey_recheck_overdue_seconds{${at}}`, 7_200)] },
  // The log is archived, and the backup that it should continue was never made.
  LatchkeyBackupOld: {
    series: [
      rising(`latchkey_backup_age_seconds{kind="backup",${at}}`, 60 * 48),
      always(`latchkey_backup_age_seconds{kind="archive",${at}}`, 60),
    ],
  },
  // The backup is fresh, and nothing is archived any more.
  LatchkeyArchiveOld: {
    series: [
      always(`latchkey_database_up{${at}}`, 1),
      always(`latchkey_backup_age_seconds{kind="backup",${at}}`, 60),
      rising(`latchkey_backup_age_seconds{kind="archive",${at}}`, 60),
    ],
  },
  LatchkeyDrillFailed: {
    series: [
      always(`latchkey_drill_age_seconds{result="sound",${at}}`, 90_000),
      always(`latchkey_drill_age_seconds{result="failed",${at}}`, 3_600),
    ],
  },
  LatchkeyDrillOld: { series: [always(`latchkey_drill_age_seconds{result="sound",${at}}`, 700_000)] },
  // One budget is used up, another is not.
  LatchkeyBudgetExhausted: {
    series: [
      always(`latchkey_spending_budget_used_ratio{coin="evm:1",${at}}`, 1),
      always(`latchkey_spending_budget_used_ratio{coin="near:mainnet",${at}}`, 0.2),
    ],
  },
  LatchkeyUrlUnreachable: { series: [always(`probe_success{${outside}}`, 0)] },
  LatchkeyCertificateExpires: { series: [always(`probe_ssl_earliest_cert_expiry{${outside}}`, 86_400)] },
};

/** More ways to be wrong, most of them by what is absent; and what looks wrong and is not. */
const more: readonly (Case & { alert: string; name: string })[] = [
  {
    alert: 'LatchkeyRolesNotWritten',
    name: 'every write is refused or fails',
    series: [
      always(`latchkey_change_sets{status="applying",${at}}`, 3),
      rising(`latchkey_role_changes_total{platform="discord",action="grant",outcome="failed",${at}}`, 10),
      rising(`latchkey_role_changes_total{platform="discord",action="grant",outcome="refused",${at}}`, 10),
    ],
  },
  {
    alert: 'LatchkeyRolesNotWritten',
    name: 'writes ended long ago',
    series: [
      always(`latchkey_change_sets{status="approved",${at}}`, 3),
      always(`latchkey_role_changes_total{platform="discord",action="grant",outcome="confirmed",${at}}`, 900),
    ],
  },
  {
    alert: 'LatchkeyRolesNotWritten',
    name: 'a worker just started and wrote',
    series: [
      always(`latchkey_change_sets{status="approved",${at}}`, 3),
      [`latchkey_role_changes_total{platform="discord",action="grant",outcome="confirmed",${at}}`, '_x91 5x30'],
    ],
    fires: 0,
  },
  {
    alert: 'LatchkeyRolesNotWritten',
    name: 'changes wait for an approval only',
    series: [
      always(`latchkey_change_sets{status="held",${at}}`, 3),
      always(`latchkey_change_sets{status="approved",${at}}`, 0),
    ],
    fires: 0,
  },
  {
    alert: 'LatchkeyWorkersMissing',
    name: 'one of two is gone',
    series: [
      always(`latchkey_processes_expected{kind="worker",${at}}`, 2),
      always(`latchkey_processes{kind="worker",${at}}`, 1),
    ],
  },
  {
    alert: 'LatchkeyReplicasMissing',
    name: 'replicas are not counted at all',
    series: [always(`latchkey_database_up{${at}}`, 1), always(`latchkey_replicas_expected{${at}}`, 1)],
  },
  {
    alert: 'LatchkeyReplicasMissing',
    name: 'the database is down, which another alert says',
    series: [always(`latchkey_database_up{${at}}`, 0), always(`latchkey_replicas_expected{${at}}`, 1)],
    fires: 0,
  },
  {
    alert: 'LatchkeyReplicasMissing',
    name: 'none is expected',
    series: [always(`latchkey_database_up{${at}}`, 1), always(`latchkey_replicas{${at}}`, 0)],
    fires: 0,
  },
  {
    alert: 'LatchkeyMetricsOld',
    name: 'they were never taken',
    series: [always(`latchkey_database_up{${at}}`, 1), always(`latchkey_build_info{kind="worker",${at}}`, 1)],
  },
  {
    alert: 'LatchkeyMetricsOld',
    name: 'only a signer reports, which takes none',
    series: [always(`latchkey_database_up{${at}}`, 1), always(`latchkey_build_info{kind="signer",${at}}`, 1)],
    fires: 0,
  },
  {
    alert: 'LatchkeyUrlUnreachable',
    name: 'the exporter that asks is gone',
    series: [always(`up{${outside}}`, 0)],
  },
  {
    alert: 'LatchkeyArchiveOld',
    name: 'nothing was ever archived, as without an archive',
    series: [always(`latchkey_database_up{${at}}`, 1), always(`latchkey_backup_age_seconds{kind="backup",${at}}`, 60)],
    fires: 0,
  },
  {
    alert: 'LatchkeyAbsent',
    name: 'the last process ended',
    series: [[`latchkey_build_info{kind="server",${at}}`, '1x60']],
  },
  {
    alert: 'LatchkeyWorkUnheld',
    name: 'the worker that held it is gone, with its series',
    series: [
      always(`latchkey_work_expected{work="chain",${at}}`, 1),
      [`latchkey_work_held{work="chain",${at}}`, '1x30'],
    ],
  },
];

type Facts<Name extends keyof typeof observed> = Parameters<(typeof observed)[Name]['record']>[0];

/** The values of a closed type: it does not compile with one too many or too few. */
const valuesOf = <Value extends string>(values: Record<Value, true>) => Object.keys(values);
const ofSamples = (samples: readonly { name: string; labels?: Readonly<Record<string, string>> }[]) =>
  samples.flatMap(({ name, labels = {} }) =>
    Object.entries(labels).map(([label, value]) => [`${name} ${label}`, value]),
  );

/** The values that the code gives to labels with a closed set of them. */
const emitted = new Map<string, readonly string[]>([
  ['latchkey_role_changes_total action', valuesOf<Facts<'roleChange'>['action']>({ grant: true, revoke: true })],
  [
    'latchkey_role_changes_total outcome',
    valuesOf<Facts<'roleChange'>['outcome']>({ confirmed: true, refused: true, failed: true }),
  ],
  [
    'latchkey_endpoint_reads_total outcome',
    valuesOf<Facts<'endpointRead'>['outcome']>({ success: true, failure: true }),
  ],
  [
    'latchkey_webhook_attempts_total outcome',
    valuesOf<Facts<'webhookAttempt'>['outcome']>({ delivered: true, failed: true, disabled: true }),
  ],
  [
    'latchkey_job_runs_total outcome',
    valuesOf<Facts<'job'>['outcome']>({ done: true, failed: true, 'given-up': true, abandoned: true }),
  ],
  ['latchkey_signatures_total outcome', valuesOf<Facts<'signature'>['outcome']>({ done: true, refused: true })],
  ['latchkey_build_info kind', valuesOf<ProcessKind>({ server: true, worker: true, signer: true, whole: true })],
  [
    'latchkey_process_hangs_total kind',
    valuesOf<WatchedKind>({ server: true, worker: true, signer: true, whole: true, supervisor: true }),
  ],
  ['latchkey_backup_age_seconds kind', ['backup', 'archive']],
  ['latchkey_drill_age_seconds result', ['sound', 'failed']],
  ...Map.groupBy(
    ofSamples([
      ...zeros,
      ...expectedCounts({ expectedWorkers: 1, expectedReplicas: 1 }),
      ...discordSamples({
        sent: 0,
        rateLimited: 0,
        invalid: 0,
        budget: { callsPerSecond: 1, callsLeft: 1, refusalsLeft: 1 },
      }),
    ]),
    ([label = '']) => label,
  )
    .entries()
    .map(([label, pairs]) => [label, pairs.map(([, value = '']) => value)] as const),
]);

/** Labels whose values are names of things, numbers, or checked elsewhere. */
const openLabels = new Set(
  'platform shard chain endpoint host service slot method route code coin fault source name work cause le version job instance'.split(
    ' ',
  ),
);

/** Returns a promtool: of this machine or, in the deep run, the one of Debian's package, unpacked beside the tools. */
function findPromtool(): string | undefined {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool';
  const folder = join(root, '.runtime/prometheus');
  const program = join(folder, 'usr/bin/promtool');
  if (existsSync(program)) return program;
  if (volume(0, 1) === 0) return undefined;
  mkdirSync(folder, { recursive: true });
  spawnSync('apt-get', ['download', 'prometheus'], { cwd: folder });
  const [archive] = globSync('prometheus_*.deb', { cwd: folder });
  if (archive !== undefined) spawnSync('dpkg', ['-x', archive, '.'], { cwd: folder });
  return existsSync(program) ? program : undefined;
}

describe('the alerts', () => {
  test('each has a case in which it fires', () => {
    assert.deepEqual(Object.keys(faults), alerts);
  });

  test('they, their cases and the dashboards name only label values that the code emits', () => {
    const boards = globSync('deploy/grafana/*.json', { cwd: root }).map((path) =>
      readFileSync(join(root, path), 'utf8'),
    );
    const cases = [...Object.values(faults), ...more];
    const texts = [
      ...rules.map(({ expr }) => expr),
      ...boards.map((text) => text.replaceAll('\\"', '"')),
      ...[healthy, ...cases.map(({ series }) => series)].flat().map(([series]) => series),
    ];
    let checked = 0;
    for (const [whole, name = '', picked = ''] of texts.join('\n').matchAll(/\b(latchkey_\w+)\{([^}]*)\}/g))
      for (const [, label = '', isPattern, value = ''] of picked.matchAll(/(\w+)(?:=|!=)(~?)"([^"]*)"/g)) {
        const known = emitted.get(`${name.replace(/_(bucket|sum|count)$/, '')} ${label}`);
        if (known === undefined) {
          const isStatusCode = name === 'latchkey_http_requests_total' && label === 'status';
          const isKindOfEntry = name === 'latchkey_malformed_entries_total' && label === 'kind';
          assert.ok(openLabels.has(label) || isStatusCode || isKindOfEntry, `${label} in ${whole}`);
          continue;
        }
        for (const one of isPattern === '~' ? value.split('|') : [value])
          assert.ok(known.includes(one), `${whole}: ${label} is one of ${known.join(', ')}`);
        checked += 1;
      }
    assert.ok(checked > 40);
  });

  test('each fires in its case, also where series are absent, and none fires while everything is well', (t) => {
    const promtool = findPromtool();
    if (promtool === undefined) return t.skip('promtool is not installed on this machine.');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-alerts-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const caseOf = (name: string, series: readonly Series[], expected: readonly (readonly [string, number])[]) => ({
      name,
      interval: '1m',
      input_series: series.map(([one, values]) => ({ series: one, values })),
      promql_expr_test: expected.map(([alert, fires]) => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: '100m',
        exp_samples: fires === 0 ? [] : [{ labels: '{}', value: fires }],
      })),
    });
    const tests = [
      ...Object.entries(faults).map(([alert, { series, fires = 1 }]) => caseOf(alert, series, [[alert, fires]])),
      ...more.map(({ alert, name, series, fires = 1 }) => caseOf(`${alert}: ${name}`, series, [[alert, fires]])),
      caseOf(
        'healthy',
        healthy,
        alerts.map((alert) => [alert, 0] as const),
      ),
    ];
    const file = join(folder, 'alerts.test.yaml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '5m', tests }));
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
});
