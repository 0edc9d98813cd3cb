/** One thing that a person does on a page before the picture is taken. Names are those that are read on the page. */
export type Step =
  | { press: string }
  | { type: string; into: string }
  | { choose: string; under: string }
  | { close: 'dialog' }
  /** Waits until this is read on the page. */
  | { see: string };

export interface Picture {
  /** The name of its files, and what pages call it by: `<Screenshot of="…" />`. */
  name: string;
  /**
   * Where it is taken: a screen of the console by its path, the page that links wallets as somebody comes to it from a
   * bot, or a message of the bot.
   */
  on: { screen: string } | { connect: 'computer' | 'phone' } | { message: 'join' | 'connect' | 'roles' | 'held' };
  /** Whether it is taken before a rule is changed by mistake and its removals wait for approval. */
  isCalm?: true;
  /** Whether it is taken last, while the community is in shadow mode. */
  isShadow?: true;
  steps?: readonly Step[];
  /** The parts of the page that are to be seen, as selectors; the picture is the rectangle around them. */
  part: readonly string[];
  /** The width of the window; that of a small laptop unless told. */
  width?: number;
  /** Cuts off what is further down, where the beginning says enough. */
  height?: number;
}
