import type pg from 'pg';
import { connectDirectly } from '../connection/connect-once.ts';
import { bringForward, type MigrationReport } from '../migrate.ts';
import { signerSchema } from './admit-signer.ts';

const folder = new URL('../../signer-migrations/', import.meta.url);
// Any constant works, as long as every signer uses the same one.
const lock = 4_817_224;

export interface SignerSchemaReport extends MigrationReport {
  /** Whether the platform's role could become the signer's, so that the database does not protect the keys from it. */
  isExposed: boolean;
}

interface Facts {
  self: string;
  /** The role that owns the platform's tables; null if there are none yet. */
  platform: string | null;
  hasSchema: boolean;
  mayMakeSchema: boolean;
  isExposed: boolean | null;
}

/** Migrates the signer's own schema, as the signer's role, and lets the platform's role add requests there. */
export async function prepareSignerSchema(url: string): Promise<SignerSchemaReport> {
  const client = await connectDirectly(url, 'LATCHKEY_SIGNER_DATABASE_URL');
  try {
    await client.query('select pg_advisory_lock($1)', [lock]);
    const { platform, isExposed, hasSchema } = await readFacts(client);
    if (!hasSchema) await client.query(`create schema ${signerSchema}`);
    await client.query(`set search_path = ${signerSchema}`);
    await keepToSchema(client);
    const report = await bringForward(client, folder);
    await admitPlatform(client, platform);
    return { ...report, isExposed };
  } finally {
    await client.end();
  }
}

async function readFacts(
  client: pg.Client,
): Promise<Pick<Facts, 'hasSchema'> & { platform: string; isExposed: boolean }> {
  const { rows } = await client.query<Facts>(
    `select current_user::text as self, rolname::text as platform,
            to_regnamespace($1) is not null as "hasSchema",
            has_database_privilege(current_database(), 'create') as "mayMakeSchema",
            pg_has_role(rolname, current_user, 'member') as "isExposed"
     from (select) as one left join pg_class on pg_class.oid = to_regclass('public.migrations')
     left join pg_roles on pg_roles.oid = relowner`,
    [signerSchema],
  );
  const [facts] = rows;
  if (facts === undefined || facts.platform === null)
    throw new Error('This database has not been used by Latchkey yet. Run first: latchkey migrate');
  const { self, platform, hasSchema, mayMakeSchema, isExposed } = facts;
  if (self === platform)
    throw new Error(
      `The signer must not use the role of the servers and workers (${self}), which would let them read its keys. Give it a role of its own in LATCHKEY_SIGNER_DATABASE_URL.`,
    );
  if (!hasSchema && !mayMakeSchema)
    throw new Error(
      `The role ${self} is not allowed to create its schema. As the database owner, run: create schema ${signerSchema} authorization ${self}`,
    );
  return { platform, hasSchema, isExposed: isExposed === true };
}

/**
 * Applies to every later connection too: an operator or a function of the platform must not be mistaken for a system
 * one.
 */
async function keepToSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter role %I in database %I set search_path = %I', current_user, current_database(), $1::text) as statement`,
    [signerSchema],
  );
  for (const { statement } of rows) await client.query(statement);
}

/**
 * Grants what the platform may do here: add and withdraw requests, read responses and the record, erase a user. It has
 * no access to the keys.
 */
async function admitPlatform(client: pg.Client, platform: string): Promise<void> {
  const role = client.escapeIdentifier(platform);
  const columns =
    'id, user_id, kind, wallet_id, address, purpose, text, client_id, stepped_up_at, approved_digest, created_at, expires_at';
  await client.query(`
    grant usage on schema ${signerSchema} to ${role};
    grant select, delete, insert (${columns}) on requests to ${role};
    grant select on signatures to ${role};
    grant execute on function forget(text) to ${role}`);
}
