import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readYaml, volume } from '@latchkey/test-kit';

const root = resolve(import.meta.dirname, '../../../..');
const rulesFile = join(root, 'deploy/prometheus/alerts.yaml');
const [{ groups }] = readYaml(readFileSync(rulesFile, 'utf8')) as [{ groups: { rules: { alert: string }[] }[] }];
const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

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
  always(`latchkey_backup_age_seconds{kind="backup",${at}}`, 86_400),
  always(`latchkey_backup_age_seconds{kind="archive",${at}}`, 300),
  always(`latchkey_spending_budget_used_ratio{coin="evm:1",${at}}`, 0.5),
  always(`probe_success{${outside}}`, 1),
  always(`probe_ssl_earliest_cert_expiry{${outside}}`, 5_000_000),
  always(`latchkey_change_sets{status="approved",${at}}`, 3),
  rising(`latchkey_role_changes_total{platform="discord",action="grant",outcome="done",${at}}`, 10),
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

/** What is wrong for each alert, and how many must fire. What is not named is absent, as when a process is gone. */
const faults: Readonly<Record<string, { series: readonly Series[]; fires?: number }>> = {
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
  // Not one worker reports: its series are absent.
  LatchkeyWorkersMissing: { series: [always(`latchkey_processes_expected{kind="worker",${at}}`, 2)] },
  LatchkeyRechecksLate: { series: [always(`latchkey_recheck_overdue_seconds{${at}}`, 7_200)] },
  LatchkeyBackupOld: { series: [rising(`latchkey_backup_age_seconds{kind="backup",${at}}`, 60 * 48)] },
  // The backup is fresh, and nothing is archived any more.
  LatchkeyArchiveOld: {
    series: [
      always(`latchkey_database_up{${at}}`, 1),
      always(`latchkey_backup_age_seconds{kind="backup",${at}}`, 60),
      rising(`latchkey_backup_age_seconds{kind="archive",${at}}`, 60),
    ],
  },
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
