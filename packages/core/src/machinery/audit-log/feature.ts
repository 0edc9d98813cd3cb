import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { auditLogOperations } from './operations.ts';

export const auditLogFeature = feature('audit-log', { resources: [ownOperations(auditLogOperations)] });
