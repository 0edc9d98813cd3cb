import { AppError, admin, choice, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import type { AccountEraser } from './erase-account.ts';

const ErasureRequest = record('ErasureRequest', 'Why an account is erased.', {
  reason: T.Optional(text('Why, for the record.', { maxLength: 500 })),
});

const ErasureResult = record('ErasureResult', 'The result of an erasure.', {
  state: choice('erased: nothing is left; waiting: the rest is erased automatically.', ['erased', 'waiting']),
  reason: T.Optional(text('What it waits for.')),
});
type ErasureResult = ValueOf<typeof ErasureResult>;

const userForm = /^[A-Z]{3,8}#USER#.+$/;

/** The operator's operation to erase an account. */
export function createErasureOperations({ eraseAccount }: Pick<AccountEraser, 'eraseAccount'>) {
  return ownOperations([
    op(
      'POST /latchkey/operator/people/{userId}/erase',
      {
        id: 'erasePerson',
        summary: 'Erase an account',
        description:
          'Deletes an account and everything personal about it. Roles that depend on it are removed first, so the rest may be deleted later. This cannot be undone. For the operator.',
        audit: 'account.erase',
        onRecord: ['reason'],
        access: admin(),
        params: { userId: text('The account, for example DIS#USER#123.', { minLength: 1, maxLength: 128 }) },
        body: ErasureRequest,
        returns: ErasureResult,
        errors: ['INVALID_PARAMETER_VALUE'],
      },
      async (ctx: Context, { userId }: { userId: string }): Promise<ErasureResult> => {
        if (!userForm.test(userId))
          throw new AppError('INVALID_PARAMETER_VALUE', 'Name the account by an id such as DIS#USER#100.');
        const outcome = await eraseAccount(ctx, userId);
        return outcome.kind === 'erased' ? { state: 'erased' } : { state: 'waiting', reason: outcome.reason };
      },
    ),
  ] as const);
}
