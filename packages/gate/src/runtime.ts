export function nowMs(): number {
  return Date.now();
}

/** Prints a failure that the visitor does not see. */
export function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: callers that want it elsewhere pass onError.
  console.error(error);
}
