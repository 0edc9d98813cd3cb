import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { createNetwork, type Network, withoutNetworks } from './network.ts';
import { type DatabaseNode, passwords, prepareNode, withoutPatroni } from './node.ts';

const logins = { system: 'of-system', tenant: 'of-tenant', signer: 'of-signer' };

/** Returns why a test with a real Patroni cannot run here, if so. */
export function withoutCluster(): string | undefined {
  return withoutPatroni() ?? withoutNetworks();
}

/** The URLs of the three logins. */
export interface DatabaseUrls {
  system: string;
  tenant: string;
  signer: string;
}

export function urlsOn(hosts: string): DatabaseUrls {
  const urlOf = (login: string, password: string) => `postgres://${login}:${password}@${hosts}/latchkey`;
  return {
    system: urlOf('latchkey', logins.system),
    tenant: urlOf('latchkey_tenant', logins.tenant),
    signer: urlOf('latchkey_signer', logins.signer),
  };
}

/** Three database nodes with etcd and Patroni, of which one is the primary, with the logins of Latchkey and an archive. */
export interface PatroniCluster extends AsyncDisposable {
  readonly nodes: readonly DatabaseNode[];
  readonly network: Network;
  /** Where the archive is: on none of the nodes. */
  readonly archiveFolder: string;
  /** Where Latchkey connects: every URL names all nodes. */
  readonly urls: DatabaseUrls;
  /** The URL of one node as the superuser. */
  superuserUrl(node: DatabaseNode, database?: string): string;
  primary(): Promise<DatabaseNode>;
  /** Waits until there is a primary, and both others follow it. */
  isWhole(): Promise<void>;
  /** Hands over to the synchronous standby, as an operator does before maintenance. */
  switchOver(): Promise<void>;
  /** Runs pgBackRest on the primary. */
  archive(...args: string[]): Promise<string>;
}

interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'lk-ha-'));
  chmodSync(folder, 0o755);
  const shared = join(folder, 'archive');
  mkdirSync(shared);
  execFileSync('chown', ['postgres:postgres', shared]);
  const network = createNetwork();
  const nodes = [1, 2, 3].map((number) => prepareNode(number, { shared, own: join(folder, `db${number}`), network }));
  const hosts = nodes.map(({ address }) => `${address}:5432`).join(',');
  const superuserUrl = ({ address }: DatabaseNode, database = 'postgres') =>
    `postgres://postgres:${passwords.superuser}@${address}:5432/${database}`;

  async function members(): Promise<Member[]> {
    for (const { address } of nodes) {
      const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(3_000) }).catch(
        () => undefined,
      );
      if (answer?.status === 200) return ((await answer.json()) as { members: Member[] }).members;
    }
    return [];
  }
  const primary = () =>
    until('there is a primary', async () => {
      for (const node of nodes) {
        const answer = await fetch(`http://${node.address}:8008/primary`, {
          signal: AbortSignal.timeout(2_000),
        }).catch(() => undefined);
        await answer?.body?.cancel();
        if (answer?.status === 200) return node;
      }
      return false;
    });
  const isWhole = async () => {
    await until('both standbys follow the primary', async () => {
      const found = await members();
      const following = found.filter(({ role, state }) => role !== 'leader' && /^(running|streaming)$/.test(state));
      if (following.length !== 2 || !found.some(({ role }) => role === 'sync_standby')) return false;
      const client = new pg.Client({ connectionString: superuserUrl(await primary()), connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query(`select from pg_stat_replication where state = 'streaming'`);
        return rows.length === 2;
      } catch {
        return false;
      } finally {
        client.end().catch(() => undefined);
      }
    });
  };
  const dispose = async () => {
    for (const node of nodes) await node.kill();
    network[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    for (const node of nodes) node.start();
    await isWhole().catch((error: Error) => {
      const printed = readFileSync(join(folder, 'db1/log'), 'utf8').slice(-5_000);
      throw new Error(`${error.message}\n${printed}`);
    });
    const first = await primary();
    await createLogins(superuserUrl(first));
    const archive = async (...args: string[]) => (await primary()).run('pgbackrest', '--stanza=latchkey', ...args);
    await archive('stanza-create');
    return {
      nodes,
      network,
      archiveFolder: shared,
      urls: urlsOn(hosts),
      superuserUrl,
      primary,
      isWhole,
      switchOver: async () => {
        const from = await primary();
        // Only the standby that has every commit may take over.
        const standby = (await members()).find(({ role }) => role === 'sync_standby')?.name ?? '';
        const config = join(folder, from.name, 'patroni.yml');
        const names = ['--leader', from.name, '--candidate', standby];
        from.run('patronictl', '-c', config, 'switchover', ...names, '--force', 'latchkey');
        await until('another node is the primary', async () => (await primary()).name !== from.name);
      },
      archive,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function createLogins(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const [name, password] of [
    ['latchkey', logins.system],
    ['latchkey_tenant', logins.tenant],
    ['latchkey_signer', logins.signer],
  ])
    await client.query(`create role ${name} login password '${password}' nosuperuser nocreatedb nocreaterole`);
  await client.query('create database latchkey owner latchkey');
  await client.end();
}
