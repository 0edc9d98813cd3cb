import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { auditLogOperations } from './operations.ts';

export const auditLogModule = defineModule('audit-log', { resources: [ownOperations(auditLogOperations)] });
