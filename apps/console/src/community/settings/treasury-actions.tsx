import { Button } from '@mantine/core';
import { shortAddress } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Row, State, Time, type Tone } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/treasuries/{address}/actions';
type Action = Answer<typeof list>['items'][number];

const states: Readonly<Record<Action['state'], { tone: Tone; text: string }>> = {
  proposed: { tone: 'warn', text: 'Waits for approval' },
  waiting: { tone: 'plain', text: 'Approved' },
  sent: { tone: 'plain', text: 'On its way' },
  done: { tone: 'good', text: 'Done' },
  failed: { tone: 'bad', text: 'Failed' },
};
const titles: Readonly<Record<Action['kind'], string>> = {
  deployment: 'Deployment',
  transfer: 'Transfer',
  'hand-over': 'Hand-over to another wallet',
};

/** What was done with the wallet, and what waits. Approving takes a signature, which the owner's own wallet makes. */
export function TreasuryActions({ address }: { address: string }) {
  const actions = useOperation(list, { address, limit: 10 });
  const deploy = useAction('POST /latchkey/treasuries/{address}/deploy', { changes: [list] });
  const items = actions.data?.items ?? [];
  return (
    <>
      <Failure error={actions.error} onRetry={() => void actions.refetch()} />
      <ul className={styles.rows}>
        {items.map((action) => (
          <li key={action.id}>
            <Row
              title={titles[action.kind]}
              states={<State tone={states[action.state].tone}>{states[action.state].text}</State>}
              note={
                <>
                  {action.to !== undefined && `To ${shortAddress(action.to)} · `}
                  <Time at={action.createdAt} />
                  {action.problem !== undefined && ` · ${action.problem}`}
                </>
              }
            />
          </li>
        ))}
      </ul>
      {actions.data !== undefined && items.length === 0 && (
        <div>
          <Button size="xs" variant="default" loading={deploy.isRunning} onClick={() => deploy.run({ address })}>
            Deploy it now
          </Button>
        </div>
      )}
      <Failure error={deploy.error} />
    </>
  );
}
