/**
 * The baseline of the HTTP benchmark: bare `node:http` doing the same work as two operations by hand, and nothing else. GET /log/settings:
 * hash the API key, look it up, read the processes, write JSON. POST /states: the same lookup, parse and check the body, seal it, insert it
 * in a transaction that sets the owner, write JSON.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createKeyring, hashSecret, systemRandom } from '@latchkey/db';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const tenants = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const keyring = createKeyring([{ id: 'k1', key: systemRandom.bytes(32) }], systemRandom);

async function findClient(request: IncomingMessage): Promise<{ id: string } | undefined> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find',
    text: `select a.id, a.name, a.status, a.allowed_scopes, a.disallowed_scopes, a.allowed_origins, a.allowed_referrers,
             a.allowed_ip_addresses, a.organization_id, o.plan_id
           from client_apps a left join organizations o on o.id = a.organization_id
           where a.api_key_hash = $1 and a.status in ('APPROVED', 'LISTED')`,
    values: [hashSecret(String(request.headers['x-api-key']))],
  });
  return rows[0];
}

async function collect(response: ServerResponse): Promise<void> {
  const { rows } = await pool.query(
    "select * from processes where seen_at > now() - interval '15 seconds' order by started_at, id",
  );
  const answer = rows.map((row) => ({
    serverType: row.server_type,
    serverSubType: row.server_sub_type,
    hostName: row.host_name,
    logLevel: row.log_level,
    debugSettings: row.debug_settings,
  }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

async function create(request: IncomingMessage, response: ServerResponse, owner: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const state: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (typeof state !== 'object' || state === null || Array.isArray(state)) {
    response.writeHead(422).end();
    return;
  }
  const slug = systemRandom.id();
  const hash = hashSecret(slug);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 900_000);
  const client = await tenants.connect();
  try {
    await client.query('begin');
    await client.query("select set_config('latchkey.tenant', $1, true)", [owner]);
    await client.query(insertSlug, [
      hash,
      owner,
      keyring.seal(`slugs.content:${hash}`, JSON.stringify({ state })),
      now,
      expiresAt,
    ]);
    await client.query('commit');
  } finally {
    client.release();
  }
  const answer = { url: `http://localhost/slugs/${slug}`, slug, expiresAt: Math.floor(expiresAt.getTime() / 1000) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

const insertSlug =
  'insert into slugs (slug_hash, owner_id, content, created_at, expires_at) values ($1, $2, $3, $4, $5)';

createServer((request, response) => {
  // The load generator drops its connections at the end of a round.
  answer(request, response).catch(() => response.destroy());
}).listen(Number(process.env.LATCHKEY_PORT), '127.0.0.1');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/ready') {
    response.end();
    return;
  }
  const client = await findClient(request);
  if (client === undefined) response.writeHead(401).end();
  else if (request.method === 'GET') await collect(response);
  else await create(request, response, `$app/${client.id}`);
}
