/** What a command needs from the process that runs it. */
export interface Terminal {
  /** The folder that relative paths start from. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
  printError(text: string): void;
  /** Shows progress in one line, which the next call replaces; nothing where the output is no terminal. */
  showProgress(text: string): void;
  wait(ms: number): Promise<void>;
  /** Runs git in the folder. Returns what it prints, or undefined if it fails. Absent where commands must not start programs. */
  git?(args: readonly string[]): Promise<string | undefined>;
}
