import { useOperation } from '../../shared/api/index.ts';
import { Row, Section, State } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';

/** The master keys of the server that answers, by their fingerprints. */
export function MasterKeys() {
  const keys = useOperation('GET /latchkey/operator/master-keys', {});
  return (
    <Section
      title="Master keys"
      lead="Secrets in the database are sealed with the current one. To change it, put a new key first in LATCHKEY_MASTER_KEYS, restart, and run: latchkey keys rewrap"
    >
      <Answered read={keys} what="master keys">
        {(all) => (
          <Rows items={all} keyOf={({ id }) => id}>
            {({ id, fingerprint, state }) => (
              <Row
                title={id}
                states={state === 'current' ? <State tone="good">Current</State> : <State>Opens older secrets</State>}
                note={`Fingerprint ${fingerprint}`}
              />
            )}
          </Rows>
        )}
      </Answered>
    </Section>
  );
}
