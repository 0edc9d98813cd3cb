import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../api/index.ts';
import { CopyText, Failure, Loading, Section, State } from '../ui/index.ts';
import { coinDecimals, fromUnits } from './amounts.ts';
import { HandoffDialog } from './handoff-dialog.tsx';
import { History } from './history.tsx';
import { SendDialog } from './send-dialog.tsx';
import styles from './treasury.module.css';
import type { Treasury } from './types.ts';

const read = 'GET /latchkey/treasuries/{address}';

/** The wallet of a community or an organization: what it holds, what was done with it, and what its owner can do. */
export function TreasuryView({
  address,
  communityId,
  title = 'Balance',
}: {
  address: string;
  communityId?: string;
  /** What the first part is called, where the page is about more than the wallet. */
  title?: string;
}) {
  const treasury = useOperation(read, { address });
  return (
    <>
      {treasury.isPending && <Loading what="the wallet" lines={2} />}
      <Failure error={treasury.error} onRetry={() => void treasury.refetch()} />
      {treasury.data !== undefined && <Facts title={title} treasury={treasury.data} communityId={communityId} />}
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
        {balance === undefined ? 'Unknown' : fromUnits(balance, coinDecimals)}
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
      <HandoffDialog isOpen={open === 'handoff'} treasury={treasury} onClose={close} />
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
