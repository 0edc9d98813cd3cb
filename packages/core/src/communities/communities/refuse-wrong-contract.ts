import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { ContractMetadata } from '../../ports/index.ts';

type TokenStandard = NonNullable<ContractMetadata['standard']>;

/** What a rule asks about. */
export interface NamedToken {
  chain: string;
  standard: string;
  contract: string;
}

const titles: Readonly<Record<TokenStandard, string>> = { erc20: 'ERC20', erc721: 'ERC721', erc1155: 'ERC1155' };
const mostContracts = 50;
const timeoutMs = 5_000;

/**
 * Refuses a rule about a contract that says it is of another standard. A chain that cannot be asked refuses nothing, since
 * the contract is looked at again before anybody is given a role by it.
 */
export async function refuseWrongContracts(
  { tokenMetadata }: Pick<Context, 'tokenMetadata'>,
  tokens: readonly NamedToken[],
  path: string,
): Promise<void> {
  const known = tokens.filter(({ chain, standard }) => isTokenStandard(standard) && tokenMetadata.reads(chain));
  const signal = AbortSignal.timeout(timeoutMs);
  for (const [chain, named] of Map.groupBy(known.slice(0, mostContracts), (token) => token.chain)) {
    const answers = await tokenMetadata.read(
      chain,
      named.map(({ contract }) => contract),
      signal,
    );
    for (const [index, { contract, standard }] of named.entries()) {
      const answer = answers[index];
      const actual = answer?.kind === 'read' ? answer.metadata.standard : undefined;
      if (actual !== undefined && isTokenStandard(standard) && actual !== standard)
        throw refused(path, `The contract ${contract} is of the standard ${titles[actual]}, not ${titles[standard]}.`);
    }
  }
}

function isTokenStandard(standard: string): standard is TokenStandard {
  return Object.hasOwn(titles, standard);
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} cannot be used. ${message}`, {
    details: [{ path, code: 'standard', message }],
  });
}
