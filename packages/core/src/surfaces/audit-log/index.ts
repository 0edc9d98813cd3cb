import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { auditLogOperations } from './operations.ts';

export const auditLogFeature = feature('audit-log', { resources: [ownOperations(auditLogOperations)] });
