import type { Tx } from '@latchkey/db';
import { AppError, admin, choice, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { countOpenRoleWork } from '../../gating/role-changes/index.ts';
import { clientIdsOf } from '../../identity/client-apps/index.ts';
import { selectCoHolders, walletsOfUsers } from '../../identity/wallets/index.ts';
import { pseudonymFor } from '../../services/erasures/index.ts';
import type { Context } from '../../shared/context.ts';
import type { Erasure, Person } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { deleteErasure, findErasure, insertErasure, lockErasure, selectErasures } from './erasure-queries.ts';

/** The result of an erasure: everything is deleted, or something must happen before the rest can be. */
export type ErasureOutcome = { kind: 'erased' } | { kind: 'waiting'; reason: string };

/**
 * Roles that cannot be removed within this time, because a platform or an admin does not respond, are left in place.
 */
export const settlingSeconds = 24 * 60 * 60;

export interface AccountEraser {
  /**
   * Erases an account. The first transaction deletes everything that the account provided, after which its roles are
   * removed; once they are, a second one deletes what was needed for that. Records that others need stay under a random
   * pseudonym. Safe to run again: it continues where it stopped.
   */
  eraseAccount(ctx: Context, userId: string): Promise<ErasureOutcome>;
  /** Continues every pending erasure. */
  finishErasures(ctx: Context, signal?: AbortSignal): Promise<void>;
}

/** Creates the account eraser from the erasures of all modules. */
export function createAccountEraser(erasures: readonly Erasure[]): AccountEraser {
  const forget = async (ctx: Context, tx: Tx, stage: Erasure['stage'], person: Person) => {
    for (const erasure of erasures) if (erasure.stage === stage) await erasure.forget(ctx, tx, person);
  };

  async function finish(ctx: Context, userId: string): Promise<ErasureOutcome> {
    return ctx.db.transaction('system', async (tx) => {
      const found = await lockErasure(ctx, tx, userId);
      if (found === undefined) return { kind: 'erased' };
      const reason = await reasonToWait(ctx, tx, userId, found.requestedAt);
      if (reason !== undefined) return { kind: 'waiting', reason };
      await forget(ctx, tx, 'once-settled', found.person);
      await deleteErasure(tx, userId);
      return { kind: 'erased' };
    });
  }

  return {
    eraseAccount: async (ctx, userId) => {
      await ctx.db.transaction('system', async (tx) => {
        const person = await describePerson(ctx, tx, userId);
        await insertErasure(ctx, tx, person);
        await forget(ctx, tx, 'at-once', person);
      });
      return finish(ctx, userId);
    },
    finishErasures: async (ctx, signal) => {
      for (const userId of await selectErasures(ctx.db.system)) {
        if (signal?.aborted) return;
        await finish(ctx, userId);
      }
    },
  };
}

/** Collects everything that identifies a person, before any of it is deleted. */
async function describePerson(ctx: Context, tx: Tx, userId: string): Promise<Person> {
  const begun = await findErasure(ctx, tx, userId);
  const linked = (await walletsOfUsers(tx, [userId])).get(userId) ?? [];
  // A user who signed in with a wallet alone is identified by it.
  const [, own] = /^ETH#USER#(?:\d+:)?(0x[0-9a-fA-F]{40})$/.exec(userId) ?? [];
  const wallets = [
    ...(begun?.wallets ?? []),
    ...linked.map(({ namespace, address }) => ({ namespace, address })),
    ...(own === undefined ? [] : [{ namespace: 'evm', address: own }]),
  ];
  const unique = new Map(wallets.map((wallet) => [`${wallet.namespace}:${wallet.address}`, wallet]));
  return {
    userId,
    pseudonym: begun?.pseudonym ?? pseudonymFor(ctx.random),
    wallets: [...unique.values()],
    coHolders: await selectCoHolders(tx, userId),
    clientIds: [...new Set([...(begun?.clientIds ?? []), ...(await clientIdsOf(tx, userId))])],
  };
}

async function reasonToWait(ctx: Context, tx: Tx, userId: string, requestedAt: Date): Promise<string | undefined> {
  const { waiting, inProgress } = await countOpenRoleWork(tx, userId);
  // A pending write would bring the member back.
  if (inProgress > 0) return 'The account’s roles are being changed right now.';
  const isOverdue = ctx.clock().getTime() >= requestedAt.getTime() + settlingSeconds * 1000;
  if (waiting === 0 || isOverdue) return undefined;
  return 'Roles that depend on the account are still to be checked or removed.';
}

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
        auditedFields: ['reason'],
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
