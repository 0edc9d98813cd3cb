export { auditOf } from './audit-of.ts';
export { type AuditDetail, type AuditDoor, type AuditEntry, nameInAudit } from './entry.ts';
export { auditFeature } from './feature.ts';
export { type AuditFilter, type AuditRow, selectAuditEntries } from './queries.ts';
export { recordAudit } from './record.ts';
