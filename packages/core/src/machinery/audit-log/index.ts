export { auditLogFeature } from './feature.ts';
