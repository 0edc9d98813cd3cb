import { createHash } from 'node:crypto';
import { type Hashed, hashSecret, type Sealed, type Sql } from '@latchkey/db';
import { AppError, addSeconds, principalId, record, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';
import { linkTtlSeconds } from '../wallets/index.ts';

/** The services whose accounts are linked with an OAuth redirect. */
type LinkedService = 'twitter' | 'discord' | 'reddit';

interface LinkAttemptRow {
  state_hash: Hashed;
  /** The user who started it. No other user can finish it. */
  user_id: string;
  service: LinkedService;
  code_verifier: Sealed;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    account_link_attempts: LinkAttemptRow;
  }
}

async function insertAttempt(sql: Sql, row: LinkAttemptRow): Promise<void> {
  await sql.insertInto('account_link_attempts').values(row).execute();
}

/** Consumes an attempt, so that it works once. Another user's call consumes nothing. */
function takeRow(
  sql: Sql,
  stateHash: Hashed,
  userId: string,
  service: LinkedService,
): Promise<LinkAttemptRow | undefined> {
  return sql
    .deleteFrom('account_link_attempts')
    .where('state_hash', '=', stateHash)
    .where('user_id', '=', userId)
    .where('service', '=', service)
    .returningAll()
    .executeTakeFirst();
}

/** Keeps only the newest attempts of a user at one service. */
async function deleteOldestAttempts(sql: Sql, userId: string, service: LinkedService, kept: number): Promise<void> {
  const own = sql
    .selectFrom('account_link_attempts')
    .select('state_hash')
    .where('user_id', '=', userId)
    .where('service', '=', service);
  await sql
    .deleteFrom('account_link_attempts')
    .where('state_hash', 'in', own.orderBy('created_at', 'desc').orderBy('state_hash').offset(kept))
    .execute();
}

export async function deleteAttemptsOf(sql: Sql, userId: string): Promise<void> {
  await sql.deleteFrom('account_link_attempts').where('user_id', '=', userId).execute();
}

export async function deleteExpiredAttempts(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('account_link_attempts').where('expires_at', '<=', now).execute();
}

/** The sealed column of this feature, for a change of the master key. */
export const linkAttemptsSealed: readonly SealedColumn[] = [
  {
    table: 'account_link_attempts',
    column: 'code_verifier',
    idColumns: ['state_hash'],
    placeOf: (stateHash = '') => verifierPlace(stateHash),
  },
];

/** How long a user may take: as long as a message to link a wallet is valid. */
export const attemptTtlSeconds = linkTtlSeconds;

const stateLength = 32;

const verifierLength = 43;

/** Enough for a user who starts in several tabs. */
const mostAtOnce = 5;

export const LinkAttempt = record('LinkAttempt', 'An attempt to link an account of another service.', {
  url: text('The address to open in the browser to approve it.', { maxLength: 2048 }),
  state: text('The id of the attempt. The service returns it.'),
  expiresTime: text('Until when the attempt can be finished, in ISO 8601.'),
});

export type LinkAttempt = ValueOf<typeof LinkAttempt>;

type Start = (request: { state: string; codeChallenge: string }) => string;

/** Starts linking an account of another service. Only the newest attempts of a user are kept. */
export async function beginAttempt(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  service: LinkedService,
  start: Start,
): Promise<LinkAttempt> {
  const userId = principalId(ctx.actor);
  const state = ctx.random.id(stateLength);
  const codeVerifier = ctx.random.id(verifierLength);
  const stateHash = hashSecret(state);
  const now = ctx.clock();
  const expiresAt = addSeconds(now, attemptTtlSeconds);
  await ctx.db.transaction('system', async (tx) => {
    await deleteOldestAttempts(tx, userId, service, mostAtOnce - 1);
    await insertAttempt(tx, {
      state_hash: stateHash,
      user_id: userId,
      service,
      code_verifier: ctx.keyring.seal(verifierPlace(stateHash), codeVerifier),
      created_at: now,
      expires_at: expiresAt,
    });
  });
  return {
    url: start({ state, codeChallenge: challengeOf(codeVerifier) }),
    state,
    expiresTime: expiresAt.toISOString(),
  };
}

/** Consumes an attempt and returns its proof. Only the user who started it can do this. */
export async function takeAttempt(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring'>,
  { service, state, what }: { service: LinkedService; state: string; what: string },
): Promise<string> {
  const row = await takeRow(ctx.db.system, hashSecret(state), principalId(ctx.actor), service);
  if (row === undefined || row.expires_at <= ctx.clock())
    throw new AppError(
      'ENTITY_NOT_FOUND',
      `This attempt to link ${what} has expired, was already used, or was started by someone else. Start again.`,
    );
  return ctx.keyring.openText(verifierPlace(row.state_hash), row.code_verifier);
}

function verifierPlace(stateHash: Hashed | string): string {
  return `account_link_attempts.code_verifier:${stateHash}`;
}

/** RFC 7636, S256. */
export function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}
