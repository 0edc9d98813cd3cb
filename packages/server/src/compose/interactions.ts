import type { InteractionRequest } from '@latchkey/core';
import type { Clock } from '@latchkey/kernel';
import { verifyInteraction } from '@latchkey/platforms';
import type { Config } from '../config.ts';

/** Verifies Discord's signatures. Undefined where its key is not configured. */
export function composeInteractionCheck(
  { discordPublicKey }: Pick<Config, 'discordPublicKey'>,
  clock: Clock,
): ((request: InteractionRequest) => boolean) | undefined {
  if (discordPublicKey === undefined) return undefined;
  return (request) => verifyInteraction(discordPublicKey, request, clock());
}
