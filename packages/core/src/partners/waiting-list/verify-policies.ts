import { equalSecrets } from '@latchkey/db';
import { AppError, notSetUp } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { PaymasterPolicy } from '../../partner-settings.ts';
import { judge, type PaymasterRequest } from './paymaster.ts';
import { countGranted, insertGrant, lockGrants } from './queries.ts';

type PolicyContext = Pick<Context, 'clock' | 'db' | 'settings'>;

const daySeconds = 24 * 60 * 60;

/** Decides for a paymaster whether it pays for somebody's transactions, and says why. What is granted is counted at once. */
export async function verifyPolicies(
  ctx: PolicyContext,
  { body: { data = {} } }: { body: PaymasterRequest },
): Promise<Record<string, unknown>> {
  const policy = authenticate(ctx, data.authToken);
  const judgement = judge(policy, data);
  if (judgement.kind === 'refused') return answer(false, judgement.reason);
  const { owner, transactions } = judgement;
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    await lockGrants(tx);
    const { ofOwner, total } = await countGranted(tx, owner, new Date(now.getTime() - daySeconds * 1000));
    if (ofOwner + transactions > policy.transactionsPerDay)
      return answer(
        false,
        `Gas is paid for ${policy.transactionsPerDay} transactions of an owner a day; ${ofOwner} are used.`,
      );
    // An owner is any address, and addresses cost nothing.
    if (total + transactions > policy.totalPerDay)
      return answer(false, `Gas is paid for ${policy.totalPerDay} transactions a day; ${total} are used.`);
    await insertGrant(tx, owner, transactions, now);
    return answer(true, 'Every call is one that is paid for, and the owner is within the limit of the day.');
  });
}

// Biconomy reads the first spelling; the second is what its manual calls it.
function answer(isVerified: boolean, reason: string): Record<string, unknown> {
  return { arePoliciesVerifed: isVerified, arePoliciesVerified: isVerified, reason };
}

function authenticate({ settings }: Pick<Context, 'settings'>, token: string | undefined): PaymasterPolicy {
  const policy = settings.partners?.paymaster;
  if (policy === undefined || policy.secrets.length === 0) throw notSetUp('This server decides for no paymaster.');
  if (token === undefined)
    throw new AppError('AUTHENTICATION_REQUIRED', 'Send the secret of the paymaster as authToken.');
  if (!policy.secrets.map((secret) => equalSecrets(secret, token)).includes(true))
    throw new AppError('INVALID_CREDENTIAL', 'The authToken is not the secret of the paymaster.');
  return policy;
}
