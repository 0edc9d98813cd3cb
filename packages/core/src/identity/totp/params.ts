import { T } from '@latchkey/kernel';

export const requestId = T.String({
  description: 'An id for the enrollment, chosen by the caller: letters, digits, - and _.',
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_-]{1,64}$',
});
