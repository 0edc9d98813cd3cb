import { feature } from '../../feature.ts';
import { auditErasure } from './forget.ts';

export const auditFeature = feature('audit', { erasures: [auditErasure], tables: ['audit_entries'] });
