import type { Generated } from 'kysely';
import type { QueueTables } from './queue/tables.ts';
import type { Hashed, Sealed } from './secrets/index.ts';

export type SigningPurpose = 'jwt' | 'action-ecdsa' | 'action-ed25519';

/** The tables the platform itself keeps, apart from those of its features. */
export interface PlatformTables {
  signing_keys: {
    kid: string;
    purpose: SigningPurpose;
    public_key: string;
    private_key: Sealed;
    created_at: Date;
    retired_at: Date | null;
  };
  master_key_check: { id: number; sealed: Sealed };
  admin_keys: {
    id: string;
    name: string;
    key_hash: Hashed;
    created_at: Date;
    revoked_at: Date | null;
    expires_at: Date | null;
    /** Single addresses or networks; empty means any. */
    allowed_ip_addresses: string[];
  };
  /** One row once the sample community of `npm start` was put into the database. */
  sample_world: { id: 1; noted_at: Date };
  access_tokens: {
    token_hash: Hashed;
    user_id: string | null;
    platform: string | null;
    user_name: string | null;
    client_id: string | null;
    scopes: string[];
    issued_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
    /** The authorization it came from, if a person gave one: it ends with that. */
    grant_id: string | null;
    /** What the provider library wants to know again; nothing secret. */
    details: Record<string, unknown> | null;
    /** The roles and holdings that the token vouches for: it counts while they last. */
    relied_on: Record<string, unknown> | null;
  };
  revoked_tokens: { jti: string; expires_at: Date };
  used_nonces: { nonce_hash: Hashed; expires_at: Date };
  idempotent_requests: {
    caller: string;
    key_hash: Hashed;
    request_hash: Hashed;
    status: number | null;
    answer: Sealed | null;
    created_at: Date;
  };
  rate_windows: { bucket: string; window_start: Date; used: Generated<number> };
}

/** Every table, gathered from the parts that own them. Features add theirs by declaration merging beside their queries. */
export interface Tables extends PlatformTables, QueueTables {}
