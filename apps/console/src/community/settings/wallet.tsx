import { ApiError } from '@latchkey/client';
import { Button } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { CopyText, EmptyState, Failure, Loading, Section, State } from '../../shared/ui/index.ts';
import styles from './settings.module.css';
import { TreasuryActions } from './treasury-actions.tsx';

const read = 'GET /communities/{communityId}/wallet';

/** The Safe of the community: its address, what it holds, and what was done with it. */
export function Wallet({ communityId }: { communityId: string }) {
  const wallet = useOperation(read, { communityId });
  const create = useAction('PUT /communities/{communityId}/wallet', { changes: [read] });
  const isMissing = wallet.error instanceof ApiError && wallet.error.status === 404;
  return (
    <Section title="Community wallet" lead="A Safe that receives donations and payments for the community.">
      {wallet.isPending && <Loading what="the wallet" lines={2} />}
      {isMissing && (
        <EmptyState
          title="No wallet yet"
          action={
            <Button variant="default" loading={create.isRunning} onClick={() => create.run({ communityId })}>
              Create wallet
            </Button>
          }
        >
          Its key is made and kept by this server’s signer.
        </EmptyState>
      )}
      {!isMissing && <Failure error={wallet.error} onRetry={() => void wallet.refetch()} />}
      <Failure error={create.error} />
      {wallet.data !== undefined && (
        <>
          <div className={styles.wallet}>
            <CopyText text={wallet.data.address} what="the address" />
            <State tone={wallet.data.status === 'DEPLOYED' ? 'good' : 'plain'}>
              {wallet.data.status === 'DEPLOYED' ? 'On the chain' : 'Can receive; deployed with the first transfer'}
            </State>
          </div>
          <p className={styles.note}>
            {wallet.data.clTokenBalance === undefined
              ? 'Its balance cannot be read at the moment.'
              : `Holds ${inCoins(wallet.data.clTokenBalance)} of the chain’s coin.`}
          </p>
          <TreasuryActions address={wallet.data.address} />
        </>
      )}
    </Section>
  );
}

/** The smallest units of a coin with 18 decimals, as people write it. */
function inCoins(units: string): string {
  const padded = units.padStart(19, '0');
  const fraction = padded.slice(-18).replace(/0+$/, '').slice(0, 6);
  return `${BigInt(padded.slice(0, -18)).toLocaleString()}${fraction === '' ? '' : `.${fraction}`}`;
}
