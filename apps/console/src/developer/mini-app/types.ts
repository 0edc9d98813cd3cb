import type { Answer } from '../../shared/api/index.ts';

export type MiniAppDetails = Answer<'GET /latchkey/miniapps/{miniAppId}'>;
export type MiniApp = MiniAppDetails['app'];
