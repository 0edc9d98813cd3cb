import { usePages } from '../../shared/api/index.ts';
import { EmptyState, PagedList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import styles from './me.module.css';

const kinds = { message: 'Message', 'typed-data': 'Typed data', hash: 'Hash' } as const;

/** What the hosted wallet of the person signed, and for whom. */
export function Signatures() {
  const signatures = usePages('GET /latchkey/account/signatures', { limit: 10 });
  return (
    <Section title="Signed by your hosted wallet" lead="Everything that your hosted wallet has signed.">
      <PagedList
        pages={signatures}
        what="signatures"
        keyOf={({ id }) => id}
        empty={<EmptyState title="Nothing signed yet" />}
      >
        {({ kind, text, time, application }) => (
          <Row
            title={application === undefined ? 'Requested by you' : `Requested by ${application}`}
            states={<State>{kinds[kind]}</State>}
            note={
              <>
                <Time at={time} />
                <details>
                  <summary>Show what was signed</summary>
                  <pre className={styles.text}>{text}</pre>
                </details>
              </>
            }
          />
        )}
      </PagedList>
    </Section>
  );
}
