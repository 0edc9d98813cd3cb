import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../../shared/api/index.ts';
import { Failure, State } from '../../../shared/ui/index.ts';
import styles from '../builder.module.css';
import type { Fields } from '../tree/node.ts';
import { ReasonTree } from './reason-tree.tsx';

/** Tries the draft on a wallet, before anything is saved. */
export function TryPanel({ communityId, rule }: { communityId: string; rule: Fields | undefined }) {
  const [account, setAccount] = useState('');
  const trial = useAction('POST /latchkey/communities/{communityId}/rule-drafts/try');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (rule !== undefined && account.trim() !== '')
      trial.run({ communityId, body: { rule, account: account.trim() } });
  };
  const { answer } = trial;
  return (
    <section className={styles.panel} aria-labelledby="try-rule">
      <h2 id="try-rule">Try on a wallet</h2>
      <form onSubmit={submit} className={styles.board}>
        <TextInput
          aria-label="Wallet address or name"
          placeholder="0x… or alice.eth"
          value={account}
          maxLength={200}
          onChange={({ currentTarget }) => setAccount(currentTarget.value)}
        />
        <div>
          <Button
            type="submit"
            variant="default"
            size="compact-sm"
            loading={trial.isRunning}
            disabled={rule === undefined || account.trim() === ''}
          >
            Try
          </Button>
        </div>
      </form>
      <Failure error={trial.error} />
      {answer !== undefined && (
        <div role="status" className={styles.board}>
          <div>
            {answer.qualifies === undefined ? (
              <State tone="warn">Could not be checked</State>
            ) : answer.qualifies ? (
              <State tone="good">Qualifies</State>
            ) : (
              <State tone="bad">Does not qualify</State>
            )}
          </div>
          <ReasonTree reason={answer.reason} />
        </div>
      )}
    </section>
  );
}
