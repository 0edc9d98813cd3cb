import { systemRandom } from '@latchkey/db';
import type { SampleWorld } from '@latchkey/twins/sample-world';
import type { Config } from '../config.ts';
import { loadTwins } from './load-twins.ts';
import { sampleBot, sampleReddit, sampleStripe, sampleTelegramBot } from './with-twins.ts';

/** Starts the twins where `withTwins` says they are. */
export async function startWorld(config: Pick<Config, 'tryOutPort'>): Promise<SampleWorld> {
  const port = config.tryOutPort;
  const { startSampleWorld } = await loadTwins();
  try {
    return await startSampleWorld({
      port,
      seed: systemRandom.id(32),
      bot: sampleBot,
      telegramBot: sampleTelegramBot,
      redditApp: sampleReddit,
      stripeAccount: sampleStripe,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Ports ${port} to ${port + 5}, where the sample community lives, are in use. Set LATCHKEY_TRY_OUT_PORT to others, or LATCHKEY_TRY_OUT=false to start without it.`,
    );
  }
}
