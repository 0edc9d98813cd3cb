/**
 * The first baseline of the OAuth2 benchmark: bare `node:http` doing the minimum of two endpoints by hand, and nothing else. Both look the
 * client up and compare its secret; /token stores the hash of a new token, /introspect looks one up.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { equalSecrets, hashSecret, systemRandom } from '@latchkey/db';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const ttlSeconds = 3600;

async function findClient(request: IncomingMessage): Promise<string | undefined> {
  const [, encoded = ''] = (request.headers.authorization ?? '').split(' ');
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const { rows } = await pool.query<{ id: string; client_secret_hash: string }>({
    name: 'client',
    text: `select id, name, client_secret_hash, allowed_grant_types, allowed_scopes, disallowed_scopes
           from client_apps where id = $1 and status in ('APPROVED', 'LISTED')`,
    values: [id],
  });
  const [client] = rows;
  return client && equalSecrets(client.client_secret_hash, hashSecret(secret)) ? client.id : undefined;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

async function grant(form: URLSearchParams, clientId: string) {
  const token = `lk_at_${Buffer.from(systemRandom.bytes(32)).toString('base64url')}`;
  const scope = form.get('scope') ?? '';
  const now = new Date();
  await pool.query({
    name: 'grant',
    text: 'insert into access_tokens (token_hash, client_id, scopes, issued_at, expires_at) values ($1, $2, $3, $4, $5)',
    values: [hashSecret(token), clientId, scope.split(' '), now, new Date(now.getTime() + ttlSeconds * 1000)],
  });
  return { access_token: token, token_type: 'Bearer', expires_in: ttlSeconds, scope };
}

async function introspect(form: URLSearchParams) {
  const { rows } = await pool.query({
    name: 'introspect',
    text: 'select * from access_tokens where token_hash = $1',
    values: [hashSecret(form.get('token') ?? '')],
  });
  const [token] = rows;
  if (token === undefined || token.revoked_at !== null || token.expires_at < new Date()) return { active: false };
  return {
    active: true,
    client_id: token.client_id,
    scope: token.scopes.join(' '),
    iat: Math.floor(token.issued_at.getTime() / 1000),
    exp: Math.floor(token.expires_at.getTime() / 1000),
    token_type: 'Bearer',
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/ready') {
    response.end();
    return;
  }
  const form = await readForm(request);
  const clientId = await findClient(request);
  if (clientId === undefined) {
    response.writeHead(401).end();
    return;
  }
  const body = request.url === '/oauth2/token' ? await grant(form, clientId) : await introspect(form);
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

createServer((request, response) => {
  // The load generator drops its connections at the end of a round.
  answer(request, response).catch(() => response.destroy());
}).listen(Number(process.env.LATCHKEY_PORT), '127.0.0.1');
