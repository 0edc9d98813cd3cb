export interface DeclaredMetric {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  buckets?: readonly number[];
  /** The source: events in this process, the process's state at each scrape, or the database at each scrape. */
  from: 'events' | 'process' | 'database';
}

type Rest = readonly string[];

const counter = (help: string, ...labels: Rest): DeclaredMetric => ({ kind: 'counter', help, labels, from: 'events' });
const events = (help: string, ...labels: Rest): DeclaredMetric => ({ kind: 'gauge', help, labels, from: 'events' });
const ownCounter = (help: string, ...labels: Rest): DeclaredMetric => ({
  kind: 'counter',
  help,
  labels,
  from: 'process',
});
const own = (help: string, ...labels: Rest): DeclaredMetric => ({ kind: 'gauge', help, labels, from: 'process' });
const state = (help: string, ...labels: Rest): DeclaredMetric => ({ kind: 'gauge', help, labels, from: 'database' });
const histogram = (help: string, buckets: readonly number[], ...labels: Rest): DeclaredMetric => ({
  kind: 'histogram',
  help,
  labels,
  buckets,
  from: 'events',
});

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const roleBuckets = [1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600];
const jobBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/**
 * Every metric of our own, besides those of Node.js. Tests ensure that docs/watching.md, dashboards and alerts name no
 * other.
 */
export const declaredMetrics = {
  latchkey_build_info: own('The version and the kind of this process. Always 1.', 'version', 'kind'),
  latchkey_http_requests_total: counter('Requests answered.', 'method', 'route', 'status'),
  latchkey_http_request_seconds: histogram(
    'Time from the first byte of a request to the last byte of its response.',
    requestBuckets,
    'method',
    'route',
  ),
  latchkey_http_refusals_total: counter('Requests answered with an error, by error code.', 'code'),
  latchkey_sign_ins_total: counter('Sign-ins that succeeded, by how the person signed in.', 'method'),
  latchkey_endpoint_reads_total: counter(
    'Calls to chain nodes and data services, by service and the end of the host name.',
    'service',
    'host',
    'outcome',
  ),
  latchkey_dependency_failures_total: counter(
    'Failures of chains, platforms and services that left a result unknown, by kind: error, timeout, malformed or unknown.',
    'dependency',
    'kind',
  ),
  latchkey_endpoint_suspended: own(
    'Whether an EVM endpoint is suspended because it failed too often: 1 or 0.',
    'chain',
    'endpoint',
    'host',
  ),
  latchkey_endpoint_newest_block: own('The newest block an EVM endpoint reported.', 'chain', 'endpoint', 'host'),
  latchkey_role_changes_total: counter(
    'Role changes sent to chat platforms, by outcome.',
    'platform',
    'action',
    'outcome',
  ),
  latchkey_role_delay_seconds: histogram(
    'Time from the event that made a check due, such as a transfer, to the confirmed role change. Changes that an admin approved are not counted.',
    roleBuckets,
    'cause',
  ),
  latchkey_change_sets: state(
    'Sets of role changes that are not finished, by status. Held ones need approval.',
    'status',
  ),
  latchkey_change_set_held_oldest_seconds: state('How long the oldest held set of role changes has been waiting.'),
  latchkey_blocked_roles: state(
    'Roles that are blocked until the problem on the platform is fixed, by fault.',
    'fault',
  ),
  latchkey_member_checks: state('Members waiting for a check: due now, or postponed until data can be read.', 'state'),
  latchkey_member_check_oldest_seconds: state('How long the oldest due check has been waiting.'),
  latchkey_chain_behind_seconds: state('Time since the head of a followed chain was last reached.', 'chain'),
  latchkey_chain_followed_block: state('The last block that was read.', 'chain'),
  latchkey_discord_calls_total: ownCounter('Calls sent to Discord by this process, by result.', 'result'),
  latchkey_discord_calls_per_second_limit: own('Calls per second that this process may send to Discord.'),
  latchkey_discord_calls_per_second_left: own('Calls that this process may still send to Discord in this second.'),
  latchkey_discord_refusals_left: own(
    'Responses of 401, 403 or 429 that this process may still get from Discord within ten minutes before it pauses.',
  ),
  latchkey_gateway_open: events(
    'Whether the event connection of a chat platform is open: 1 or 0.',
    'platform',
    'shard',
  ),
  latchkey_gateway_closes_total: counter(
    'Closed event connections of chat platforms, by close code.',
    'platform',
    'code',
  ),
  latchkey_gateway_stopped: events(
    'Whether the chat platform permanently refuses an event connection: 1 or 0.',
    'platform',
    'shard',
  ),
  latchkey_malformed_entries_total: counter(
    'Entries from external services that were skipped because they are malformed, by service and kind.',
    'source',
    'kind',
  ),
  latchkey_jobs: state('Jobs by state.', 'state'),
  latchkey_job_oldest_seconds: state('How long the oldest ready job has been waiting.'),
  latchkey_job_runs_total: counter('Attempts of jobs that ended in this process.', 'name', 'outcome'),
  latchkey_job_seconds: histogram('How long an attempt of a job took.', jobBuckets, 'name'),
  latchkey_webhook_attempts_total: counter('Attempts to deliver a webhook, by outcome.', 'outcome'),
  latchkey_webhook_deliveries: state('Webhook deliveries that were given up, by status.', 'status'),
  latchkey_disabled_webhooks: state('Webhooks that were disabled because their receiver failed or refused.'),
  latchkey_processes: state('Servers and workers that reported within 15 seconds.', 'kind'),
  latchkey_processes_expected: own(
    'How many processes should run: LATCHKEY_EXPECTED_WORKERS. Absent without the setting.',
    'kind',
  ),
  latchkey_process_hangs_total: ownCounter(
    'Predecessors of this process that hung and were killed by their watchdog, as counted in the data folder.',
    'kind',
  ),
  latchkey_communities: state('Active communities.', 'platform'),
  latchkey_rules: state(
    'Rules by health: ok, degraded while something does not respond, undecidable with these settings, or unknown.',
    'health',
  ),
  latchkey_work_expected: state(
    'Continuous work that one process each should hold: discord-shard, chain, near-index, or the bot of a platform.',
    'work',
  ),
  latchkey_work_held: state('Continuous work that a process holds.', 'work'),
  latchkey_schedule_overdue_seconds: state('How long the most overdue schedule has been due.'),
  latchkey_recheck_overdue_seconds: state('How long the most overdue re-check of a whole community has been due.'),
  latchkey_rechecks_overdue: state('Communities whose re-check has been due for more than an hour.'),
  latchkey_backup_age_seconds: state(
    'Time since the last backup by latchkey backup (since the installation if there is none), or since a piece of the log was archived.',
    'kind',
  ),
  latchkey_drill_age_seconds: state(
    'Time since the last latchkey drill --record that found the backup sound (since the installation if there is none), or since the last drill if it failed.',
    'result',
  ),
  latchkey_spending_budget_used_ratio: state(
    'Share of a 24-hour budget that is spent or reserved. At 1, nothing more is paid.',
    'coin',
  ),
  latchkey_replication_behind_bytes: state(
    'Write-ahead log that a replica or archive with a replication slot has not received yet.',
    'slot',
  ),
  latchkey_replicas: state('Replicas that receive the write-ahead log, with or without a slot.'),
  latchkey_replicas_expected: own('How many should: LATCHKEY_EXPECTED_REPLICAS. Absent without the setting.'),
  latchkey_database_bytes: state('Size of the database on the disk of its server, without the write-ahead log.'),
  latchkey_operator_key_expires_seconds: state('Time until the next key of the operator expires. Absent if none does.'),
  latchkey_metrics_age_seconds: state(
    'Time since the metrics that grow with the installation were taken. After ten minutes they are absent.',
  ),
  latchkey_metrics_take_seconds: state('How long it took to take them, which one process does for all.'),
  latchkey_disk_free_ratio: own('Free share of the disk with the data folder, from 0 to 1.'),
  latchkey_database_up: own('Whether the database answered this scrape: 1 or 0.'),
  latchkey_signer_requests: state('Requests waiting for the signer. Reported by the signer only.'),
  latchkey_signer_request_oldest_seconds: state('How long the oldest request has been waiting for the signer.'),
  latchkey_signatures_total: counter('Requests that the signer answered, by outcome.', 'outcome'),
} satisfies Record<string, DeclaredMetric>;

export type MetricName = keyof typeof declaredMetrics;

/** One value of a metric. */
export interface Sample {
  name: MetricName;
  labels?: Readonly<Record<string, string>>;
  value: number;
}
