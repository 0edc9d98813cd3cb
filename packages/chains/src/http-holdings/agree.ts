import { unknown } from '@latchkey/adapter-kit';
import type { Answer } from '@latchkey/core/ports';

/** The answer that so many endpoints gave alike. */
export function agreed(votes: readonly Answer[], quorum: number): Answer | undefined {
  const read = votes.filter((vote) => vote.kind === 'read');
  return read.find((vote) => read.filter((other) => sameHolding(other) === sameHolding(vote)).length >= quorum);
}

function sameHolding({ amount, tokens = [] }: Extract<Answer, { kind: 'read' }>): string {
  return [amount, ...tokens.map((token) => `${token.id}=${token.amount}`).sort()].join('\n');
}

/** Why there is no such answer. */
export function disagreement(service: string, votes: readonly Answer[]): Answer {
  const reason = votes.findLast((vote) => vote.kind === 'unknown')?.reason;
  return unknown(reason ?? `The endpoints of ${service} do not agree.`);
}
