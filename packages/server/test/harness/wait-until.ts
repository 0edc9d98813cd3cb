export { until as waitUntil } from '@latchkey/test-kit';
