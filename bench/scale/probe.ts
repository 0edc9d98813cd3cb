import { readFileSync } from 'node:fs';
import { contextFor, createDevelopmentApp, enqueueReconcile, issueAeToken, type Services } from '@latchkey/core';
import { type GatedGuild, type GatedWorld, holdersOf } from '@latchkey/server/testing/gated-world';
import { moveKey } from '@latchkey/server/testing/move-tokens';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { expectBaseline } from '../baseline.ts';

const depth = 2;
const owner = 'DIS#USER#1';
const pageLength = 50;

/** One community in a database with many others, on which everything is measured. */
export type Probe = Awaited<ReturnType<typeof openProbe>>;

export async function openProbe({
  databaseUrl,
  services,
  world: { chain, discord },
  guild,
}: {
  databaseUrl: string;
  services: Services;
  world: GatedWorld;
  guild: GatedGuild;
}) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const [first, second] = guild.members;
  if (first === undefined || second === undefined) throw new Error('The community has no members.');

  const isIdle = async () => {
    const { rowCount } = await client.query(
      `select from reconcile_queue where community_id = $1
       union all select from jobs where name like 'gating.%' and unique_key = $1 and state in ('ready', 'running')
       union all select from change_set_items where community_id = $1 and state in ('pending', 'sent') limit 1`,
      [guild.communityId],
    );
    return rowCount === 0;
  };
  const untilIdle = () => until('nothing is left to do', isIdle);

  async function look(members: readonly string[] | '*'): Promise<void> {
    await services.db.transaction('system', (tx) =>
      enqueueReconcile(tx, { communityId: guild.communityId, members, cause: 'schedule' }),
    );
    await untilIdle();
  }

  const isHolder = (address: string) =>
    holdersOf(discord, guild, guild.roleIds[0] ?? '').some((member) => member.address === address);

  return {
    untilIdle,
    checkMember: () => look([`DIS#USER#${first.userId}`]),
    resync: () => look('*'),
    /** Moves the key to the one of two members who lacks it, and waits until Discord shows it. */
    transfer: async () => {
      const [from, to] = isHolder(first.address) ? [first, second] : [second, first];
      await moveKey(chain, 1, from.address, to.address);
      await chain.client.mine({ blocks: depth });
      await until('the roles have changed', () => isHolder(to.address) && !isHolder(from.address));
    },
    databaseBytes: async () => {
      const { rows } = await client.query<{ size: string }>('select pg_database_size(current_database()) as size');
      return Number(rows[0]?.size);
    },
    /** Describes the largest tables, with their indexes. */
    describeTables: async () => {
      const { rows } = await client.query<{ name: string; rows: number; bytes: number; indexes: number }>(`
        select relname as name, n_live_tup::float8 as rows, pg_total_relation_size(relid)::float8 as bytes,
          pg_indexes_size(relid)::float8 as indexes
        from pg_stat_user_tables where n_live_tup > 0 order by 3 desc limit 8`);
      return rows.map(
        ({ name, rows, bytes, indexes }) =>
          `${name}: ${rows} rows, ${(bytes / rows).toFixed(0)} bytes each, ${(indexes / rows).toFixed(0)} of them in indexes`,
      );
    },
    residentMegabytes: (pid: number) => {
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kilobytes) / 1024;
    },
    /** The same over HTTP: as a community admin, and as an application with a key. */
    openApi: async (url: string) => {
      const token = await issueAeToken(services, {
        userId: owner,
        platform: 'discord',
        scopes: ['$all'],
        credential: 'operator-token',
        ttlSeconds: 3600,
      });
      await client.query(
        `update plans set rate_limits = '[{"key": "second", "points": 1000000, "duration": 1, "label": "", "scopes": "$all"}]'`,
      );
      const operator = contextFor(services, { kind: 'admin', name: 'bench' });
      const { apiKey = '' } = await createDevelopmentApp(operator, {
        userId: 'bench',
        name: 'bench',
        scopes: ['token-gating'],
      });
      const rule = {
        type: 'ERC721',
        chainId: Number(chain.chainId),
        contractAddress: chain.contracts.erc721,
        minToken: '1',
      };
      const read = async (answer: Response) => {
        if (!answer.ok) throw new Error(await answer.text());
        return answer.json();
      };
      return {
        page: async () => {
          const { items } = await read(
            await fetch(`${url}/latchkey/communities/${guild.id}/members?limit=${pageLength}`, {
              headers: { authorization: `AE ${token}` },
            }),
          );
          const shown = Math.min(pageLength, guild.members.length);
          expectBaseline(items.length === shown, `A page shows ${items.length} members in place of ${shown}.`);
        },
        check: async () => {
          const { roles, errors } = await read(
            await fetch(`${url}/access-control/check-roles`, {
              method: 'POST',
              headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
              body: JSON.stringify({ account: first.address, rules: [rule] }),
            }),
          );
          // Keys move between the first two members only before this is measured.
          expectBaseline(
            errors.length === 0 && roles.length === 1 && roles[0].granted === isHolder(first.address),
            `A check was answered with ${JSON.stringify({ roles, errors })}.`,
          );
        },
      };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
