import { type BotAnswer, wordsOf } from '../bot-replies/index.ts';

const longestText = 9_000;

/** The subject by which a private message is known to be for the bot. */
export const commandSubject = 'latchkey';

/**
 * What a bot says on any platform, in Reddit's Markdown. There are no buttons: what they would do is typed into a private
 * message to the linked account.
 */
export function redditText({ text, buttons, link }: BotAnswer, userName: string): string {
  const said = text.split('\n').map((line) => line.replace(/^• /, '* '));
  const typed = buttons.map(({ label, words }) => `* ${label}: \`${words.join(' ')}\``);
  const how = `To decide, send u/${userName} a private message with the subject \`${commandSubject}\` and one of these:`;
  const whole = [...said, ...(typed.length === 0 ? [] : [how, ...typed])].join('\n\n');
  return wordsOf({ text: whole, ...(link !== undefined && { link }) }, longestText);
}
