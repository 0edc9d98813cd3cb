export type { CallBudget, CallGrant, CallReport } from '@latchkey/db';
