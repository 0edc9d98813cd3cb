import { feature } from '../../shared/feature.ts';
import { auditErasure } from './forget.ts';

export { auditOf } from './audit-of.ts';
export { type AuditDetail, type AuditDoor, type AuditEntry, nameInAudit } from './entry.ts';
export { type AuditFilter, type AuditRow, selectAuditEntries } from './queries.ts';
export { recordAudit } from './record.ts';

export const auditFeature = feature('audit', { erasures: [auditErasure], tables: ['audit_entries'] });
