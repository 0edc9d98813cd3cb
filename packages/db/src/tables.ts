import type { Generated } from 'kysely';
import type { QueueTables } from './queue/tables.ts';
import type { Hashed, Sealed } from './secrets/index.ts';

/** What the HTTP pipeline keeps of requests. It is declared here, since what forgets a person's traces comes before it. */
export interface RequestTables {
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
export interface Tables extends RequestTables, QueueTables {}
