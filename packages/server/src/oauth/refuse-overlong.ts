import { AppError, type Operation } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';

/** Refuses what is longer than the contract says. All else about the parameters is the provider's to judge. */
export function refuseOverlong({ params }: Pick<Operation, 'params'>): (request: FastifyRequest) => Promise<void> {
  const limits = Object.entries(params).map(([name, schema]) => {
    const { maxLength = Number.POSITIVE_INFINITY } = schema as { maxLength?: number };
    return { name, maxLength };
  });
  return async ({ query }) => {
    const sent = query as Record<string, unknown>;
    const tooLong = limits.find(({ name, maxLength }) => String(sent[name] ?? '').length > maxLength);
    if (tooLong === undefined) return;
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      `The parameter ${tooLong.name} must not have more than ${tooLong.maxLength} characters.`,
    );
  };
}
