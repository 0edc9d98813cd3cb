import { sql as raw, type Selectable } from 'kysely';
import type { Database, Sql } from '../database.ts';
import type { EndpointState, ProcessFaults, QueueTables } from '../queue/tables.ts';
import { oneFor, shareReads } from '../share-reads.ts';

/** A running process, as it describes itself. */
export interface ProcessInfo {
  id: string;
  serverType: string;
  serverSubType: string;
  hostName: string;
  pid: number;
  logLevel: string;
  debugSettings: string;
  /** The newest log settings that it has applied. */
  logVersion: number;
  /** Its public URL, if it serves users. */
  baseUrl?: string | undefined;
  /** How well the chain endpoints respond to it. */
  endpoints?: readonly EndpointState[] | undefined;
  faults?: ProcessFaults | undefined;
}

export interface AliveProcess extends ProcessInfo {
  startedAt: Date;
  seenAt: Date;
}

/** A process that was not seen for this long counts as dead. */
export const aliveSeconds = 15;
/** How often a process should report that it is alive. */
export const heartbeatSeconds = 5;

/** Registers a process, and deletes those that vanished more than a day ago. */
export async function registerProcess(sql: Sql, info: ProcessInfo): Promise<void> {
  await sql.deleteFrom('processes').where('seen_at', '<', raw<Date>`now() - interval '1 day'`).execute();
  await heartbeatProcess(sql, info);
}

/** Reports that a process is alive and what it has applied. It is registered again if it was removed. */
export async function heartbeatProcess(sql: Sql, info: ProcessInfo): Promise<void> {
  const changing = {
    log_level: info.logLevel,
    debug_settings: info.debugSettings,
    log_version: info.logVersion,
    endpoints: JSON.stringify(info.endpoints ?? []),
    faults: JSON.stringify(info.faults ?? {}),
    seen_at: raw<Date>`now()`,
  };
  await sql
    .insertInto('processes')
    .values({
      id: info.id,
      server_type: info.serverType,
      server_sub_type: info.serverSubType,
      host_name: info.hostName,
      pid: info.pid,
      base_url: info.baseUrl ?? null,
      ...changing,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
    .execute();
}

/** Deregisters a process that ends. */
export async function leaveProcess(sql: Sql, id: string): Promise<void> {
  await sql.deleteFrom('processes').where('id', '=', id).execute();
}

// Lists every column: a prepared statement would fail when a migration adds one to the table.
const selectAlive = {
  name: 'alive-processes',
  text: `select id, server_type, server_sub_type, host_name, pid, log_level, debug_settings, log_version, base_url,
      endpoints, faults, started_at, seen_at
    from processes where seen_at > now() - make_interval(secs => ${aliveSeconds}) order by started_at, id`,
};

type ProcessRow = Selectable<QueueTables['processes']>;

/** Lists the processes that were seen recently, oldest first. */
export async function listAlive(sql: Sql): Promise<AliveProcess[]> {
  const { rows } = await raw.raw<ProcessRow>(selectAlive.text).execute(sql);
  return rows.map(toAlive);
}

const everything = 'all';
const aliveTogether = oneFor((pool: Database['pool']) =>
  shareReads(async () => {
    const { rows } = await pool.query<ProcessRow>(selectAlive);
    return new Map([[everything, rows.map(toAlive)]]);
  }),
);

/** The same, with one statement for all concurrent callers. */
export async function listAliveTogether({ pool }: Pick<Database, 'pool'>): Promise<readonly AliveProcess[]> {
  return (await aliveTogether(pool)(everything)) ?? [];
}

function toAlive(row: ProcessRow): AliveProcess {
  return {
    id: row.id,
    serverType: row.server_type,
    serverSubType: row.server_sub_type,
    hostName: row.host_name,
    pid: row.pid,
    logLevel: row.log_level,
    debugSettings: row.debug_settings,
    logVersion: row.log_version,
    ...(row.base_url !== null && { baseUrl: row.base_url }),
    ...(row.endpoints.length > 0 && { endpoints: row.endpoints }),
    ...(Object.keys(row.faults).length > 0 && { faults: row.faults }),
    startedAt: row.started_at,
    seenAt: row.seen_at,
  };
}

/** The metrics of running processes: rows of (metric, label, value), combined over all modules in one statement. */
export const processMetrics = raw`
  select 'processes' as metric, server_type as label, count(*)::float8 as value
  from processes where seen_at > now() - make_interval(secs => ${aliveSeconds}) group by 2`;
