export type { GroupOptions, TelegramControl } from './control.ts';
export type { Limits as TelegramLimits } from './limits.ts';
export type { MtprotoEmulator } from './mtproto/start.ts';
export {
  type Counts as TelegramCounts,
  startTelegramEmulator,
  type TelegramEmulator,
  type TelegramEmulatorOptions,
} from './start.ts';
