/** A bot's reply, on any platform: plain sentences, buttons where the platform has them, and where to see more. */
export interface BotAnswer {
  text: string;
  buttons: readonly BotButton[];
  link?: BotLink;
}

/**
 * A button is a command with its arguments: `approve`, a change set, a count. On platforms without buttons, people type
 * it.
 */
export interface BotButton {
  label: string;
  words: readonly string[];
}

/** Links are written as text: not every platform accepts buttons with arbitrary URLs, such as local ones. */
export interface BotLink {
  label: string;
  url: string;
}

export function answer(text: string, buttons: readonly BotButton[] = [], link?: BotLink): BotAnswer {
  return { text, buttons, ...(link !== undefined && { link }) };
}

/** The text with the link below it, truncated to the platform's limit. The link is never truncated. */
export function wordsOf({ text, link }: Pick<BotAnswer, 'text' | 'link'>, longest: number): string {
  const end = link === undefined ? '' : `\n${link.label}: ${link.url}`;
  const room = longest - end.length;
  return `${text.length <= room ? text : `${text.slice(0, room - 1)}…`}${end}`;
}
