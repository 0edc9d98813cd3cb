import type { PlaygroundWorld } from '@latchkey/core/ports';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import type { Config } from '../config.ts';
import { loadEmulators } from './load-emulators.ts';

/**
 * Returns where readers of the guides get communities of their own: on the emulators, and nowhere without them. With a
 * real bot of the operator there is no guild that it could see.
 */
export async function openPlaygroundWorld(
  given: Pick<Config, 'discordBotToken'>,
  world: Pick<SampleWorld, 'chain' | 'discord'> | undefined,
): Promise<PlaygroundWorld | undefined> {
  if (world === undefined || given.discordBotToken !== undefined) return undefined;
  const { createPlaygroundWorld } = await loadEmulators();
  return createPlaygroundWorld(world.discord, world.chain);
}
