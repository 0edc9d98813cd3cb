import {
  type DiscordBlock,
  type DiscordButton,
  type DiscordComponentMessage,
  type DiscordRow,
  discordComponents,
  discordFlags,
} from '../../ports/index.ts';
import { truncate } from '../bot-replies/index.ts';

/** A text of a message with the buttons below it, or with one beside it. */
export interface Part {
  text: string;
  buttons?: readonly DiscordButton[];
  beside?: DiscordButton;
}

/** The limits of Discord for one message: components at any depth, and characters in all of its texts. */
export const [mostComponents, mostCharacters] = [40, 4000];
const [mostRows, buttonsInRow] = [5, 5];

interface Look {
  /** A last line that is never cut. */
  footer?: string | undefined;
  isPrivate?: boolean;
}

/**
 * Writes a message of the bot as components. It pings no one. What does not fit is cut from the end: first the buttons of
 * the last parts, then their text.
 */
export function renderMessage(
  parts: readonly Part[],
  { footer, isPrivate = false }: Look = {},
): DiscordComponentMessage {
  const { container, separator } = discordComponents;
  const end: DiscordBlock[] = footer === undefined ? [] : [{ type: separator }, textOf(footer)];
  const shown = fit(
    parts.filter(({ text }) => text !== ''),
    mostComponents - 1 - end.length,
  );
  const texts = cut(
    shown.map(({ text }) => text),
    mostCharacters - (footer?.length ?? 0),
  );
  const blocks = shown.flatMap((part, at) => {
    const text = texts[at] ?? '';
    return text === '' ? [] : blocksOf({ ...part, text });
  });
  const all = [...blocks, ...end];
  const isPlain = all.length === 1 && all[0]?.type === discordComponents.text;
  return {
    flags: discordFlags.componentsV2 | (isPrivate ? discordFlags.ephemeral : 0),
    components: isPlain ? all : [{ type: container, components: all }],
    allowed_mentions: { parse: [] },
  };
}

/** To replace a message: one that an earlier version posted has its text in `content`, which Discord does not keep beside components. */
export function replacing(message: DiscordComponentMessage): Record<string, unknown> {
  return { ...message, content: null, embeds: [] };
}

function blocksOf({ text, buttons = [], beside }: Part): DiscordBlock[] {
  if (beside !== undefined) return [{ type: discordComponents.section, components: [textOf(text)], accessory: beside }];
  return [textOf(text), ...rowsOf(buttons)];
}

function textOf(content: string) {
  return { type: discordComponents.text, content };
}

/** The buttons in rows, as many as Discord takes. */
export function rowsOf(buttons: readonly DiscordButton[]): DiscordRow[] {
  const rows = Math.min(mostRows, Math.ceil(buttons.length / buttonsInRow));
  return Array.from({ length: rows }, (_, row) => ({
    type: discordComponents.row,
    components: buttons.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  }));
}

/** Joins the last parts to one text without buttons, until there are few enough components. */
function fit(parts: readonly Part[], room: number): Part[] {
  const fitting = [...parts];
  while (fitting.length > 1 && fitting.reduce((sum, part) => sum + countOf(part), 0) > room) {
    const joined = fitting.splice(-2).map(({ text }) => text);
    fitting.push({ text: joined.join('\n') });
  }
  return fitting;
}

function countOf(part: Part): number {
  if (part.beside !== undefined) return 3;
  return 1 + rowsOf(part.buttons ?? []).reduce((sum, { components }) => sum + 1 + components.length, 0);
}

/** Cuts the texts where they are longer than `room` together. */
function cut(texts: readonly string[], room: number): string[] {
  let left = room;
  return texts.map((text) => {
    const shown = left > 0 ? truncate(text, left) : '';
    left -= shown.length;
    return shown;
  });
}
