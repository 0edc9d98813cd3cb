import type { TelegramPost } from '../../ports/index.ts';
import { type BotAnswer, wordsOf } from '../bot-answers/index.ts';

const [longestText, longestLabel, buttonsInRow, mostRows] = [4096, 64, 3, 8];

/** What a bot says on any platform, as a message of Telegram. */
export function telegramPost(words: BotAnswer): TelegramPost {
  const { buttons } = words;
  const shown = buttons.map((button) => ({ text: button.label.slice(0, longestLabel), data: button.words.join(':') }));
  const rows = Math.min(mostRows, Math.ceil(shown.length / buttonsInRow));
  return {
    text: wordsOf(words, longestText),
    buttons: Array.from({ length: rows }, (_, row) => shown.slice(row * buttonsInRow, (row + 1) * buttonsInRow)),
  };
}
