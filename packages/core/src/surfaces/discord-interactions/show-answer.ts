import { type BotAnswer, wordsOf } from '../bot-replies/index.ts';
import { button, type InteractionResponse, maxContent, messageOf, say } from './responses.ts';

/** Converts a bot reply to a Discord message. */
export function messageFor(words: BotAnswer): Record<string, unknown> {
  return messageOf(wordsOf(words, maxContent), words.buttons.map(toButton));
}

/** The same, visible only to the member who asked. */
export function describeAnswer(words: BotAnswer): InteractionResponse {
  return say(wordsOf(words, maxContent), words.buttons.map(toButton));
}

function toButton({ label, words }: BotAnswer['buttons'][number]) {
  return button(label.slice(0, 80), ['latchkey', ...words].join(':'));
}
