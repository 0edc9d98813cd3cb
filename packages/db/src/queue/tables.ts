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

/** What a process met recently that an operator should know of, as reported by that process. */
export interface ProcessFaults {
  /** Entries of outside services that were skipped because they are not of the published form. */
  malformed?: readonly { source: string; kind: string; count: number }[];
  /** Event connections that a chat platform refuses for good. */
  stoppedShards?: readonly { platform: string; shard: string; code: string }[];
}

/** How well an endpoint of a chain responds to a process, as reported by that process. */
export interface EndpointState {
  chain: string;
  /** Its place in the settings, never its address. */
  endpoint: string;
  host: string;
  state: 'closed' | 'open' | 'half-open';
  errorRate: number;
  newestBlock?: number | undefined;
}

/** The tables behind jobs, schedules and running processes: the system's own, with no rows of tenants. */
export interface QueueTables {
  jobs: JobsTable;
  schedules: SchedulesTable;
  processes: ProcessesTable;
}
