import { shortAddress } from '../../parts/names.ts';
import { usePages } from '../api/index.ts';
import { CopyText, EmptyState, PagedList, Row, State, Time, type Tone } from '../ui/index.ts';
import { coinDecimals, fromUnits } from './amounts.ts';
import type { TreasuryAction } from './types.ts';
import { useToken } from './use-token.ts';

interface Where {
  communityId: string | undefined;
  chainId: number | undefined;
}

/** What was done with a wallet and what is under way, newest first. */
export function History({ address, ...where }: Where & { address: string }) {
  const actions = usePages('GET /latchkey/treasuries/{address}/actions', { address });
  return (
    <PagedList
      pages={actions}
      what="actions"
      keyOf={({ id }) => id}
      empty={<EmptyState title="Nothing was sent yet">Transfers appear here with how they went.</EmptyState>}
    >
      {(action) => <ActionRow action={action} {...where} />}
    </PagedList>
  );
}

const states: Readonly<Record<TreasuryAction['state'], { tone: Tone; text: string }>> = {
  proposed: { tone: 'warn', text: 'Waits for approval' },
  waiting: { tone: 'plain', text: 'Approved' },
  sent: { tone: 'plain', text: 'On its way' },
  done: { tone: 'good', text: 'Done' },
  failed: { tone: 'bad', text: 'Failed' },
};

function ActionRow({ action, communityId, chainId }: Where & { action: TreasuryAction }) {
  const { kind, state, to, newOwner, problem, createdAt, txHash, token, standard } = action;
  const facts = useToken(communityId, chainId, standard === 'erc20' ? token : undefined);
  const target = to ?? newOwner;
  return (
    <Row
      title={
        kind === 'deployment' ? 'Deployed the wallet' : kind === 'handoff' ? 'Handed over' : whatWasSent(action, facts)
      }
      states={<State tone={states[state].tone}>{states[state].text}</State>}
      note={
        <>
          {target !== undefined && <span title={target}>To {shortAddress(target)} · </span>}
          <Time at={createdAt} />
          {problem !== undefined && ` · ${problem}`}
        </>
      }
      {...(txHash !== undefined && {
        actions: <CopyText text={txHash} shown={shortAddress(txHash)} what="the transaction" />,
      })}
    />
  );
}

function whatWasSent(
  { standard, amount = '0', token = '', tokenId }: TreasuryAction,
  facts: { symbol: string | undefined; decimals: number | undefined } | undefined,
): string {
  const name = facts?.symbol ?? shortAddress(token);
  switch (standard) {
    case 'erc20':
      return facts?.decimals === undefined
        ? `${fromUnits(amount, 0)} units of ${name}`
        : `${fromUnits(amount, facts.decimals)} ${name}`;
    case 'erc721':
      return `NFT ${tokenId} of ${name}`;
    case 'erc1155':
      return `${fromUnits(amount, 0)} of token ${tokenId} of ${name}`;
    default:
      return `${fromUnits(amount, coinDecimals)} coins`;
  }
}
