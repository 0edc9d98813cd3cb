/**
 * Loads the emulators of external services, with the development chain. A production install does not have them, so the
 * rest of the server only imports their types.
 */
export async function loadEmulators(
  load: () => Promise<typeof import('@latchkey/emulators')> = () => import('@latchkey/emulators'),
): Promise<typeof import('@latchkey/emulators')> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'The simulators of Discord, chains and mail are not installed: this is a production install. ' +
        'Run `npm start` or `npm run demo`, which install them. To run without them, use `npm run latchkey -- server` and `worker`.',
      { cause: error },
    );
  }
}
