import type { QueueTables } from './queue/tables.ts';

/**
 * Every table, collected from the parts that own them. Features add theirs by declaration merging next to their
 * queries.
 */
export interface Tables extends QueueTables {}
