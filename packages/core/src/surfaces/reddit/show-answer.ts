import { adminMessages } from '../../shared/messages/index.ts';
import { type BotAnswer, wordsOf } from '../bot-replies/index.ts';

const longestText = 9_000;

/** The subject that marks a private message as a bot command. */
export const commandSubject = 'latchkey';

/**
 * Formats a bot reply in Reddit's Markdown. There are no buttons: their commands are sent in a private message to the
 * linked account.
 */
export function redditText({ text, buttons, link }: BotAnswer, userName: string): string {
  const reply = text.split('\n').map((line) => line.replace(/^• /, '* '));
  const typed = buttons.map(({ label, words }) => `* ${label}: \`${words.join(' ')}\``);
  const how = adminMessages('reddit.decide', { account: userName, subject: commandSubject });
  const whole = [...reply, ...(typed.length === 0 ? [] : [how, ...typed])].join('\n\n');
  return wordsOf({ text: whole, ...(link !== undefined && { link }) }, longestText);
}
