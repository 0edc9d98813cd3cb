import type { TelegramPost } from '../../ports/index.ts';
import type { BotAnswer } from '../bot-answers/index.ts';

const [longestText, longestLabel, buttonsInRow, mostRows] = [4096, 64, 3, 8];

/** What a bot says on any platform, as a message of Telegram. */
export function telegramPost({ text, buttons }: BotAnswer): TelegramPost {
  const shown = buttons.map(({ label, words }) => ({ text: label.slice(0, longestLabel), data: words.join(':') }));
  const rows = Math.min(mostRows, Math.ceil(shown.length / buttonsInRow));
  return {
    text: text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`,
    buttons: Array.from({ length: rows }, (_, row) => shown.slice(row * buttonsInRow, (row + 1) * buttonsInRow)),
  };
}
