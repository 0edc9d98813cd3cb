import { T, text } from '@latchkey/kernel';

/** Limits for every community id, qualified or the platform's own. */
export const communityIdLimits = { minLength: 1, maxLength: 128 };

/** The id of a community in a body or in a job's payload. */
export const communityIdField = (description = 'The qualified id of the community.') =>
  text(description, communityIdLimits);

/** The parameter that names a community; some paths call it id, others communityId. */
export const communityParam = T.String({
  description: 'The id of the community, for example DIS#COMM#123, or the platform’s own id.',
  ...communityIdLimits,
});
