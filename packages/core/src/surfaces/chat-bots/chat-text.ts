import type { ChatBot } from '../../ports/index.ts';
import { type BotAnswer, wordsOf } from '../bot-replies/index.ts';

const longestText = 10_000;

/** A bot reply as plain text. There are no buttons: their commands are typed. */
export function chatText(
  { text, buttons, link }: BotAnswer,
  { commandPrefix }: Pick<ChatBot, 'commandPrefix'>,
): string {
  const typed = buttons.map(({ label, words }) => `• ${label}: ${commandPrefix}${words.join(' ')}`);
  const whole = [text, ...(typed.length === 0 ? [] : ['', ...typed])].join('\n');
  return wordsOf({ text: whole, ...(link !== undefined && { link }) }, longestText);
}
