import type { ColumnType, Generated } from 'kysely';

export type JobState = 'delayed' | 'ready' | 'blocked' | 'running' | 'dead';

export interface JobsTable {
  id: Generated<number>;
  name: string;
  key: string | null;
  group_id: Generated<string>;
  unique_key: string | null;
  payload: ColumnType<unknown, string, string>;
  state: Generated<JobState>;
  run_at: Generated<Date>;
  failures: Generated<number>;
  crashes: Generated<number>;
  again: Generated<boolean>;
  lease_owner: number | null;
  lease_token: Generated<number>;
  lease_until: Date | null;
  last_error: string | null;
  created_at: Generated<Date>;
  died_at: Date | null;
  request_id: string | null;
  trace_parent: string | null;
}

export interface SchedulesTable {
  name: string;
  cron: string;
  next_run_at: Date;
}

export interface ProcessesTable {
  id: string;
  server_type: string;
  server_sub_type: Generated<string>;
  host_name: string;
  pid: number;
  started_at: Generated<Date>;
  seen_at: Generated<Date>;
  log_level: Generated<string>;
  debug_settings: Generated<string>;
  log_version: Generated<number>;
  base_url: string | null;
  endpoints: ColumnType<EndpointState[], string | undefined, string>;
  faults: ColumnType<ProcessFaults, string | undefined, string>;
}

/** Recent problems of a process that an operator should know about, as reported by that process. */
export interface ProcessFaults {
  /** Malformed entries of external services that were skipped. */
  malformed?: readonly { source: string; kind: string; count: number }[];
  /** Event connections that a chat platform permanently refuses. */
  stoppedShards?: readonly { platform: string; shard: string; code: string }[];
}

/** How well an endpoint of a chain responds to a process, as reported by that process. */
export interface EndpointState {
  chain: string;
  /** Its position in the settings, never its URL. */
  endpoint: string;
  host: string;
  state: 'closed' | 'open' | 'half-open';
  errorRate: number;
  newestBlock?: number | undefined;
}

/** The tables of jobs, schedules and running processes: the system's own, without tenant rows. */
export interface QueueTables {
  jobs: JobsTable;
  schedules: SchedulesTable;
  processes: ProcessesTable;
}
