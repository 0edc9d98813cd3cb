import { AppError } from '@latchkey/kernel';
import { verifying } from '../../port-guards/index.ts';
import type { Services } from '../../shared/context.ts';
import { handleInteraction } from './handle-interaction.ts';

/** A request to the interactions URL, as received. */
export interface InteractionRequest {
  signature: string | undefined;
  timestamp: string | undefined;
  rawBody: Uint8Array;
}

/** The route that Discord posts interactions to; the server mounts it with the raw body and without authentication. */
export const interactionsRoute = { method: 'POST', path: '/discord/interactions', maxBodyBytes: 256 * 1024 } as const;

/** Responds to a request to that URL. Throws for unsigned, replayed and malformed interactions. */
export async function serveInteraction(
  services: Services,
  verify: (request: InteractionRequest) => boolean,
  request: InteractionRequest,
): Promise<Record<string, unknown>> {
  if (!(await verifying(services, 'discord-interactions', () => verify(request))))
    throw new AppError('INVALID_CREDENTIAL', 'The signature is not from Discord.');
  return handleInteraction(services, parse(request.rawBody));
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    throw new AppError('INVALID_BODY', 'The body is not valid JSON.');
  }
}
