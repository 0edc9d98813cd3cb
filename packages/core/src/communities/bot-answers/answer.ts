/** What a bot says, on any platform: plain sentences, and buttons where the platform has them. */
export interface BotAnswer {
  text: string;
  buttons: readonly BotButton[];
}

/** A button is a command with its arguments: `approve`, a plan, a count. Where there are no buttons people type it. */
export interface BotButton {
  label: string;
  words: readonly string[];
}

export function answer(text: string, buttons: readonly BotButton[] = []): BotAnswer {
  return { text, buttons };
}
