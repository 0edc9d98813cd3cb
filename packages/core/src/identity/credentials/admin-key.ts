import { hashSecret, type Sql } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import { type AuditEntry, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { isAddressOrNetwork } from '../../shared/ip-addresses.ts';
import {
  type AdminKeyRow,
  countAdminKeyRows,
  insertAdminKey,
  lockAdminKeys,
  markAdminKeyRevoked,
  selectAdminKeys,
} from './queries.ts';

type KeyContext = Pick<Context, 'clock' | 'db'>;

/** Revokes an admin key by its id. */
export async function revokeAdminKey(ctx: KeyContext, id: string, change: KeyChange = byStart): Promise<void> {
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    if (!(await markAdminKeyRevoked(tx, id, now))) throw notFound('admin key');
    await recordAudit(tx, { ...change, at: now, action: 'admin-key.revoke', target: id });
  });
}

/** Counts the usable admin keys. */
export async function countAdminKeys(ctx: KeyContext): Promise<number> {
  return (await countAdminKeyRows(ctx.db.system, ctx.clock())).usable;
}

/** Lists all admin keys, newest first, without their hashes. */
export function listAdminKeys(ctx: Pick<Context, 'db'>): Promise<Omit<AdminKeyRow, 'key_hash'>[]> {
  return selectAdminKeys(ctx.db.system);
}

type CreateContext = Pick<Context, 'clock' | 'db' | 'random'>;

export interface NewAdminKey {
  id: string;
  /** Shown once; only its hash is stored. */
  key: string;
}

/** The limits of a key. Missing ones do not apply. */
export interface AdminKeyLimits {
  expiresAt?: Date | undefined;
  /** The IP addresses and networks it may be used from. */
  allowedIpAddresses?: readonly string[];
}

/** Who changed a key, for the audit log. */
export type KeyChange = Pick<AuditEntry, 'fromAddress' | 'reason' | 'requestId' | 'through' | 'who'>;

// 43 letters and digits have 256 bits.
const idLength = 12;

const secretLength = 43;

const byStart: KeyChange = { who: '$system/start', through: 'start' };

/** Creates an admin key, which has full access. */
export async function createAdminKey(
  ctx: CreateContext,
  name: string,
  limits: AdminKeyLimits = {},
  change: KeyChange = byStart,
): Promise<NewAdminKey> {
  checkLimits(limits, ctx.clock());
  return ctx.db.transaction('system', (tx) => create(ctx, tx, name, limits, change));
}

/** Creates the first key of a new installation, once, even if many processes start at the same time. */
export function createFirstAdminKey(ctx: CreateContext, name: string): Promise<NewAdminKey | undefined> {
  return ctx.db.transaction('system', async (tx) => {
    await lockAdminKeys(tx);
    const { ever } = await countAdminKeyRows(tx, ctx.clock());
    return ever === 0 ? create(ctx, tx, name, {}, byStart) : undefined;
  });
}

function checkLimits({ expiresAt, allowedIpAddresses = [] }: AdminKeyLimits, now: Date): void {
  const wrong = allowedIpAddresses.find((entry) => !isAddressOrNetwork(entry));
  if (wrong !== undefined)
    throw new AppError(
      'VALIDATION_FAILED',
      `${JSON.stringify(wrong)} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/32.`,
    );
  if (expiresAt !== undefined && expiresAt <= now)
    throw new AppError('VALIDATION_FAILED', 'The expiry time of a key must be in the future.');
}

async function create(
  ctx: CreateContext,
  db: Sql,
  name: string,
  { expiresAt, allowedIpAddresses = [] }: AdminKeyLimits,
  change: KeyChange,
): Promise<NewAdminKey> {
  const id = ctx.random.id(idLength);
  const key = `admin${id}.${ctx.random.id(secretLength)}`;
  const now = ctx.clock();
  await insertAdminKey(db, {
    id,
    name,
    key_hash: hashSecret(key),
    created_at: now,
    revoked_at: null,
    expires_at: expiresAt ?? null,
    allowed_ip_addresses: [...allowedIpAddresses],
  });
  const details = { name, expiresAt: expiresAt?.toISOString() ?? null, addresses: allowedIpAddresses };
  await recordAudit(db, { ...change, at: now, action: 'admin-key.create', target: id, details });
  return { id, key };
}
