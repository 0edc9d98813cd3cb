import { AppError, type Operation } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';

/**
 * Refuses a state that is longer than the contract says. The provider would repeat any, in addresses and in answers;
 * whatever else is too long it refuses by itself, in the way of the protocol.
 */
export function refuseLongState({ params }: Pick<Operation, 'params'>): (request: FastifyRequest) => Promise<void> {
  const { maxLength } = (params.state ?? {}) as { maxLength?: number };
  if (maxLength === undefined) throw new Error('The contract does not say how long a state may be.');
  return async ({ query }) => {
    const { state = '' } = query as { state?: string | string[] };
    if (state.length <= maxLength) return;
    const message = `The parameter state must not have more than ${maxLength} characters.`;
    throw new AppError('INVALID_PARAMETER_VALUE', message);
  };
}
