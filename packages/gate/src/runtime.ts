export function nowMs(): number {
  return Date.now();
}

/** Where a failure goes that the visitor does not see. */
export function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: callers that want it elsewhere pass onError.
  console.error(error);
}
