import { defineModule } from '../../shared/module.ts';
import { auditErasure } from './forget.ts';

export { auditOf } from './audit-of.ts';
export { type AuditChannel, type AuditDetail, type AuditEntry, nameInAudit } from './entry.ts';
export { type AuditFilter, type AuditRow, selectAuditEntries } from './queries.ts';
export { recordAudit } from './record.ts';

export const auditModule = defineModule('audit', { erasures: [auditErasure], tables: ['audit_entries'] });
