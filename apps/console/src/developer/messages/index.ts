import { consoleMessages } from '../../messages/index.ts';
import en from './en.ts';

export type MessageId = keyof typeof en;
export const t = consoleMessages(en);
