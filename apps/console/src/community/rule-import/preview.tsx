import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { Failure, Loading, Page, Time } from '../../shared/ui/index.ts';
import { Apply } from './apply.tsx';
import { ChooseRoles } from './choose-roles.tsx';
import { Entries, FoundRule } from './entries.tsx';
import styles from './rule-import.module.css';
import { type RuleImport, sources } from './sources.ts';
import { usePreview } from './use-preview.ts';

/** What the rules of another service would be here, and what became of them. */
export function Preview({ communityId, importId }: { communityId: string; importId: string }) {
  const preview = usePreview(communityId, importId);
  const { found, entries, open } = preview;
  const { data } = found;
  const rules = `/communities/${encodeURIComponent(communityId)}/rules`;
  const of = (...states: readonly string[]) => entries.filter(({ state }) => states.includes(state));
  const done = of('imported');
  const closed = entries.filter((entry) => ['unmapped', 'refused'].includes(entry.state) && !open.includes(entry));
  const roleless = closed.filter(({ roleThere }) => roleThere !== undefined);
  return (
    <Page
      title={data === undefined ? 'Import' : titleOf(data)}
      lead={
        data !== undefined && (
          <>
            {sources[data.source].title}, read <Time at={data.createdTime} isRelative />.
            {done.length === 0 && ' None of these rules is on yet.'}
          </>
        )
      }
      crumbs={[
        { title: 'Rules', to: rules },
        { title: 'Import rules', to: `${rules}/import` },
      ]}
    >
      {found.isLoading && <Loading what="the rules" lines={5} />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {data !== undefined && (
        <>
          <ShadowNotice communityId={communityId} />
          {entries.length === 0 && <p className={styles.note}>The export holds no rules.</p>}
          {open.length > 0 && <Apply communityId={communityId} preview={preview} />}
          <Entries title="On" lead="These are rules of your community now." entries={done}>
            {(entry) => <FoundRule key={entry.position} communityId={communityId} entry={entry} />}
          </Entries>
          <ChooseRoles communityId={communityId} importId={importId} entries={roleless} />
          <Entries
            title="Not carried over"
            lead="A rule is carried over as a whole or not at all: without one of its conditions it would let more people in."
            entries={closed.filter(({ roleThere }) => roleThere === undefined)}
          >
            {(entry) => <FoundRule key={entry.position} communityId={communityId} entry={entry} />}
          </Entries>
          <Entries
            title="Already here"
            lead="Your community has these rules; nothing is added."
            entries={of('present')}
          >
            {(entry) => <FoundRule key={entry.position} communityId={communityId} entry={entry} />}
          </Entries>
        </>
      )}
    </Page>
  );
}

function titleOf({ imported, entries: { length } }: RuleImport): string {
  if (imported > 0) return imported === 1 ? '1 rule is on' : `${imported.toLocaleString()} rules are on`;
  return length === 1 ? '1 rule found' : `${length.toLocaleString()} rules found`;
}
