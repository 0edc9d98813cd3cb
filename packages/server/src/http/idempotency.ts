import { createHash } from 'node:crypto';
import {
  findIdempotentRequest,
  type IdempotentRequest,
  insertIdempotentRequest,
  type SealedColumn,
  saveIdempotentAnswer,
  tenantOf,
} from '@latchkey/core';
import { hashSecret, type Keyring, sql, type Tx } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Server, Visit } from './visit.ts';

/**
 * Runs a request at most once per caller and key. The record is inserted first, so a second request with the same key
 * waits for that row until the first one commits, and then gets the recorded response. If the first one fails, its
 * record is rolled back and the second one runs.
 */
export async function runOnce(
  visit: Visit,
  key: string,
  server: Server,
  run: (tx: Tx) => Promise<unknown>,
): Promise<unknown> {
  const { db, clock, keyring } = server.services;
  const caller = principalId(visit.actor);
  const keyHash = hashSecret(key);
  const requestHash = hashSecret(fingerprint(visit));
  return db.transaction(tenantOf(visit.actor), async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx);
    const inserted = await insertRecord(tx, { caller, keyHash, requestHash, now: clock() });
    if (!inserted) return replay(tx, keyring, { caller, keyHash, requestHash }, visit);
    await sql`set local lock_timeout = 0`.execute(tx);
    const answer = await run(tx);
    await saveIdempotentAnswer(
      tx,
      { caller, keyHash },
      {
        status: visit.operation.answer.status,
        answer: keyring.seal(placeOf(caller, keyHash), JSON.stringify(answer ?? null)),
      },
    );
    return answer;
  });
}

interface RecordId extends IdempotentRequest {
  requestHash: ReturnType<typeof hashSecret>;
}

async function insertRecord(tx: Tx, record: RecordId & { now: Date }): Promise<boolean> {
  try {
    return await insertIdempotentRequest(tx, record);
  } catch (error) {
    // 55P03: the first request holds the row longer than the lock timeout.
    if (error instanceof Error && 'code' in error && error.code === '55P03') {
      throw new AppError(
        'IDEMPOTENCY_IN_PROGRESS',
        'The first request with this Idempotency-Key is still running. Try again shortly.',
      );
    }
    throw error;
  }
}

async function replay(
  tx: Tx,
  keyring: Keyring,
  { caller, keyHash, requestHash }: RecordId,
  visit: Visit,
): Promise<unknown> {
  const record = await findIdempotentRequest(tx, { caller, keyHash });
  if (record === undefined || record.answer === null) {
    throw new AppError(
      'IDEMPOTENCY_IN_PROGRESS',
      'The first request with this Idempotency-Key is still running. Try again shortly.',
    );
  }
  if (record.request_hash !== requestHash) {
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was already used with a different request. Use a new key for each new request.',
    );
  }
  visit.reply.header('idempotent-replayed', 'true');
  return JSON.parse(keyring.openText(placeOf(caller, keyHash), record.answer)) ?? undefined;
}

function placeOf(caller: string, keyHash: string): string {
  return `idempotent_requests.answer:${caller}:${keyHash}`;
}

/** Sealed columns to re-encrypt when the master key changes. */
export const idempotencySealed: readonly SealedColumn[] = [
  {
    table: 'idempotent_requests',
    column: 'answer',
    idColumns: ['caller', 'key_hash'],
    placeOf: (caller = '', keyHash = '') => placeOf(caller, keyHash),
  },
];

/** Two requests are the same if operation, parameters and body are. */
function fingerprint({ operation, input }: Visit): string {
  return createHash('sha256')
    .update(`${operation.route}\n${JSON.stringify(input)}`)
    .digest('hex');
}
