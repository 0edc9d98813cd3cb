import { Button } from '@mantine/core';
import { useState } from 'react';
import { shortAddress } from '../../parts/names.ts';
import { useAction, useOperation, usePages } from '../api/index.ts';
import { t as shared } from '../messages/index.ts';
import { CopyText, EmptyState, Failure, PagedList, Query, Row, Section, State, Time, type Tone } from '../ui/index.ts';
import { coinDecimals, formatUnits } from '../words.ts';
import { t } from './messages/index.ts';
import styles from './treasury.module.css';
import {
  HandoffDialog,
  SendDialog,
  type TokenFacts,
  type Treasury,
  type TreasuryAction,
  useToken,
} from './treasury-dialogs.tsx';

const read = 'GET /latchkey/treasuries/{address}';

/** The wallet of a community or an organization: what it holds, its history, and what its owner can do. */
export function TreasuryView({
  address,
  communityId,
  title = t('wallet.balance'),
}: {
  address: string;
  communityId?: string;
  /** The heading of the first part, if the page is about more than the wallet. */
  title?: string;
}) {
  const treasury = useOperation(read, { address });
  return (
    <>
      <Query read={treasury} loading={t('wallet.loading')} lines={2}>
        {(data) => <Facts title={title} treasury={data} communityId={communityId} />}
      </Query>
      <Section title={t('walletHistory.title')}>
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
            <Button onClick={() => setOpen('send')}>{t('wallet.send')}</Button>
            <Button variant="default" onClick={() => setOpen('handoff')}>
              {t('wallet.handOver')}
            </Button>
          </>
        )
      }
    >
      <p className={styles.balance}>
        {balance === undefined ? shared('common.unknown') : formatUnits(balance, coinDecimals)}
        <span>{t(balance === undefined ? 'wallet.unreadable' : 'wallet.coinsOf', { chain: chainName })}</span>
      </p>
      <div className={styles.facts}>
        <CopyText text={address} what={t('wallet.address')} />
        <State tone={status === 'DEPLOYED' ? 'good' : 'plain'}>{t(statuses[status])}</State>
        {!isOurs && <State>{t('wallet.handedOver')}</State>}
      </div>
      {status === 'COUNTERFACTUAL' && isYours && isOurs && <Deploy address={address} />}
      <p className={styles.note}>
        {isOurs
          ? t(isYours ? 'wallet.ownerNote' : 'wallet.adminNote')
          : t('wallet.handedOverNote', { owner: ownerAddress })}
      </p>
      <SendDialog isOpen={open === 'send'} treasury={treasury} communityId={communityId} onClose={close} />
      {open === 'handoff' && <HandoffDialog treasury={treasury} onClose={close} />}
    </Section>
  );
}

const statuses = {
  COUNTERFACTUAL: 'wallet.counterfactual',
  DEPLOYING: 'wallet.deploying',
  DEPLOYED: 'wallet.deployed',
} as const satisfies Record<Treasury['status'], string>;

function Deploy({ address }: { address: string }) {
  const deploy = useAction('POST /latchkey/treasuries/{address}/deploy', {
    changes: [read, 'GET /latchkey/treasuries/{address}/actions'],
  });
  return (
    <div>
      <Button size="xs" variant="default" loading={deploy.isRunning} onClick={() => deploy.run({ address })}>
        {t('wallet.deployNow')}
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
      loading={t('walletHistory.loading')}
      more={t('walletHistory.more')}
      keyOf={({ id }) => id}
      empty={<EmptyState title={t('walletHistory.none')}>{t('walletHistory.noneNote')}</EmptyState>}
    >
      {(action) => <ActionRow action={action} {...where} />}
    </PagedList>
  );
}

function toneOf(state: TreasuryAction['state']): Tone {
  switch (state) {
    case 'proposed':
      return 'warn';
    case 'done':
      return 'good';
    case 'failed':
      return 'bad';
    default:
      return 'plain';
  }
}

function ActionRow({ action, communityId, chainId }: Where & { action: TreasuryAction }) {
  const { kind, state, to, newOwner, problem, createdAt, txHash, token, standard } = action;
  const facts = useToken(communityId, chainId, standard === 'erc20' ? token : undefined);
  const target = to ?? newOwner;
  return (
    <Row
      title={kind === 'transfer' ? whatWasSent(action, facts) : t(`walletHistory.${kind}`)}
      states={<State tone={toneOf(state)}>{t(`walletHistory.${state}`)}</State>}
      note={
        <>
          {target !== undefined && (
            <span title={target}>{t('walletHistory.to', { address: shortAddress(target) })} · </span>
          )}
          <Time at={createdAt} />
          {problem !== undefined && ` · ${problem}`}
        </>
      }
      {...(txHash !== undefined && {
        actions: <CopyText text={txHash} shown={shortAddress(txHash)} what={t('walletHistory.transaction')} />,
      })}
    />
  );
}

function whatWasSent(
  { standard, amount = '0', token = '', tokenId = '' }: TreasuryAction,
  facts: TokenFacts | undefined,
): string {
  const name = facts?.symbol ?? shortAddress(token);
  switch (standard) {
    case 'erc20':
      return facts?.decimals === undefined
        ? t('walletHistory.units', { amount: formatUnits(amount, 0), token: name })
        : t('walletHistory.tokens', { amount: formatUnits(amount, facts.decimals), token: name });
    case 'erc721':
      return t('walletHistory.nft', { number: tokenId, token: name });
    case 'erc1155':
      return t('walletHistory.items', { amount: formatUnits(amount, 0), number: tokenId, token: name });
    default:
      return t('walletHistory.coins', { amount: formatUnits(amount, coinDecimals) });
  }
}
