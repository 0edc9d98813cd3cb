import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { ConfirmDialog, EmptyState, Failure, Loading, Page, Section, State } from '../../shared/ui/index.ts';
import { GivePass } from './give-pass.tsx';
import { Holders } from './holders.tsx';
import { NewPass } from './new-pass.tsx';
import styles from './passes.module.css';
import { formatPeriod } from './period.ts';

const list = 'GET /discord/{guildId}/guest-passes';
type Pass = Answer<typeof list>[number];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const passes = useOperation(list, { guildId: communityId });
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Page
      title="Guest passes"
      lead="Give a member roles for a while, without a wallet. They are removed when the time is over."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setIsMaking(true)}>
          New pass
        </Button>
      }
    >
      {passes.isPending && <Loading what="the passes" />}
      <Failure error={passes.error} onRetry={() => void passes.refetch()} />
      {passes.data?.length === 0 && (
        <EmptyState title="No guest passes yet">
          Create one for speakers, partners or new members, and give it to them.
        </EmptyState>
      )}
      {passes.data?.map((pass) => (
        <PassSection key={pass.id} communityId={communityId} pass={pass} />
      ))}
      <NewPass communityId={communityId} isOpen={isMaking} onClose={() => setIsMaking(false)} />
    </Page>
  );
}

function PassSection({ communityId, pass }: { communityId: string; pass: Pass }) {
  const [isAsking, setIsAsking] = useState(false);
  const { id = '', name = 'Guest pass', description, roleSet = [], period = 0, status } = pass;
  const remove = useAction('DELETE /discord/{guildId}/guest-passes/{passId}', {
    changes: [list],
    onDone: () => setIsAsking(false),
  });
  return (
    <Section
      title={name}
      lead={description}
      actions={
        <>
          {status !== 'active' && <State>Inactive</State>}
          <Button variant="default" size="xs" onClick={() => setIsAsking(true)}>
            Delete
          </Button>
        </>
      }
    >
      <p className={styles.facts}>
        Gives {roleSet.map((role) => role.name ?? 'a role').join(', ')} for {formatPeriod(period)}.
      </p>
      <Holders communityId={communityId} passId={id} />
      {status === 'active' && <GivePass communityId={communityId} passId={id} name={name} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete “${name}”?`}
        yes="Delete pass"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => remove.run({ guildId: communityId, passId: id })}
        onNo={() => setIsAsking(false)}
      >
        Everybody who holds it loses the roles that it gave.
      </ConfirmDialog>
    </Section>
  );
}
