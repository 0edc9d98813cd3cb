import { type Actor, AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ownerOfClientApp } from '../../developers/client-apps/index.ts';
import { selectWallets } from '../../people/wallets/index.ts';
import type { ControlAnswer } from '../../ports/index.ts';
import { isDescriber } from './describer-queries.ts';
import { type ContractKey, readContractKey } from './nft-metadata.ts';
import { handOver } from './queries.ts';

type ControlContext = Pick<Context, 'actor' | 'db' | 'tokenMetadata' | 'wallets'>;

const mostWallets = 1_000;
const retryAfterSeconds = 30;

/**
 * Throws unless the caller may describe a contract: somebody whom the operator named, or whose linked wallet controls the
 * contract as its chain says. Whoever may takes over what others said of it before.
 */
export async function requireController(
  ctx: ControlContext,
  named: { chainId: string; address: string },
): Promise<void> {
  const { actor } = ctx;
  if (actor.kind === 'admin' || actor.kind === 'system') return;
  const key = readContractKey(ctx, named);
  if (!(await isDescriber(ctx.db.system, key, describerIdOf(actor)))) await requireControl(ctx, key);
  await handOver(ctx.db, key, principalId(actor));
}

function describerIdOf(actor: Actor): string {
  return actor.kind === 'client' ? actor.client.id : principalId(actor);
}

async function requireControl(ctx: ControlContext, { chainId, contract }: ContractKey): Promise<void> {
  const chain = `evm:${chainId}`;
  if (!ctx.tokenMetadata.reads(chain))
    throw refusal(`This server cannot read chain ${chainId}, so it cannot see who owns this contract.`);
  const accounts = await provenAccounts(ctx, String(chainId));
  const answer = await ctx.tokenMetadata.readControl(chain, contract, accounts);
  if (answer.kind === 'unknown')
    throw new AppError('UNAVAILABLE', `The owner of this contract could not be read. ${answer.reason}`, {
      retryAfterSeconds,
    });
  if (answer.kind === 'not-controlled') throw refusal(reasonOf(answer, accounts.length));
}

/** The caller's wallets, or those of the application's owner. Somebody else's wallet that only trusts them does not count. */
async function provenAccounts({ actor, db }: ControlContext, chainId: string): Promise<string[]> {
  const userId = actor.kind === 'client' ? await ownerOfClientApp({ db }, actor.client.id) : principalId(actor);
  if (userId === undefined) return [];
  const wallets = await selectWallets(db.system, userId, undefined, mostWallets);
  return wallets
    .filter(({ namespace, signer_address }) => namespace === 'evm' && signer_address === null)
    .filter(({ contract_chain }) => contract_chain === null || contract_chain === chainId)
    .map(({ address }) => address);
}

function reasonOf(answer: ControlAnswer & { kind: 'not-controlled' }, wallets: number): string {
  if (answer.owner !== undefined)
    return `This contract belongs to ${answer.owner}. Link that wallet to your account to describe the contract.`;
  return wallets === 0
    ? 'Only the owner or deployer of a contract can describe it. Link their wallet to your account first.'
    : 'This contract names no owner, and none of your linked wallets is known to have deployed it.';
}

function refusal(reason: string): AppError {
  return new AppError('ROLE_NOT_ALLOWED', `${reason} The operator of this server can also name you for it.`);
}
