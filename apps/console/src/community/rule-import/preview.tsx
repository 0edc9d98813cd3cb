import { Button, Checkbox, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type ReadRoute, useAction, useOperation } from '../../shared/api/index.ts';
import { roleOptions } from '../../shared/parts/member-field.tsx';
import { ShadowNotice } from '../../shared/parts/shadow-notice.tsx';
import { Failure, Form, List, Page, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './rule-import.module.css';
import type { Entry, RuleImport } from './sources.ts';
import { useNewImport, useRequestOf } from './use-new-import.ts';

/** What the rules of another service would be here, and what was done with them. */
export function Preview({ communityId, importId }: { communityId: string; importId: string }) {
  const preview = usePreview(communityId, importId);
  const { found, entries, open } = preview;
  const { data } = found;
  const rules = `/communities/${encodeURIComponent(communityId)}/rules`;
  const of = (...states: readonly string[]) => entries.filter(({ state }) => states.includes(state));
  const done = of('imported');
  const closed = entries.filter((entry) => ['unmapped', 'refused'].includes(entry.state) && !open.includes(entry));
  const roleless = closed.filter(({ roleThere }) => roleThere !== undefined);
  const left = closed.filter(({ roleThere }) => roleThere === undefined);
  const present = of('present');
  return (
    <Page
      title={data === undefined ? t('importPreview.title') : titleOf(data)}
      lead={
        data !== undefined &&
        t.rich(done.length === 0 ? 'importPreview.leadNoneOn' : 'importPreview.lead', {
          source: t(`ruleImport.${data.source}`),
          time: <Time key="time" at={data.createdTime} isRelative />,
        })
      }
      crumbs={[
        { title: t('ruleImport.rules'), to: rules },
        { title: t('ruleImport.title'), to: `${rules}/import` },
      ]}
    >
      <Query read={found} loading={t('importPreview.loading')} lines={5}>
        {() => (
          <>
            <ShadowNotice communityId={communityId} />
            {entries.length === 0 && <p className={styles.note}>{t('importPreview.empty')}</p>}
            {open.length > 0 && <Apply communityId={communityId} preview={preview} />}
            <Comparison sentence={data?.comparison?.sentence} />
            <Entries
              title={t('importPreview.on', { count: done.length })}
              lead={t('importPreview.onLead')}
              entries={done}
            >
              {(entry) => <FoundRule key={entry.position} communityId={communityId} entry={entry} />}
            </Entries>
            <ChooseRoles communityId={communityId} importId={importId} entries={roleless} />
            <Entries
              title={t('importPreview.left', { count: left.length })}
              lead={t('importPreview.leftLead')}
              entries={left}
            >
              {(entry) => <FoundRule key={entry.position} communityId={communityId} entry={entry} />}
            </Entries>
            <Entries
              title={t('importPreview.present', { count: present.length })}
              lead={t('importPreview.presentLead')}
              entries={present}
            >
              {(entry) => <FoundRule key={entry.position} communityId={communityId} entry={entry} />}
            </Entries>
          </>
        )}
      </Query>
    </Page>
  );
}

/** What is proven about the rules beside those of the other bot. */
function Comparison({ sentence }: { sentence: string | undefined }) {
  if (sentence === undefined) return null;
  return (
    <Section title={t('importPreview.compared')} lead={t('importPreview.comparedLead')}>
      <p className={styles.sentence}>{sentence}</p>
    </Section>
  );
}

function titleOf({ imported, entries: { length } }: RuleImport): string {
  return imported > 0
    ? t('importPreview.titleOn', { count: imported })
    : t('importPreview.titleFound', { count: length });
}

/** The rules that can be turned on, which of them to import, and how carefully. */
function Apply({ communityId, preview }: { communityId: string; preview: PreviewState }) {
  const { open, chosen, leftOut, isShadow, applied } = preview;
  const count = chosen.length;
  return (
    <Section title={t('importPreview.ready', { count: open.length })} lead={t('importPreview.readyLead')}>
      <Checkbox
        label={t('importPreview.all')}
        checked={chosen.length === open.length}
        indeterminate={chosen.length > 0 && chosen.length < open.length}
        onChange={preview.toggleAll}
      />
      <ul className={styles.rows}>
        {open.map((entry) => (
          <li key={entry.position} className={styles.choice}>
            <Checkbox
              checked={!leftOut.has(entry.position)}
              aria-labelledby={`found-${entry.position}`}
              onChange={() => preview.toggle(entry.position)}
            />
            <FoundRule communityId={communityId} entry={entry} id={`found-${entry.position}`} />
          </li>
        ))}
      </ul>
      {preview.canDecideShadow && (
        <Checkbox
          label={t('importPreview.onlyCompare')}
          description={t('importPreview.onlyCompareHint')}
          checked={preview.onlyWatches}
          onChange={({ currentTarget }) => preview.setWatches(currentTarget.checked)}
        />
      )}
      <Group>
        <Button loading={applied !== undefined} disabled={count === 0} onClick={preview.run}>
          {t('importPreview.submit', { count })}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {applied !== undefined && count > 0
            ? t('importPreview.running', { count })
            : t(isShadow || preview.onlyWatches ? 'importPreview.thenCompares' : 'importPreview.thenChecks')}
        </Text>
      </Group>
      <Failure error={preview.error} />
    </Section>
  );
}

const one = 'GET /latchkey/communities/{communityId}/rule-imports/{importId}';
const shadowMode = 'GET /latchkey/communities/{communityId}/shadow-mode';

const changes: readonly ReadRoute[] = [
  one,
  'GET /latchkey/communities/{communityId}/rule-imports',
  'GET /latchkey/communities/{communityId}/rules',
  'GET /latchkey/communities/{communityId}/health',
];

/** Saving a rule reads chains and the platform, so a thousand rules would exceed the time limit of one call. */
const perCall = 20;

/** An import, its selected rules, and turning them on. */
function usePreview(communityId: string, importId: string) {
  const found = useOperation(one, { communityId, importId });
  const shadow = useOperation(shadowMode, { communityId });
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const [leftOut, setLeftOut] = useState<ReadonlySet<number>>(new Set());
  const [watches, setWatches] = useState<boolean>();
  const [applied, setApplied] = useState<number>();
  const startShadow = useAction('PUT /latchkey/communities/{communityId}/shadow-mode', { changes: [shadowMode] });
  const apply = useAction('POST /latchkey/communities/{communityId}/rule-imports/{importId}/apply', { changes });

  const entries = found.data?.entries ?? [];
  const isOpen = ({ state, rule }: Entry) => state === 'ready' || (state === 'refused' && rule !== undefined);
  const open = entries.filter(isOpen);
  const chosen = open.filter(({ position }) => !leftOut.has(position));
  const isShadow = shadow.data?.isOn === true;
  // Latchkey already writes the roles of a community with rules, which must not be stopped by accident.
  const usuallyWatches = health.data?.rules === 0 && shadow.data?.takenOverTime === undefined;
  const onlyWatches = !isShadow && (watches ?? usuallyWatches);

  const toggle = (position: number) =>
    setLeftOut((before) => {
      const after = new Set(before);
      if (!after.delete(position)) after.add(position);
      return after;
    });
  const toggleAll = () => setLeftOut(new Set(chosen.length > 0 ? open.map(({ position }) => position) : []));

  /** Rules turned on before a refusal stay on, and a retry continues from there. */
  const run = async () => {
    const positions = chosen.map(({ position }) => position);
    try {
      startShadow.reset();
      apply.reset();
      setApplied(0);
      if (onlyWatches) await startShadow.runAsync({ communityId });
      for (let from = 0; from < positions.length; from += perCall) {
        await apply.runAsync({ communityId, importId, body: { positions: positions.slice(from, from + perCall) } });
        setApplied(Math.min(positions.length, from + perCall));
      }
    } catch {
      // The actions hold the error.
    } finally {
      setApplied(undefined);
    }
  };
  return {
    found,
    entries,
    open,
    chosen,
    leftOut,
    toggle,
    toggleAll,
    isShadow,
    canDecideShadow: shadow.data !== undefined && !isShadow,
    onlyWatches,
    setWatches,
    run: () => void run(),
    applied,
    error: startShadow.error ?? apply.error,
  };
}

type PreviewState = ReturnType<typeof usePreview>;

interface Parts {
  communityId: string;
  importId: string;
  /** Rules whose role was not found here. */
  entries: readonly Entry[];
}

/** Maps a role of the other service to one here; the rules are then read again. */
function ChooseRoles({ communityId, importId, entries }: Parts) {
  const request = useRequestOf(importId);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const roles = useOperation(
    'GET /latchkey/communities/{communityId}/chat-roles',
    { communityId },
    { enabled: entries.length > 0 && request !== undefined },
  );
  const again = useNewImport(communityId);
  const names = [...new Set(entries.flatMap(({ roleThere }) => roleThere ?? []))];
  const picked = Object.entries(chosen).map(([from, roleId]) => ({ from, roleId }));
  const read = () => {
    if (request === undefined) return;
    const before = request.roles?.filter(({ from }) => chosen[from] === undefined) ?? [];
    again.run({ communityId, body: { ...request, roles: [...before, ...picked] } });
  };
  return (
    <>
      <Entries
        title={t('importPreview.roleless', { count: entries.length })}
        lead={t('importPreview.rolelessLead')}
        entries={entries}
      >
        {(entry) => <FoundRule communityId={communityId} entry={entry} />}
      </Entries>
      {entries.length > 0 && request === undefined && (
        <Text size="sm" c="dimmed">
          {t.rich('importPreview.readAgain', {
            again: (
              <Link key="again" to="/communities/$communityId/rules/import" params={{ communityId }}>
                {t('importPreview.readAgainLink')}
              </Link>
            ),
          })}
        </Text>
      )}
      {entries.length > 0 && request !== undefined && (
        <Form
          submit={t('importPreview.readWithRoles')}
          isQuiet
          action={again}
          canSubmit={picked.length > 0}
          onSubmit={read}
        >
          <Failure error={roles.error} onRetry={() => void roles.refetch()} />
          {names.map((name) => (
            <Select
              key={name}
              label={t('importPreview.roleFor', { role: name })}
              placeholder={t('importPreview.roleForPlaceholder')}
              searchable
              clearable
              nothingFoundMessage={t('importPreview.noRole')}
              data={roleOptions(roles.data?.items ?? [])}
              value={chosen[name] ?? null}
              onChange={(roleId) =>
                setChosen(({ [name]: _before, ...others }) =>
                  roleId === null ? others : { ...others, [name]: roleId },
                )
              }
            />
          ))}
        </Form>
      )}
    </>
  );
}

/** A group of the rules that were found, if there are any. */
function Entries({
  title,
  lead,
  actions,
  entries,
  children,
}: {
  title: string;
  lead: string;
  actions?: ReactNode;
  entries: readonly Entry[];
  children(entry: Entry): ReactNode;
}) {
  if (entries.length === 0) return null;
  return (
    <Section title={title} lead={lead} actions={actions}>
      <List items={entries} keyOf={({ position }) => String(position)}>
        {children}
      </List>
    </Section>
  );
}

/** One rule that was found: what it would grant here, to which members, or why it cannot. */
function FoundRule({ communityId, entry, id }: { communityId: string; entry: Entry; id?: string }) {
  const { name, roleName, roleId, sentence, problem, notes, ruleId, state, visibility } = entry;
  const role = roleName ?? (roleId === undefined ? undefined : t('importPreview.role', { id: roleId }));
  return (
    <div className={styles.found}>
      <p id={id} className={styles.title}>
        {role !== undefined && <strong>{role}</strong>}
        <span className={styles.name}>{name}</span>
        {visibility !== 'public' && (
          <State>{t(visibility === 'secret' ? 'importPreview.secret' : 'importPreview.hidden')}</State>
        )}
        {state === 'refused' && <State tone="bad">{t('importPreview.refused')}</State>}
      </p>
      {sentence !== undefined && <p className={styles.sentence}>{sentence}</p>}
      {problem !== undefined && (
        <Text size="sm" c={state === 'present' ? 'dimmed' : 'var(--bad)'} className={styles.words}>
          {problem}
        </Text>
      )}
      {notes.map((note) => (
        <Text key={note} size="sm" c="var(--warn)" className={styles.words}>
          {note}
        </Text>
      ))}
      {ruleId !== undefined && (
        <Link
          to="/communities/$communityId/rules/$ruleId"
          params={{ communityId, ruleId }}
          aria-label={t('importPreview.openNamed', { name })}
        >
          {t('importPreview.open')}
        </Link>
      )}
    </div>
  );
}
