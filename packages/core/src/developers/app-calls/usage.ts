import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';

/** How many days of figures are shown. */
export const daysShown = 30;

const count = (description: string) => T.Integer({ description, format: 'int32', minimum: 0, maximum: 2_147_483_647 });
const time = (description: string) => T.Optional(text(`${description}, as an ISO 8601 time.`, { maxLength: 32 }));

const UsageLimitRecord = record('ClientAppLimit', 'A rate limit, and how much of it is used.', {
  scopes: texts('The scopes whose operations count; $all stands for every operation.', { maxLength: 64 }),
  limit: count('How many calls are allowed in a window.'),
  durationSeconds: count('How long a window lasts, in seconds.'),
  used: count('How many calls of the present window are taken; servers reserve a few ahead.'),
  resetsAt: time('When the present window ends; absent while nothing is counted'),
});
export type UsageLimit = ValueOf<typeof UsageLimitRecord>;

const UsageDay = record('ClientAppDay', 'The calls of one day.', {
  day: text('The day in UTC, as YYYY-MM-DD.', { maxLength: 10 }),
  calls: count('All calls.'),
  refused: count('Calls that were answered with a status from 400 to 499.'),
  failed: count('Calls that were answered with a status of 500 or above.'),
});

export const ClientAppUsage = record('ClientAppUsage', 'How much an application calls, and what its plan allows.', {
  planName: text('The plan that sets the limits.', { maxLength: 200 }),
  apps: count('How many client applications count on this plan.'),
  maxApps: count('How many the plan allows.'),
  limits: T.Array(UsageLimitRecord, { description: 'The rate limits of the plan.', maxItems: 100 }),
  days: T.Array(UsageDay, { description: `The last ${daysShown} days with calls, oldest first.`, maxItems: daysShown }),
  keyLastUsedAt: time('When the API key was last used; absent if it never was'),
  oldKeyLastUsedAt: time('When a replaced API key was last used in its overlap'),
  isKeyIdle: T.Boolean({ description: 'Whether nobody used the API key for 30 days.' }),
  keepsCalls: T.Boolean({ description: 'Whether this server keeps a log of calls.' }),
});
export type ClientAppUsage = ValueOf<typeof ClientAppUsage>;
