import { Button, Checkbox, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type ReadRoute, useAction, useOperation } from '../../shared/api/index.ts';
import { roleOptions } from '../../shared/member-field.tsx';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { Failure, Form, List, Page, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import styles from './rule-import.module.css';
import { type Entry, type RuleImport, sources } from './sources.ts';
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
      <Query read={found} what="the rules" lines={5}>
        {() => (
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
      </Query>
    </Page>
  );
}

function titleOf({ imported, entries: { length } }: RuleImport): string {
  return imported > 0 ? counted(imported, 'rule is on', 'rules are on') : `${counted(length, 'rule')} found`;
}

/** The rules that can be turned on, which of them to import, and how carefully. */
function Apply({ communityId, preview }: { communityId: string; preview: PreviewState }) {
  const { open, chosen, leftOut, isShadow, applied } = preview;
  const count = counted(chosen.length, 'rule');
  return (
    <Section
      title={`Ready (${open.length.toLocaleString()})`}
      lead="What these rules mean here. Leave out what you do not want."
    >
      <Checkbox
        label="All of them"
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
          label="Only compare for now (shadow mode)"
          description="For a community in which another bot still gives roles. Latchkey evaluates its rules, also those that are on already, and writes no role until you take over."
          checked={preview.onlyWatches}
          onChange={({ currentTarget }) => preview.setWatches(currentTarget.checked)}
        />
      )}
      <Group>
        <Button loading={applied !== undefined} disabled={chosen.length === 0} onClick={preview.run}>
          Switch on {count}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {applied !== undefined && chosen.length > 0
            ? `Switching on ${count} …`
            : whatFollows(isShadow || preview.onlyWatches)}
        </Text>
      </Group>
      <Failure error={preview.error} />
    </Section>
  );
}

function whatFollows(onlyCompares: boolean): string {
  return onlyCompares
    ? 'No role changes. You see each day what these rules would do.'
    : 'Members are re-checked shortly after. Large removals wait for your approval.';
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
        title="Without a role here"
        lead="These rules can be carried over once you say which of your roles they give."
        entries={entries}
      >
        {(entry) => <FoundRule communityId={communityId} entry={entry} />}
      </Entries>
      {entries.length > 0 && request === undefined && (
        <Text size="sm" c="dimmed">
          To choose roles for them,{' '}
          <Link to="/communities/$communityId/rules/import" params={{ communityId }}>
            read the export again
          </Link>
          : it is not stored here.
        </Text>
      )}
      {entries.length > 0 && request !== undefined && (
        <Form submit="Read again with these roles" isQuiet action={again} canSubmit={picked.length > 0} onSubmit={read}>
          <Failure error={roles.error} onRetry={() => void roles.refetch()} />
          {names.map((name) => (
            <Select
              key={name}
              label={`Role for “${name}”`}
              placeholder="Choose a role"
              searchable
              clearable
              nothingFoundMessage="No role matches"
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
    <Section title={`${title} (${entries.length.toLocaleString()})`} lead={lead} actions={actions}>
      <List items={entries} keyOf={({ position }) => String(position)}>
        {children}
      </List>
    </Section>
  );
}

/** One rule that was found: what it would grant here, to which members, or why it cannot. */
function FoundRule({ communityId, entry, id }: { communityId: string; entry: Entry; id?: string }) {
  const { name, roleName, roleId, sentence, problem, notes, ruleId, state, visibility } = entry;
  const role = roleName ?? (roleId === undefined ? undefined : `Role ${roleId}`);
  return (
    <div className={styles.found}>
      <p id={id} className={styles.title}>
        {role !== undefined && <strong>{role}</strong>}
        <span className={styles.name}>{name}</span>
        {visibility !== 'public' && <State>{visibility === 'secret' ? 'Secret' : 'Hidden'}</State>}
        {state === 'refused' && <State tone="bad">Refused</State>}
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
          aria-label={`Open the rule ${name}`}
        >
          Open the rule
        </Link>
      )}
    </div>
  );
}
