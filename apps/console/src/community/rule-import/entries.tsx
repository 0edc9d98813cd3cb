import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Section, State } from '../../shared/ui/index.ts';
import styles from './rule-import.module.css';
import type { Entry } from './sources.ts';

/** A part of the rules that were found, if there are any. */
export function Entries({
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
      <ul className={styles.rows}>
        {entries.map((entry) => (
          <li key={entry.position}>{children(entry)}</li>
        ))}
      </ul>
    </Section>
  );
}

/** One rule as it was found: what it would give here and to whom, or why it cannot. */
export function FoundRule({ communityId, entry, id }: { communityId: string; entry: Entry; id?: string }) {
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
