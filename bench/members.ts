/**
 * The members of a community of 100,000 compared with those of one of 50, over HTTP: opening the list, searching it and filtering it. A
 * list that is paged by an index opens equally fast in both; the ratio says how close that is.
 */
import { issueAeToken } from '@latchkey/core';
import { migrate } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import { openPlatform } from '@latchkey/server/testing/gated-world';
import { expectBaseline } from './baseline.ts';
import { type ServerProcess, startLatchkey } from './server-process.ts';

const sizes = { small: 50, large: 100_000 } as const;
const rounds = 15;
const aimMs = 300;
const owner = 'DIS#USER#1';

/** The queries. Names are n000000 to n099999, so that one search is rare and another has no match. */
const questions = {
  'open the list': '',
  'search a part of a name': 'search=00042',
  'search a name that nobody has': 'search=nobody',
  'search an id': 'search=7000042',
  'with a rare role': 'roleIds=rare',
  'with two roles': 'roleIds=common&roleIds=rare&roleMatch=all',
  'with a wallet': 'hasWallet=true',
  'last active first': 'order=activity',
} as const;

async function main(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const environment = {
    DATABASE_URL: databaseUrl,
    LATCHKEY_BASE_URL: 'http://localhost',
    LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    LATCHKEY_USER_RATE: '1000000/1',
    LATCHKEY_SANDBOX: 'false',
  };
  // Started first: it creates the key that signs tokens.
  const latchkey = await startLatchkey('server', environment);
  try {
    const token = await fill(databaseUrl, environment);
    for (const [what, query] of Object.entries(questions)) {
      const small = await time(latchkey, token, 'small', query);
      const large = await time(latchkey, token, 'large', query);
      const ratio = (large / small).toFixed(1);
      console.log(
        `${what}: ${small.toFixed(1)} ms of ${sizes.small} members, ${large.toFixed(1)} ms of ${sizes.large}, ratio ${ratio}` +
          (large > aimMs ? ` (the aim is ${aimMs} ms)` : ''),
      );
    }
  } finally {
    await latchkey.stop();
  }
}

/** Creates both communities, and returns a token of their admin. */
async function fill(databaseUrl: string, environment: Record<string, string>): Promise<string> {
  const { services, close } = await openPlatform(databaseUrl, environment);
  const token = await issueAeToken(services, {
    userId: owner,
    platform: 'discord',
    scopes: ['$all'],
    credential: 'operator-token',
    ttlSeconds: 3600,
  });
  for (const [name, size] of Object.entries(sizes)) await settle(services.db, name, size);
  await services.db.pool.query('analyze');
  await close();
  return token;
}

async function settle(
  { pool }: Awaited<ReturnType<typeof openPlatform>>['services']['db'],
  name: string,
  size: number,
) {
  const id = `DIS#COMM#${name}`;
  await pool.query(
    `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
       created_at, updated_at)
     values ($1, 'discord', $2, $2, 'active', $3, '{}', true, now(), now())`,
    [id, name, owner],
  );
  await pool.query('insert into community_admins (community_id, user_id, added_at) values ($1, $2, now())', [
    id,
    owner,
  ]);
  await pool.query(
    `insert into community_members (community_id, user_id, user_name, role_ids, seen_at, last_active_at)
     select $1, 'DIS#USER#' || 7000000 + n, 'n' || lpad(((n * 7919) % 100000)::text, 6, '0'),
       case when n % 1000 = 7 then '{common,rare}'::text[] else '{common}'::text[] end, now(),
       case when n % 3 = 0 then now() - make_interval(secs => n) end
     from generate_series(0, $2::int - 1) as m (n)`,
    [id, size],
  );
  await pool.query(
    `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
     select 'w' || n, 'DIS#USER#' || 7000000 + n, 'discord', 'evm', '0x' || lpad(to_hex(n), 40, '0'), now()
     from generate_series(0, $1::int - 1, 50) as m (n) on conflict do nothing`,
    [size],
  );
}

/** Returns the median of several calls, after a few warm-up calls. */
async function time(server: ServerProcess, token: string, community: string, query: string): Promise<number> {
  const url = `${server.url}/latchkey/communities/${community}/members?limit=50&${query}`;
  const took: number[] = [];
  for (let round = -3; round < rounds; round += 1) {
    const start = performance.now();
    const answer = await fetch(url, { headers: { authorization: `AE ${token}` } });
    const body = await answer.text();
    if (!answer.ok) throw new Error(body);
    const shown = JSON.parse(body).items.length;
    if (query === '') expectBaseline(shown === 50, `The list of ${community} opened with ${shown} members.`);
    if (round >= 0) took.push(performance.now() - start);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

await withCluster((cluster) => main(cluster.url));
