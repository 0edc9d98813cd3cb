import { AppError } from '@latchkey/kernel';
import type { Services } from '../../context.ts';
import { handleInteraction } from './handle-interaction.ts';

/** A request to the interactions address, as it arrived. */
export interface InteractionRequest {
  signature: string | undefined;
  timestamp: string | undefined;
  rawBody: Uint8Array;
}

/** Where Discord posts interactions to; the server mounts it with the raw body and without any credential. */
export const interactionsRoute = { method: 'POST', path: '/discord/interactions', maxBodyBytes: 256 * 1024 } as const;

/** Answers a request to that address: 401 for what Discord did not sign or sent before, otherwise 200 with JSON. */
export async function serveInteraction(
  services: Services,
  verify: (request: InteractionRequest) => boolean,
  request: InteractionRequest,
): Promise<{ status: 200 | 400 | 401; body: Record<string, unknown> }> {
  if (!verify(request)) return refused(401, 'The signature is not Discord’s.');
  let interaction: unknown;
  try {
    interaction = JSON.parse(Buffer.from(request.rawBody).toString('utf8'));
  } catch {
    return refused(400, 'The body is no JSON.');
  }
  try {
    return { status: 200, body: await handleInteraction(services, interaction) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIAL') return refused(401, error.message);
    throw error;
  }
}

function refused(status: 400 | 401, message: string): { status: 400 | 401; body: Record<string, unknown> } {
  return {
    status,
    body: { error: { statusCode: status, name: status === 401 ? 'UnauthorizedError' : 'BadRequestError', message } },
  };
}
