import type { Sealed, Sql } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

/** The sealed column of this feature, for a change of the master key. */
export const keptSecretsSealed: readonly SealedColumn[] = [
  {
    table: 'kept_secrets',
    column: 'secret',
    idColumns: ['name', 'version'],
    placeOf: (name = '', version = '') => placeOf(name, version),
  },
];

export type SecretContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random'>;

/** The names of the secrets. Each is 32 random bytes. */
type SecretName = 'kudos.issuer' | 'waiting-list.signer' | 'waiting-list.salt';

export interface KeptSecret {
  version: number;
  secret: Uint8Array;
}

const secretBytes = 32;

/**
 * Returns every version of a secret, the current one first. The first one is created on first use; processes that do so
 * concurrently all get the same one.
 */
export async function keptSecrets(ctx: SecretContext, name: SecretName): Promise<[KeptSecret, ...KeptSecret[]]> {
  let rows = await selectVersions(ctx.db.system, name);
  if (rows.length === 0) {
    await insertVersion(ctx.db.system, newVersion(ctx, name, 1));
    rows = await selectVersions(ctx.db.system, name);
  }
  const [current, ...older] = rows.map(({ version, secret }) => ({
    version,
    secret: ctx.keyring.open(placeOf(name, String(version)), secret),
  }));
  if (current === undefined) throw new Error(`The secret ${name} could not be stored.`);
  return [current, ...older];
}

/** Creates a new current version. What was signed with older ones stays verifiable. */
export async function replaceSecret(ctx: SecretContext, name: SecretName): Promise<KeptSecret> {
  const [{ version }] = await keptSecrets(ctx, name);
  await insertVersion(ctx.db.system, newVersion(ctx, name, version + 1));
  const [current] = await keptSecrets(ctx, name);
  return current;
}

function newVersion(ctx: SecretContext, name: SecretName, version: number) {
  const secret = ctx.keyring.seal(placeOf(name, String(version)), ctx.random.bytes(secretBytes));
  return { name, version, secret, created_at: ctx.clock() };
}

/** Returns the context that a version is sealed for. */
function placeOf(name: string, version: string): string {
  return `kept_secrets.secret:${name}:${version}`;
}

interface KeptSecretRow {
  name: string;
  version: number;
  secret: Sealed;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    kept_secrets: KeptSecretRow;
  }
}

/** Lists every version of a secret, newest first. */
function selectVersions(db: Sql, name: string): Promise<KeptSecretRow[]> {
  return db.selectFrom('kept_secrets').selectAll().where('name', '=', name).orderBy('version', 'desc').execute();
}

/** Does nothing if another process was faster. */
async function insertVersion(db: Sql, row: KeptSecretRow): Promise<void> {
  await db
    .insertInto('kept_secrets')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
