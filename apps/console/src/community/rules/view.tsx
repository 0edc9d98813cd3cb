import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, call, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import {
  ConfirmButton,
  EmptyState,
  List,
  Page,
  PagedList,
  Query,
  Row,
  SearchField,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import styles from './rules.module.css';

type Rule = ItemOf<'GET /latchkey/communities/{communityId}/rules'>;

export function View() {
  const { communityId } = useScreenParams('communityId');
  const [search, setSearch] = useState('');
  const rules = usePages('GET /latchkey/communities/{communityId}/rules', {
    communityId,
    ...(search !== '' && { search }),
  });
  useLive({ communityId });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/communities/$communityId/rules/new" params={{ communityId }} {...props} />}
    >
      New rule
    </Button>
  );
  const bring = (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/communities/$communityId/rules/import" params={{ communityId }} {...props} />}
    >
      Import rules
    </Button>
  );
  return (
    <Page
      title="Rules"
      lead="Who gets which role, by what their wallets hold."
      actions={
        <>
          {bring}
          {create}
        </>
      }
    >
      <ShadowNotice communityId={communityId} />
      <SearchField
        label="Search rules"
        placeholder="Search by name, role or token"
        value={search}
        onSearch={setSearch}
      />
      <PagedList
        pages={rules}
        what="rules"
        keyOf={({ id }) => id}
        empty={
          search === '' ? (
            <EmptyState title="No rules yet" action={create}>
              A rule gives a role to members who hold a token, and takes it when they no longer do. Import them if
              another bot has them already.
            </EmptyState>
          ) : (
            <EmptyState title="No rule matches">Search for a name, a role or a token in another way.</EmptyState>
          )
        }
      >
        {(rule) => <RuleRow rule={rule} communityId={communityId} />}
      </PagedList>
      <Drafts communityId={communityId} />
    </Page>
  );
}

function RuleRow({ rule, communityId }: { rule: Rule; communityId: string }) {
  return (
    <Link
      to="/communities/$communityId/rules/$ruleId"
      params={{ communityId, ruleId: rule.id }}
      className={styles.rule}
    >
      <span className={styles.head}>
        <strong className={styles.name} title={rule.name ?? rule.roleName}>
          {rule.roleName ?? 'Role not found'}
        </strong>
        {rule.name !== undefined && (
          <span className={styles.title} title={rule.name}>
            {rule.name}
          </span>
        )}
        <span className={styles.count}>{counted(rule.holders, 'member')}</span>
      </span>
      <span className={styles.sentence}>{rule.problem ?? rule.sentence}</span>
      <Health health={rule.health} />
      <Badges rule={rule} />
    </Link>
  );
}

function Badges({ rule }: { rule: Rule }) {
  const badges = [
    rule.roleState === 'missing' && (
      <State key="broken" tone="bad">
        Broken: the role was deleted
      </State>
    ),
    (rule.problem !== undefined || rule.health.state === 'undecidable') && (
      <State key="problem" tone="bad">
        Cannot be evaluated
      </State>
    ),
    rule.problem === undefined && rule.health.state === 'degraded' && (
      <State key="degraded" tone="warn">
        Not responding: members keep their roles
      </State>
    ),
    rule.blocked !== undefined && rule.roleState !== 'missing' && (
      <State key="blocked" tone="bad">
        Blocked
      </State>
    ),
    rule.heldRemovals > 0 && (
      <State key="held" tone="warn">
        {`${counted(rule.heldRemovals, 'removal')} waiting for approval`}
      </State>
    ),
    rule.visibility !== 'public' && <State key="shown">{rule.visibility === 'secret' ? 'Secret' : 'Hidden'}</State>,
    rule.roleState === 'unknown' && <State key="unknown">Role could not be checked</State>,
  ].filter((badge) => badge !== false);
  return badges.length === 0 ? null : <span className={styles.badges}>{badges}</span>;
}

/** How many members meet the rule, and what keeps it from being evaluated. */
function Health({ health }: { health: Rule['health'] }) {
  const { state, problems, qualifying, isCountWhole, countedMembers, unknownMembers = 0 } = health;
  const meets = qualifying !== undefined && counted(qualifying, 'member meets', 'members meet');
  const isBad = state === 'degraded' || state === 'undecidable';
  return (
    <>
      {(meets || unknownMembers > 0) && (
        <span className={styles.meets}>
          {meets && `${meets} this rule`}
          {isCountWhole === false && ` (of the first ${(countedMembers ?? 0).toLocaleString()})`}
          {unknownMembers > 0 && `${meets ? ' · ' : ''}${unknownMembers.toLocaleString()} could not be checked`}
        </span>
      )}
      {isBad &&
        problems.map(({ code, message, action }) => (
          <span key={`${code} ${message}`} className={styles.problem}>
            {message} {action}
          </span>
        ))}
    </>
  );
}

const drafts = 'GET /latchkey/communities/{communityId}/rule-drafts';
type Draft = Answer<typeof drafts>['drafts'][number];

/** Every shown draft is described by the server, so only the newest are shown at first. */
const shownDrafts = 5;

/** Rules that were kept for later, each with what prevents it from being saved. */
function Drafts({ communityId }: { communityId: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const read = useOperation(drafts, { communityId });
  if (read.data?.drafts.length === 0 || read.isPending) return null;
  return (
    <Section title="Drafts" lead="Drafts have no effect until you save them as rules.">
      <Query read={read} what="the drafts">
        {({ drafts: all }) => (
          <>
            <List items={showsAll ? all : all.slice(0, shownDrafts)} keyOf={({ id }) => id}>
              {(draft) => <DraftRow communityId={communityId} draft={draft} />}
            </List>
            {!showsAll && all.length > shownDrafts && (
              <Button variant="default" onClick={() => setShowsAll(true)}>
                Show all {all.length} drafts
              </Button>
            )}
          </>
        )}
      </Query>
    </Section>
  );
}

const describe = 'POST /latchkey/communities/{communityId}/rule-drafts/describe';

function DraftRow({ communityId, draft }: { communityId: string; draft: Draft }) {
  const { id, ruleId, rule, updatedTime } = draft;
  const described = useQuery({
    queryKey: [describe, communityId, JSON.stringify(rule)],
    queryFn: ({ signal }) => call(describe, { communityId, body: { rule } }, { signal }),
  });
  const problems = described.data?.problems.map(({ message }) => message) ?? (draft.problem ? [draft.problem] : []);
  const remove = useAction('DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}', {
    done: 'Draft deleted.',
    changes: [drafts],
  });
  const search = { draft: id };
  return (
    <Row
      title={
        ruleId === undefined ? (
          <Link to="/communities/$communityId/rules/new" params={{ communityId }} search={search}>
            {draft.sentence}
          </Link>
        ) : (
          <Link to="/communities/$communityId/rules/$ruleId" params={{ communityId, ruleId }} search={search}>
            {draft.sentence}
          </Link>
        )
      }
      states={
        <>
          <State>Draft</State>
          {described.isSuccess && problems.length === 0 && <State tone="good">Can be saved now</State>}
        </>
      }
      note={
        <>
          {problems.map((message) => (
            <Text key={message} size="sm" c="var(--bad)">
              {message}
            </Text>
          ))}
          {ruleId !== undefined && 'Changes an existing rule · '}
          Saved <Time at={updatedTime} isRelative />
        </>
      }
      actions={
        <ConfirmButton
          label="Delete"
          look={{ size: 'xs', 'aria-label': 'Delete this draft' }}
          title="Delete this draft?"
          yes="Delete draft"
          isDangerous
          action={remove}
          onYes={() => remove.runAsync({ communityId, draftId: id })}
        >
          <p>Rules are not affected.</p>
        </ConfirmButton>
      }
    />
  );
}
