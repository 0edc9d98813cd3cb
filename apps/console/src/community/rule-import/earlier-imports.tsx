import { Link } from '@tanstack/react-router';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { Failure, Loading, Row, Section, State, Time } from '../../shared/ui/index.ts';
import styles from './rule-import.module.css';
import { sources } from './sources.ts';

const list = 'GET /latchkey/communities/{communityId}/rule-imports';

/** The last imports of the community, to go on with one or to see what came of it. */
export function EarlierImports({ communityId }: { communityId: string }) {
  const imports = useOperation(list, { communityId });
  if (imports.data?.length === 0) return null;
  return (
    <Section title="Earlier imports" lead="The last 20 are kept.">
      {imports.isLoading && <Loading what="earlier imports" />}
      <Failure error={imports.error} onRetry={() => void imports.refetch()} />
      <ul className={styles.rows}>
        {imports.data?.map((one) => (
          <li key={one.id}>
            <Row
              title={
                <Link
                  className={styles.link}
                  to="/communities/$communityId/rules/import/$importId"
                  params={{ communityId, importId: one.id }}
                >
                  {sources[one.source].title}
                </Link>
              }
              states={<Counts counts={one} />}
              note={<Time at={one.createdTime} isRelative />}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Counts({ counts }: { counts: Answer<typeof list>[number] }) {
  const { imported, ready, unmapped, refused } = counts;
  return (
    <>
      {imported > 0 && <State tone="good">{`${imported.toLocaleString()} on`}</State>}
      {ready > 0 && <State>{`${ready.toLocaleString()} ready`}</State>}
      {unmapped + refused > 0 && (
        <State tone="warn">{`${(unmapped + refused).toLocaleString()} not carried over`}</State>
      )}
    </>
  );
}
