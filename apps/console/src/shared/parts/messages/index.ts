import { consoleMessages } from '../../../messages/index.ts';
import en from './en.ts';

export const t = consoleMessages(en);
