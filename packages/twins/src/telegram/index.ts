export type { Counts as TelegramCounts } from './answer.ts';
export type { GroupOptions, TelegramControl } from './control.ts';
export type { Limits as TelegramLimits } from './limits.ts';
export type { MtprotoTwin } from './mtproto/start.ts';
export { startTelegramTwin, type TelegramTwin, type TelegramTwinOptions } from './start.ts';
