import { op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { EgressFailed, EgressRefused } from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { chainInWords } from '../naming/index.ts';

const maxAbiLength = 500_000;
const maxFunctions = 1_000;

const ContractAbi = record('ContractAbi', 'The interface of a verified contract.', {
  abi: T.Optional(text('The functions of its ABI, as JSON; absent if none was found.', { maxLength: maxAbiLength })),
  note: T.Optional(text('Why there is none, and what to do instead.', { maxLength: 4096 })),
});
type ContractAbi = ValueOf<typeof ContractAbi>;

export const abiOperations = [
  op(
    'GET /latchkey/communities/{communityId}/contract-abi',
    {
      id: 'getContractAbi',
      summary: 'Get a verified contract’s ABI',
      description:
        'Returns the functions of a contract that is verified on Sourcify, from the address in LATCHKEY_SOURCIFY_URL. If there are none, a note says why. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: {
        communityId: communityParam,
        chainId: T.Number({ description: 'The EVM chain.', minimum: 1, maximum: 999_999_999_999_999, multipleOf: 1 }),
        contractAddress: text('The contract.', { maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' }),
      },
      returns: ContractAbi,
    },
    getContractAbi,
  ),
] as const;

interface AbiRequest {
  communityId: string;
  chainId: number;
  contractAddress: string;
}

const defaultUrl = 'https://sourcify.dev/server';
const timeoutMs = 8_000;
const maxBytes = 4_000_000;
const paste = 'Paste the ABI from a block explorer instead.';

export async function getContractAbi(
  ctx: Context,
  { communityId, chainId, contractAddress }: AbiRequest,
): Promise<ContractAbi> {
  await ownCommunity(ctx, communityId);
  const base = (ctx.settings.sourcifyUrl ?? defaultUrl).replace(/\/+$/, '');
  const url = `${base}/v2/contract/${chainId}/${contractAddress}?fields=abi`;
  try {
    const { status, body } = await ctx.egress.send({ method: 'GET', url, timeoutMs, maxResponseBytes: maxBytes });
    if (status === 404)
      return { note: `This contract is not verified on Sourcify for ${chainInWords(`evm:${chainId}`)}. ${paste}` };
    const functions = status === 200 ? functionsIn(Buffer.from(body).toString('utf8')) : undefined;
    if (functions === undefined) return { note: `Sourcify did not return the ABI of this contract. ${paste}` };
    const abi = JSON.stringify(functions);
    if (abi.length > maxAbiLength) return { note: `The ABI of this contract is too large. ${paste}` };
    return { abi };
  } catch (error) {
    if (!(error instanceof EgressFailed || error instanceof EgressRefused)) throw error;
    return { note: `Sourcify could not be reached from this server. ${paste}` };
  }
}

function functionsIn(body: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const abi: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'abi') : undefined;
    if (!Array.isArray(abi)) return undefined;
    return abi.filter((one: unknown) => Reflect.get(Object(one), 'type') === 'function').slice(0, maxFunctions);
  } catch {
    return undefined;
  }
}
