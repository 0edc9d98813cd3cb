import type { Answer } from '../api/index.ts';

export type Treasury = Answer<'GET /latchkey/treasuries/{address}'>;
export type TreasuryAction = Answer<'GET /latchkey/treasuries/{address}/actions'>['items'][number];
