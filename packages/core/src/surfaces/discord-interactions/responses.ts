import type { Locale } from '@latchkey/kernel/messages';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { type BotAnswer, wordsOf } from '../bot-replies/index.ts';

/** A response in Discord's format. */
export type InteractionResponse = Record<string, unknown> & { type: number };

const [pongType, messageType, laterType] = [1, 4, 5];

const onlyForThem = 64;

const maxContent = 2000;

export const pong: InteractionResponse = { type: pongType };

/** A message for any audience. It pings no one. */
function messageOf(content: string, buttons: readonly Button[] = []): Record<string, unknown> {
  return {
    content: content.length <= maxContent ? content : `${content.slice(0, maxContent - 1)}…`,
    allowed_mentions: { parse: [] },
    components: rowsOf(buttons),
  };
}

const [mostRows, buttonsInRow] = [5, 5];

function rowsOf(buttons: readonly Button[]): Record<string, unknown>[] {
  const rows = Math.min(mostRows, Math.ceil(buttons.length / buttonsInRow));
  return Array.from({ length: rows }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  }));
}

/** A message that only the member who used the command sees. */
export function say(content: string, buttons: readonly Button[] = []): InteractionResponse {
  return { type: messageType, data: { ...messageOf(content, buttons), flags: onlyForThem } };
}

/** A message that every member in the channel sees. */
export function announce(content: string, buttons: readonly Button[] = []): InteractionResponse {
  return { type: messageType, data: messageOf(content, buttons) };
}

/** Discord shows that the bot is thinking, until the message arrives. */
export const later: InteractionResponse = { type: laterType, data: { flags: onlyForThem } };

export type Button = Readonly<Record<string, unknown>>;

export function button(label: string, name: string): Button {
  return { type: 2, style: 1, label, custom_id: name };
}

export function linkButton(label: string, url: string): Button {
  return { type: 2, style: 5, label, url };
}

/** The message with the button by which every member can link a wallet, in the language of the server. */
export function joinMessage({ settings }: Pick<Context, 'settings'>, locale?: Locale): Record<string, unknown> {
  const t = messagesIn(locale);
  return messageOf(t('discord.welcome', { service: settings.serviceName }), [
    button(t('discord.welcomeButton'), 'latchkey:join'),
  ]);
}

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
