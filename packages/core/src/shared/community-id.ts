import { T, text } from '@latchkey/kernel';

/** Every id of a community, qualified or the platform’s own, keeps to these. */
const limits = { minLength: 1, maxLength: 128 };

/** The id of a community in a body or in the payload of a job. */
export const communityIdField = (description = 'The qualified id of the community.') => text(description, limits);

/** The parameter that names a community; some paths call it id, others communityId. */
export const communityParam = T.String({
  description: 'The id of the community, for example DIS#COMM#123, or the platform’s own id.',
  ...limits,
});
