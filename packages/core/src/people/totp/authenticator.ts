import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Enrolment } from './queries.ts';

export const Authenticator = record('Authenticator', 'An authenticator app of the signed-in person.', {
  id: text('The id that it was enrolled with.', { maxLength: 64 }),
  status: choice('pending: enrolled, but no code of it was sent yet. confirmed: in use.', ['pending', 'confirmed']),
  createdAt: text('When it was enrolled, in ISO 8601 form.', { maxLength: 64 }),
  expiresAt: T.Optional(text('Until when a pending one can be confirmed, in ISO 8601 form.', { maxLength: 64 })),
});
export type Authenticator = ValueOf<typeof Authenticator>;

export function toAuthenticator({
  request_id,
  state,
  created_at,
  expires_at,
}: Pick<Enrolment, 'request_id' | 'state' | 'created_at' | 'expires_at'>): Authenticator {
  const isConfirmed = state === 'confirmed';
  return {
    id: request_id,
    status: isConfirmed ? 'confirmed' : 'pending',
    createdAt: created_at.toISOString(),
    ...(!isConfirmed && { expiresAt: expires_at.toISOString() }),
  };
}
