import { T } from '@latchkey/kernel';

/** The parameter that names a community; some paths call it id, others communityId. */
export const communityParam = T.String({
  description: 'The id of the community, for example DIS#COMM#123, or the platform’s own id.',
  minLength: 1,
  maxLength: 128,
});
