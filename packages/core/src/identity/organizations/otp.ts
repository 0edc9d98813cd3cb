import type { Sealed, Sql, Tx } from '@latchkey/db';
import type { Random } from '@latchkey/kernel';

export const otpTtlSeconds = 10 * 60;

export const maxWrongTries = 5;

export const maxMailsPerHour = 5;

export const mailWindowSeconds = 60 * 60;

const codes = 1_000_000;

const drawBytes = 3;

// Numbers after the last full run of codes are discarded: wrapping them would make low codes likelier.
const drawLimit = 256 ** drawBytes - (256 ** drawBytes % codes);

/** Returns six digits, uniformly distributed. */
export function drawOtp(random: Random): string {
  for (;;) {
    const number = Buffer.from(random.bytes(drawBytes)).readUIntBE(0, drawBytes);
    if (number < drawLimit) return String(number % codes).padStart(6, '0');
  }
}

export function otpPlace(id: string): string {
  return `organization_otps.code:${id}`;
}

/** A stored one-time password. */
interface OtpRow {
  id: string;
  organization_id: string;
  created_by_id: string;
  /** null once it was used or replaced. */
  code: Sealed | null;
  wrong_tries: number;
  created_at: Date;
  expires_at: Date;
}

type LiveOtp = OtpRow & { code: Sealed };

declare module '@latchkey/db/tables' {
  interface Tables {
    organization_otps: OtpRow;
  }
}

export async function insertOtp(tx: Tx, row: OtpRow): Promise<void> {
  await tx.insertInto('organization_otps').values(row).execute();
}

/** Returns the times of the mails that a user requested after `since`, oldest first. */
export async function selectMailTimes(tx: Tx, ownerId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .selectFrom('organization_otps')
    .select('created_at')
    .where('created_by_id', '=', ownerId)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute();
  return rows.map((row) => row.created_at);
}

export async function deleteOtpsOf(tx: Tx, ownerId: string, createdBefore: Date): Promise<void> {
  await tx
    .deleteFrom('organization_otps')
    .where('created_by_id', '=', ownerId)
    .where('created_at', '<=', createdBefore)
    .execute();
}

export function selectLiveOtpsOf(tx: Tx, ownerId: string, now: Date): Promise<LiveOtp[]> {
  return tx
    .selectFrom('organization_otps')
    .selectAll()
    .where('created_by_id', '=', ownerId)
    .where('code', 'is not', null)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .$narrowType<{ code: Sealed }>()
    .execute();
}

/** Returns the data of the mail. Undefined if the one-time password is no longer valid. */
export function selectLiveOtp(db: Sql, id: string, now: Date): Promise<{ code: Sealed; email: string } | undefined> {
  return db
    .selectFrom('organization_otps')
    .innerJoin('organizations', 'organizations.id', 'organization_otps.organization_id')
    .select(['organization_otps.code', 'organizations.email'])
    .where('organization_otps.id', '=', id)
    .where('organization_otps.code', 'is not', null)
    .where('organization_otps.expires_at', '>', now)
    .$narrowType<{ code: Sealed }>()
    .executeTakeFirst();
}

export async function countWrongTry(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('organization_otps')
    .set((row) => ({ wrong_tries: row('wrong_tries', '+', 1) }))
    .where('id', 'in', ids)
    .execute();
}

/** Invalidates the current one-time password of an organization by clearing it. */
export async function wipeOtpOf(tx: Tx, organizationId: string): Promise<void> {
  await tx
    .updateTable('organization_otps')
    .set({ code: null })
    .where('organization_id', '=', organizationId)
    .where('code', 'is not', null)
    .execute();
}
