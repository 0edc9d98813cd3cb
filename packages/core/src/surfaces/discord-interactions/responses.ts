import type { Locale } from '@latchkey/kernel/messages';
import {
  type DiscordButton,
  type DiscordComponentMessage,
  type DiscordForm,
  discordComponents,
  discordFlags,
  discordResponses,
} from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { type BotAnswer, type BotButton, linkInWords, truncate, wordsOf } from '../bot-replies/index.ts';
import { type Part, renderMessage, rowsOf } from './render.ts';

/** A response in Discord's format. */
export type InteractionResponse = Record<string, unknown> & { type: number };

const maxContent = 2000;
const maxLabel = 80;

export const pong: InteractionResponse = { type: discordResponses.pong };

/** A message that only the member who used the command sees. */
export function say(text: string, buttons: readonly DiscordButton[] = []): InteractionResponse {
  return sayParts([{ text, buttons }]);
}

export function sayParts(parts: readonly Part[]): InteractionResponse {
  return { type: discordResponses.message, data: renderMessage(parts, { isPrivate: true }) };
}

/** A message that every member in the channel sees. */
export function announce(text: string): InteractionResponse {
  return { type: discordResponses.message, data: renderMessage([{ text }]) };
}

/** Discord shows that the bot is thinking, until the message arrives. */
export const later: InteractionResponse = { type: discordResponses.later, data: { flags: discordFlags.ephemeral } };

export function openForm(form: DiscordForm): InteractionResponse {
  return { type: discordResponses.form, data: form };
}

export function button(label: string, name: string): DiscordButton {
  return { type: discordComponents.button, style: 1, label: truncate(label, maxLabel), custom_id: name };
}

export function linkButton(label: string, url: string): DiscordButton {
  return { type: discordComponents.button, style: 5, label: truncate(label, maxLabel), url };
}

/** The message with the button by which every member can link a wallet, in the language of the server. */
export function joinMessage({ settings }: Pick<Context, 'settings'>, locale?: Locale): DiscordComponentMessage {
  const t = messagesIn(locale);
  return renderMessage([
    {
      text: t('discord.welcome', { service: settings.serviceName }),
      buttons: [button(t('discord.welcomeButton'), 'latchkey:join')],
    },
  ]);
}

/** Converts a bot reply to a message that replaces "thinking". */
export function messageFor(words: BotAnswer): DiscordComponentMessage {
  return renderAnswer(words, false);
}

/** Converts a bot reply to a message that only the member who asked sees. */
export function describeAnswer(words: BotAnswer): InteractionResponse {
  return { type: discordResponses.message, data: renderAnswer(words, true) };
}

function renderAnswer({ text, buttons, link, parts }: BotAnswer, isPrivate: boolean): DiscordComponentMessage {
  const shown = (parts ?? [{ text, buttons }]).map((part) => ({ ...part, buttons: part.buttons.map(toButton) }));
  return renderMessage(shown, { isPrivate, footer: link && linkInWords(link) });
}

/**
 * A message that the bot sends unasked. Its text is `content`: Discord shows that in the notification on a phone, and has
 * no such text for a message of components.
 */
export function noticeFor(words: BotAnswer): Record<string, unknown> {
  return {
    content: wordsOf(words, maxContent),
    allowed_mentions: { parse: [] },
    components: rowsOf(words.buttons.map(toButton)),
  };
}

function toButton({ label, words }: BotButton): DiscordButton {
  return button(label, ['latchkey', ...words].join(':'));
}
