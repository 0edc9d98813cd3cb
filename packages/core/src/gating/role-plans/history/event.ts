import type { AuditRow } from '../../../machinery/audit/index.ts';
import type { LedgerRow } from '../tables.ts';
import type { TimelineEntry } from './shapes.ts';

/** Something that happened, as it is kept. */
export type MemberEvent = { at: Date; id: string } & (
  | { kind: 'role'; row: LedgerRow }
  | { kind: 'audit'; row: AuditRow }
  | { kind: 'note'; entry: Pick<TimelineEntry, 'kind' | 'text'>; by?: string }
);
