import { T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';

export const planId = text('The id of the plan', { maxLength: 64, pattern: '^[\\w-]+$' });
export const changeCount = text('How many changes were shown', { maxLength: 9, pattern: '^\\d+$' });

/** What commands about plans take, alike on every platform. */
export const readPlanInput = validatorOf(T.Object({ plan: planId, count: T.Optional(changeCount) }), {
  what: 'The command',
  unknownFields: 'refuse',
});
