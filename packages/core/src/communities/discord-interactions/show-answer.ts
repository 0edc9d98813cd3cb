import type { BotAnswer } from '../bot-answers/index.ts';
import { button, type InteractionResponse, messageOf, say } from './responses.ts';

/** What a bot says on any platform, as a message of Discord. */
export function messageFor({ text, buttons }: BotAnswer): Record<string, unknown> {
  return messageOf(text, buttons.map(toButton));
}

/** The same, for nobody but the person who asked. */
export function sayAnswer({ text, buttons }: BotAnswer): InteractionResponse {
  return say(text, buttons.map(toButton));
}

function toButton({ label, words }: BotAnswer['buttons'][number]) {
  return button(label.slice(0, 80), ['latchkey', ...words].join(':'));
}
