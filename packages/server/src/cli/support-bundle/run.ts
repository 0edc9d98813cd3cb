import { writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { type Context, readStateMetrics, schedules } from '@latchkey/core';
import { countByState, listAlive, listDead, sql } from '@latchkey/db';
import { apiVersion } from '@latchkey/kernel';
import { systemClock } from '../../clock.ts';
import { type Config, variables } from '../../config.ts';
import type { RootLog } from '../../log.ts';
import { latchkeyVersion } from '../../version.ts';
import { examineInstallation } from '../doctor/examine-installation.ts';
import { withOperator } from '../operator-context.ts';
import { print } from '../print.ts';
import { type LogExcerpt, readLog } from './read-log.ts';
import { scrub, secretsIn } from './scrub.ts';

export interface BundleOptions {
  file: string;
  /** A file with the log of a server or worker. */
  logFile?: string | undefined;
  /** Where the settings come from, to find their secrets in everything else. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** What a bundle never contains, whatever the installation. */
const alwaysLeftOut = [
  'Values of secret settings, and everything but the host of URLs.',
  'Rows of members, wallets, communities, rules, messages and the audit log.',
  'Payloads of jobs.',
  'Email addresses, IP addresses and EVM wallet addresses in messages. Ids of users and communities stay.',
];

/** Writes one file that can be sent to those who help: versions, settings without secrets, figures and recent errors. */
export async function runSupportBundle(given: Config, log: RootLog, options: BundleOptions): Promise<void> {
  const { file, logFile, environment } = options;
  const leftOut = [...alwaysLeftOut];
  const sections: Record<string, unknown> = {
    title: 'Latchkey support bundle',
    createdTime: systemClock().toISOString(),
    versions: {
      latchkey: latchkeyVersion,
      api: apiVersion,
      node: process.versions.node,
      system: `${platform()} ${release()} ${arch()}`,
    },
    settings: given.inForce.map(({ name, isSet, isMasked, value, warning }) => ({
      name,
      isSet,
      isMasked,
      value,
      warning,
    })),
  };
  try {
    await withOperator(
      given,
      log,
      async (ctx, config) => void Object.assign(sections, await readInstallation(ctx, config)),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    leftOut.push(`Everything in the database, which could not be opened: ${reason}`);
  }
  if (logFile === undefined)
    leftOut.push(
      'The log: name a file of it with --log, for example one from journalctl -o cat or docker compose logs.',
    );
  else sections.log = describeLog(await readLog(logFile), leftOut);
  let removed = 0;
  const secrets = secretsIn(environment, variables);
  const clean = scrub(sections, secrets, () => {
    removed += 1;
  }) as Record<string, unknown>;
  if (removed > 0) leftOut.push(`Parts of ${removed} texts that contained a secret of these settings, or an address.`);
  const bundle = { ...clean, leftOut: scrub(leftOut, secrets) };
  await writeFile(file, `${JSON.stringify(bundle, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' }).catch(
    explainWrite(file),
  );
  print(`Wrote ${file}. Read it before you send it; it ends with what was left out.`);
}

async function readInstallation(ctx: Context, config: Config): Promise<Record<string, unknown>> {
  const { system } = ctx.db;
  const [findings, figures, jobs, dead, processes, database] = await Promise.all([
    examineInstallation(ctx, config),
    readStateMetrics(
      system,
      schedules.map(({ name }) => name),
    ),
    countByState(system),
    listDead(system, { limit: 50 }),
    listAlive(system),
    readDatabase(ctx),
  ]);
  return {
    doctor: findings,
    figures,
    jobs,
    givenUpJobs: dead.map(({ id, name, failures, lastError, diedAt }) => ({
      id,
      name,
      failures,
      lastError,
      diedAt: diedAt.toISOString(),
    })),
    processes: processes.map(({ serverType, serverSubType, pid, logLevel, startedAt, seenAt, endpoints, faults }) => ({
      serverType,
      serverSubType,
      pid,
      logLevel,
      startedTime: startedAt.toISOString(),
      seenTime: seenAt.toISOString(),
      endpoints,
      faults,
    })),
    database,
  };
}

async function readDatabase({ db }: Pick<Context, 'db'>): Promise<Record<string, unknown>> {
  const [version, migrations, tables, connections] = await Promise.all([
    sql<{ version: string }>`select version()`.execute(db.system),
    sql<{ name: string; at: Date }>`select name, applied_at as at from migrations order by name`.execute(db.system),
    sql<{ name: string; bytes: string; rows: string }>`
      select c.relname as name, pg_total_relation_size(c.oid)::text as bytes, greatest(c.reltuples, 0)::bigint::text as rows
      from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
      order by pg_total_relation_size(c.oid) desc limit 30`.execute(db.system),
    sql<{ state: string; count: string }>`
      select coalesce(state, 'other') as state, count(*)::text as count from pg_stat_activity
      where datname = current_database() group by 1 order by 1`.execute(db.system),
  ]);
  return {
    version: version.rows[0]?.version,
    migrations: migrations.rows.map(({ name, at }) => `${name} ${at.toISOString()}`),
    largestTables: tables.rows,
    connections: connections.rows,
  };
}

function describeLog({ lines, foreign, older, isCut }: LogExcerpt, leftOut: string[]): unknown[] {
  if (foreign > 0) leftOut.push(`${foreign} lines of the log that Latchkey did not write.`);
  if (older > 0) leftOut.push(`${older} older warnings and errors of the log.`);
  if (isCut) leftOut.push('The beginning of the log file, which is longer than 4 MB.');
  leftOut.push('Lines of the log below the level warn.');
  return lines;
}

function explainWrite(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code === 'EEXIST') throw new Error(`${file} exists. Choose a file that does not.`);
    throw new Error(`${file} cannot be written (${error.code ?? 'no reason given'}).`);
  };
}
