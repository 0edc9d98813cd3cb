export function nowMs(): number {
  return Date.now();
}

export function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/** Prints an error that no handler received. */
export function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: a mini-app has no log but the terminal it runs in, unless it passes onError.
  console.error(error);
}
