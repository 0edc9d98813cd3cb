const patienceMs = 5_000;

/** What a source answers within a few seconds, or nothing: a collector does not wait for a database that hangs. */
export async function readSoon<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), patienceMs);
  try {
    return await Promise.race([read().catch(() => undefined), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
