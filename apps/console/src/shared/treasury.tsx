import { Button } from '@mantine/core';
import { useState } from 'react';
import { shortAddress } from '../parts/names.ts';
import { useAction, useOperation, usePages } from './api/index.ts';
import styles from './treasury.module.css';
import {
  HandoffDialog,
  SendDialog,
  type TokenFacts,
  type Treasury,
  type TreasuryAction,
  useToken,
} from './treasury-dialogs.tsx';
import { CopyText, EmptyState, Failure, PagedList, Query, Row, Section, State, Time, type Tone } from './ui/index.ts';
import { coinDecimals, formatUnits } from './words.ts';

const read = 'GET /latchkey/treasuries/{address}';

/** The wallet of a community or an organization: what it holds, its history, and what its owner can do. */
export function TreasuryView({
  address,
  communityId,
  title = 'Balance',
}: {
  address: string;
  communityId?: string;
  /** The heading of the first part, if the page is about more than the wallet. */
  title?: string;
}) {
  const treasury = useOperation(read, { address });
  return (
    <>
      <Query read={treasury} what="the wallet" lines={2}>
        {(data) => <Facts title={title} treasury={data} communityId={communityId} />}
      </Query>
      <Section title="History">
        <History address={address} communityId={communityId} chainId={treasury.data?.chainId} />
      </Section>
    </>
  );
}

function Facts({
  title,
  treasury,
  communityId,
}: {
  title: string;
  treasury: Treasury;
  communityId: string | undefined;
}) {
  const { address, chainName, balance, status, control, ownerAddress, isYours } = treasury;
  const [open, setOpen] = useState<'send' | 'handoff'>();
  const close = () => setOpen(undefined);
  const isOurs = control === 'server';
  return (
    <Section
      title={title}
      actions={
        isYours &&
        isOurs && (
          <>
            <Button onClick={() => setOpen('send')}>Send</Button>
            <Button variant="default" onClick={() => setOpen('handoff')}>
              Hand over
            </Button>
          </>
        )
      }
    >
      <p className={styles.balance}>
        {balance === undefined ? 'Unknown' : formatUnits(balance, coinDecimals)}
        <span>{balance === undefined ? `${chainName} cannot be read at the moment.` : `coins of ${chainName}`}</span>
      </p>
      <div className={styles.facts}>
        <CopyText text={address} what="the address" />
        <State tone={status === 'DEPLOYED' ? 'good' : 'plain'}>{statuses[status]}</State>
        {!isOurs && <State>Handed over</State>}
      </div>
      {status === 'COUNTERFACTUAL' && isYours && isOurs && <Deploy address={address} />}
      <p className={styles.note}>
        {isOurs
          ? isYours
            ? 'Only you, as the owner, can send from it or hand it over. Each time you approve it with a passkey or a code of your authenticator app.'
            : 'Admins see this wallet. Only the owner can send from it.'
          : `The wallet ${ownerAddress} owns this Safe. Use it at app.safe.global, or with another tool for Safes; this server can no longer move anything.`}
      </p>
      <SendDialog isOpen={open === 'send'} treasury={treasury} communityId={communityId} onClose={close} />
      {open === 'handoff' && <HandoffDialog treasury={treasury} onClose={close} />}
    </Section>
  );
}

const statuses: Readonly<Record<Treasury['status'], string>> = {
  COUNTERFACTUAL: 'Can receive; deployed with the first transfer',
  DEPLOYING: 'Being deployed',
  DEPLOYED: 'Deployed',
};

function Deploy({ address }: { address: string }) {
  const deploy = useAction('POST /latchkey/treasuries/{address}/deploy', {
    changes: [read, 'GET /latchkey/treasuries/{address}/actions'],
  });
  return (
    <div>
      <Button size="xs" variant="default" loading={deploy.isRunning} onClick={() => deploy.run({ address })}>
        Deploy it now
      </Button>
      <Failure error={deploy.error} />
    </div>
  );
}

interface Where {
  communityId: string | undefined;
  chainId: number | undefined;
}

/** The finished and pending operations of a wallet, newest first. */
function History({ address, ...where }: Where & { address: string }) {
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
  sent: { tone: 'plain', text: 'Sent' },
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
  facts: TokenFacts | undefined,
): string {
  const name = facts?.symbol ?? shortAddress(token);
  switch (standard) {
    case 'erc20':
      return facts?.decimals === undefined
        ? `${formatUnits(amount, 0)} units of ${name}`
        : `${formatUnits(amount, facts.decimals)} ${name}`;
    case 'erc721':
      return `NFT ${tokenId} of ${name}`;
    case 'erc1155':
      return `${formatUnits(amount, 0)} of token ${tokenId} of ${name}`;
    default:
      return `${formatUnits(amount, coinDecimals)} coins`;
  }
}
