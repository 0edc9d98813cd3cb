import { defineModule } from '../../shared/module.ts';
import { auditErasure } from './queries.ts';

export { type AuditChannel, type AuditDetail, type AuditEntry, auditOf, nameInAudit, recordAudit } from './entry.ts';
export { type AuditFilter, type AuditRow, selectAuditEntries } from './queries.ts';

export const auditModule = defineModule('audit', { erasures: [auditErasure], tables: ['audit_entries'] });
