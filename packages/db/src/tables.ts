import type { QueueTables } from './queue/tables.ts';

/** Every table, gathered from the parts that own them. Features add theirs by declaration merging beside their queries. */
export interface Tables extends QueueTables {}
