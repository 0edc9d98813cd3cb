export { compose } from './compose/index.ts';
export { readConfig } from './config.ts';
export { createLog } from './log.ts';
