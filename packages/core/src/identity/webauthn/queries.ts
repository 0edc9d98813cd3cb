import { type Hashed, type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import type { Ceremony, UserVerification } from './challenge.ts';

export type DeviceType = 'singleDevice' | 'multiDevice';

type Attachment = 'platform' | 'cross-platform';

/** A stored passkey. */
export interface CredentialRow {
  id: string;
  user_id: string;
  platform: string;
  user_name: string | null;
  scopes: string[];
  rp_id: string;
  credential_id: string;
  public_key: Uint8Array;
  counter: number;
  device_type: DeviceType;
  is_backed_up: boolean;
  is_user_verified: boolean;
  is_resident: boolean | null;
  transports: string[];
  attachment: Attachment | null;
  name: string;
  user_agent: string | null;
  created_at: Date;
  suspicious_at: Date | null;
  /** The application whose token registered it. */
  client_id: string | null;
}

interface ChallengeRow {
  challenge_hash: Hashed;
  ceremony: Ceremony;
  rp_id: string;
  user_id: string | null;
  user_verification: UserVerification;
  bound_to: string | null;
  created_at: Date;
  expires_at: Date;
}

interface SignInRow {
  slug_hash: Hashed;
  user_id: string;
  credential_id: string;
  bound_to: string | null;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    webauthn_users: { user_id: string; user_handle: string };
    webauthn_credentials: CredentialRow;
    webauthn_challenges: ChallengeRow;
    webauthn_sign_ins: SignInRow;
  }
}

/** Returns the handle of a user; stores `fresh` if there is none yet. */
export async function getUserHandle(tx: Tx, userId: string, fresh: string): Promise<string> {
  await tx
    .insertInto('webauthn_users')
    .values({ user_id: userId, user_handle: fresh })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
  const row = await tx
    .selectFrom('webauthn_users')
    .select('user_handle')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return row.user_handle;
}

/** Makes concurrent registrations for the same user wait until this transaction ends. */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
  await tx.selectFrom('webauthn_users').select('user_id').where('user_id', '=', userId).forUpdate().execute();
}

/** Lists the passkeys of one user, oldest first. */
export function listCredentials(tx: Tx, userId: string, rpId: string | undefined): Promise<CredentialRow[]> {
  let query = tx.selectFrom('webauthn_credentials').selectAll().where('user_id', '=', userId);
  if (rpId !== undefined) query = query.where('rp_id', '=', rpId);
  return query.orderBy('created_at').orderBy('id').execute();
}

export function findCredential(db: Sql, id: string): Promise<CredentialRow | undefined> {
  return db.selectFrom('webauthn_credentials').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a passkey by its authenticator's id, with the handle of its user. */
export function findByCredentialId(
  db: Sql,
  credentialId: string,
): Promise<(CredentialRow & { user_handle: string }) | undefined> {
  return db
    .selectFrom('webauthn_credentials as c')
    .innerJoin('webauthn_users as u', 'u.user_id', 'c.user_id')
    .selectAll('c')
    .select('u.user_handle')
    .where('c.credential_id', '=', credentialId)
    .executeTakeFirst();
}

/** Returns false if the passkey is already registered. */
export async function insertCredential(tx: Tx, row: CredentialRow): Promise<boolean> {
  const result = await tx
    .insertInto('webauthn_credentials')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Returns false if the counter did not increase. Authenticators that do not count always send 0. */
export async function updateCounter(
  tx: Tx,
  id: string,
  { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
): Promise<boolean> {
  const result = await tx
    .updateTable('webauthn_credentials')
    .set({ counter, is_backed_up: isBackedUp })
    .where('id', '=', id)
    .where('suspicious_at', 'is', null)
    .where(sql<boolean>`(counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))`)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Returns false if the passkey was already flagged, or is gone. */
export async function markSuspicious(tx: Tx, id: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('webauthn_credentials')
    .set({ suspicious_at: now })
    .where('id', '=', id)
    .where('suspicious_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function updateName(tx: Tx, id: string, name: string): Promise<boolean> {
  const result = await tx.updateTable('webauthn_credentials').set({ name }).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function deleteCredentialRow(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('webauthn_credentials').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function insertChallenge(db: Sql, row: ChallengeRow): Promise<void> {
  await db.insertInto('webauthn_challenges').values(row).execute();
}

export function findChallenge(db: Sql, hash: Hashed): Promise<ChallengeRow | undefined> {
  return db.selectFrom('webauthn_challenges').selectAll().where('challenge_hash', '=', hash).executeTakeFirst();
}

/** Returns false if it was already deleted. */
export async function deleteChallenge(db: Sql, hash: Hashed): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webauthn_challenges')
    .where('challenge_hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function insertSignIn(tx: Tx, row: SignInRow): Promise<void> {
  await tx.insertInto('webauthn_sign_ins').values(row).execute();
}

export function deleteSignIn(db: Sql, hash: Hashed): Promise<SignInRow | undefined> {
  return db.deleteFrom('webauthn_sign_ins').where('slug_hash', '=', hash).returningAll().executeTakeFirst();
}

/** Deletes up to `limit` expired rows of either kind and returns how many there were. */
export async function deleteExpired(db: Sql, now: Date, limit: number): Promise<number> {
  const challenges = db.selectFrom('webauthn_challenges').select('challenge_hash').where('expires_at', '<=', now);
  const first = await db
    .deleteFrom('webauthn_challenges')
    .where('challenge_hash', 'in', challenges.limit(limit))
    .executeTakeFirst();
  const signIns = db.selectFrom('webauthn_sign_ins').select('slug_hash').where('expires_at', '<=', now);
  const second = await db
    .deleteFrom('webauthn_sign_ins')
    .where('slug_hash', 'in', signIns.limit(limit))
    .executeTakeFirst();
  return Math.max(Number(first.numDeletedRows), Number(second.numDeletedRows));
}

/** Deletes a user's passkeys. */
export const webauthnErasure: Erasure = {
  columns: [
    'webauthn_users.user_id',
    'webauthn_users.user_handle',
    'webauthn_credentials.user_id',
    'webauthn_credentials.user_name',
    'webauthn_credentials.user_agent',
    'webauthn_challenges.user_id',
    'webauthn_sign_ins.user_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('webauthn_sign_ins').where('user_id', '=', userId).execute();
    await tx.deleteFrom('webauthn_challenges').where('user_id', '=', userId).execute();
    await tx.deleteFrom('webauthn_credentials').where('user_id', '=', userId).execute();
    await tx.deleteFrom('webauthn_users').where('user_id', '=', userId).execute();
  },
};
