import { systemRandom } from '@latchkey/db';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import type { Config } from '../config.ts';
import { loadEmulators } from './load-emulators.ts';
import { sampleKeys } from './sample-services.ts';
import { sampleBot, sampleReddit, sampleStripe, sampleTelegramBot } from './with-emulators.ts';

/** Starts the emulators at the addresses that `withEmulators` configures. */
export async function startWorld(config: Pick<Config, 'sandboxPort'>): Promise<SampleWorld> {
  const port = config.sandboxPort;
  const { startSampleWorld } = await loadEmulators();
  try {
    return await startSampleWorld({
      port,
      seed: systemRandom.id(32),
      bot: sampleBot,
      telegramBot: sampleTelegramBot,
      redditApp: sampleReddit,
      stripeAccount: sampleStripe,
      services: { openSeaKey: sampleKeys.opensea, tokenproofSecret: sampleKeys.tokenproof },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Ports ${port} to ${port + 9}, used by the sample community, are taken. Set LATCHKEY_SANDBOX_PORT to others, or LATCHKEY_SANDBOX=false to start without it.`,
    );
  }
}
