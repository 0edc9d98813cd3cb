/** A bot's reply, on any platform: plain sentences, buttons where the platform has them, and where to see more. */
export interface BotAnswer {
  text: string;
  buttons: readonly BotButton[];
  link?: BotLink;
}

/** A button is a command with its arguments: `approve`, a change set, a count. Where there are no buttons people type it. */
export interface BotButton {
  label: string;
  words: readonly string[];
}

/** An address is said as text: not every platform takes buttons that lead to any address, such as one of this machine. */
export interface BotLink {
  label: string;
  url: string;
}

export function answer(text: string, buttons: readonly BotButton[] = [], link?: BotLink): BotAnswer {
  return { text, buttons, ...(link !== undefined && { link }) };
}

/** The sentences with the link below them, no longer than a platform takes. The link is never cut. */
export function wordsOf({ text, link }: Pick<BotAnswer, 'text' | 'link'>, longest: number): string {
  const end = link === undefined ? '' : `\n${link.label}: ${link.url}`;
  const room = longest - end.length;
  return `${text.length <= room ? text : `${text.slice(0, room - 1)}…`}${end}`;
}
