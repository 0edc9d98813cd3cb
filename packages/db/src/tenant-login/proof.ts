import { hash } from 'node:crypto';
import type pg from 'pg';

/** Proves to the database, in one transaction, that a claim comes from the server and not from injected SQL. */
export type Prove = (challenge: string, purpose: 'tenant' | 'jobs', message: string) => string;

/** Reads the proof key, which only the owner of the tables can, on first use. */
export function proveWith(systemPool: pg.Pool): () => Promise<Prove> {
  let made: Promise<Prove> | undefined;
  return () => {
    made ??= readKey(systemPool).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function readKey(systemPool: pg.Pool): Promise<Prove> {
  const { rows } = await systemPool.query<{ inner: Buffer; outer: Buffer }>(
    'select inner_pad as inner, outer_pad as outer from tenant_login_key',
  );
  const [pads] = rows;
  if (pads === undefined) throw new Error('The database is missing its tenant login key; restore it from a backup.');
  return (challenge, purpose, reply) => {
    const inner = hash(
      'sha256',
      Buffer.concat([pads.inner, Buffer.from(`${challenge}/${purpose}/${reply}`)]),
      'buffer',
    );
    return hash('sha256', Buffer.concat([pads.outer, inner]), 'hex');
  };
}
